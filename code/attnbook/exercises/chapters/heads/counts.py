"""Count a grouped layer · medium · 8 min

Hints
1. A query head has the width d_model / h, and a key-value head is as wide.
2. W_q and W_o are 768 × 768; W_k and W_v have h_kv · d_head columns.
3. A product of a matrix with d_head columns and one with d_head rows has at most that rank.
4. A word adds one key and one value for each key-value head, 2 bytes a number.

Why
d_head = 768/12 = 64. W_k has 4 · 64 = 256 columns. The parameters are
2 · 768 · 768 + 2 · 768 · 256 = 1,572,864. W_qk is made of two matrices with 64 columns, so its rank
is at most 64. A word adds 256 numbers of keys and 256 of values, in 16 bits 1,024 bytes.

Notice
The layer has a third of the cache of multi-head attention, and two thirds of its parameters.
"""

from attnbook.exercises.engine import predict


def counts():
    """Width, columns of W_k, parameters, rank and cache of 12 heads of which 3 share one."""
    d_model, n_heads, n_kv_heads = 768, 12, 4
    d_head = d_model // n_heads
    d_kv = n_kv_heads * d_head
    return [d_head, d_kv, 2 * d_model * (d_model + d_kv), d_head, 2 * d_kv * 2]


MISTAKES = """
768 / 4 divides by h_kv; the width of a head is d_model / h = 768 / 12.
    at 0: 192
768 is the width of the model; 12 heads share it.
    at 0: 768
12 is the number of heads; each has a twelfth of 768 features.
    at 0: 12
that is the number of heads times h_kv; a head has 768 / 12 features.
    at 0: 48
256 is the width of all keys; a head has d_model / h of it.
    at 0: 256
768 columns make keys for 12 heads; here there are 4 key-value heads.
    at 1: 768
64 columns make one key-value head; there are 4.
    at 1: 64
192 = 768 / 4; a key-value head is as wide as a query head, 64.
    at 1: 192
3072 = 768 · 4; W_k has a column for each feature of its 4 heads of 64.
    at 1: 3072
4 is the number of key-value heads; each has 64 columns.
    at 1: 4
512 are the columns of W_k and W_v together.
    at 1: 512
W_k and W_v have 256 columns each, not 768: three heads share one.
    at 2: 4 * 768**2
W_v is missing, or W_k: both have 768 · 256 numbers.
    at 2: 2 * 768**2 + 768 * 256
W_o is missing: it has 768 · 768 numbers.
    at 2: 768**2 + 2 * 768 * 256
that is W_k and W_v; W_q and W_o have 768 · 768 numbers each.
    at 2: 2 * 768 * 256
W_q and W_o have 768 columns: 12 heads ask, only 4 answer.
    at 2: 4 * 768 * 256
that is one head; the matrices make 12 query heads and 4 key-value heads.
    at 2: 4 * 768 * 64
W_k and W_v make 4 heads, not one: 256 columns each.
    at 2: 2 * 768**2 + 2 * 768 * 64
W_k and W_v are 768 × 256: the words come with 768.
    at 2: 2 * 768**2 + 2 * 256**2
that counts biases, and the layer has none.
    at 2: 2 * 768 * 1024 + 2048
W_q and W_o have 768 · 768 numbers each, W_k and W_v 768 · 256.
    at 2: 3 * 768**2 || 2 * 768**2
W_qk is 768 × 768, but it is a product through 64 columns.
    at 3: 768
W_qk belongs to one head: it is a product through 64 columns.
    at 3: 256
ranks do not add up in a product: 64 columns meet 64 rows.
    at 3: 128
the heads of a group share W_k and not W_q: it is a product for each.
    at 3: 192
64 · 64 is a number of entries; W_qk is a product through 64 columns.
    at 3: 4096
the number of heads does not bound it: W_qk is a product through 64 columns.
    at 3: 4 || 12
512 is half of it: a key and a value, and a number of 16 bits takes 2 bytes.
    at 4: 512
a word has a key and a value for each of the 4 heads, and a number of 16 bits takes 2 bytes.
    at 4: 256
in 16 bits a number takes 2 bytes, not 4.
    at 4: 2048
that is the cache of 12 heads; only the keys and values of the 4 key-value heads are kept.
    at 4: 3072
that is bits; a byte has 8.
    at 4: 8192
queries are not kept: the cache holds keys and values.
    at 4: 2560
only 4 heads have keys and values, and both are kept: 2 · 256 numbers.
    at 4: 1536
that is one head's key; there are 4 heads, each with a key and a value.
    at 4: 128
"""

exercise = predict(counts, MISTAKES, stated=[64, 256, 1_572_864, 64, 1024])
