r"""What a word takes · easy · 6 min

Hints
1. Each layer keeps a key and a value for every key-value head: how many numbers is that?
2. A number takes 2 bytes, and there are 24 layers.
3. A latent is kept once; keys and values are made of it. Its rotated key lies beside it.
4. Under the window no layer ever holds more than 1020 + 4 words. A MiB has 2²⁰ bytes.

Why
With $h_\text{kv}$ heads a layer keeps $2 \cdot h_\text{kv} \cdot 64$ numbers of 2 bytes: in 24
layers 98,304 bytes for 16 heads and 24,576 for 4. A latent and a rotated key are 256 numbers,
12,288 bytes in all layers. Under the window 1024 words are kept, of 24,576 bytes each:
$24 \cdot 2^{10} \cdot 2^{10}$ bytes are 24 MiB, and a longer text takes no more.

Notice
The latent takes half as much as the 4 shared heads, and each of the 16 heads has its own keys.
"""

from attnbook.exercises.engine import predict


def bytes_of_a_word():
    """Bytes of one word in three layouts, and MiB of a window's cache."""
    layers, number, d_head = 24, 2, 64
    own, shared = (layers * 2 * heads * d_head * number for heads in (16, 4))
    latent = layers * (224 + 32) * number
    return [own, shared, latent, (1020 + 4) * shared / 2**20]


MISTAKES = """
a word has a key and a value in each head: twice as many numbers.
    at 0: 49152
    at 1: 12288
a number of 16 bits takes 2 bytes.
    [49152, 12288, 6144, 12] || [49152, 12288, 6144, 24] || [24576, 6144, 6144, 24]
    [24576, 6144, 12288, 24] || [196608, 49152, 24576, 48] || [196608, 49152, 12288, 24]
    at 0: 98304 * 8
    at 1: 24576 * 8
    at 2: 6144 || 24576 * 4
there are 16 heads, and if they share nothing each has keys and values of its own.
    at 0: 24576
4 key-value heads are kept here: they are shared in groups, and not by all heads at once.
    at 1: 6144
queries are not kept: a word adds a key and a value for each key-value head.
    at 0: 147456
    at 1: 36864 || 73728
each of the 24 layers has a cache of its own.
    at 0: 4096
    at 1: 1024
    at 2: 512
a latent is kept once: the values are made of it, too.
    at 2: 24576 || 21504 + 1536
the rotated key is kept as well, beside the latent.
    at 2: 10752
the latent and its rotated key are shared by all heads: they are not kept for each.
    at 2: 12288 * 16 || 12288 * 4
the cache of a window stops growing: a layer holds 1020 words and the 4 sinks, however long the text
is.
    at 3: 100_000 * 24576 / 2**20 || 2344 || 2343
the four heads are shared here, as in the second question.
    at 3: 96
the answer to the fourth question is in MiB, of 2²⁰ bytes.
    at 3: 1024 * 24576 || 24576 || 1024 * 24576 / 1e6
the sinks have slots of their own: there are 1024 slots, not 1020.
    at 3: 1020 * 24576 / 2**20
"""

exercise = predict(bytes_of_a_word, MISTAKES, stated=[98304, 24576, 12288, 24], atol=0.01)
