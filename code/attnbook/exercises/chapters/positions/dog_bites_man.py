"""Dog bites man · medium · 6 min

Hints
1. Without positions a head reads a bag of words. Which sentences have the same bag as *dog bites man*?
2. ALiBi knows the distance of two words, and not which of them comes first. Which order leaves every
   distance as it is?
3. Keep the words, change the order, and let two words come closer than they were.

Why
In *dog man bites* the words are the same, so without positions all outputs are the same. The dog is
now one step from the man, where it was two, and the penalty tells ALiBi. In *man bites dog* every
two words stand as far apart as before: it is the first sentence in a mirror, and |i − j| does not
know left from right.

Notice
Read backwards, though, every two words keep their distance: so an encoder that has ALiBi alone
cannot tell who bites whom. Under a causal mask it can, since the mask knows which word came first.
"""

import numpy as np

from attnbook.exercises.engine import break_it, describe
from attnbook.reference import softmax

WORDS = ["old", "dog", "bites", "man"]
AFFINITIES = np.array([[2, 5, 1, 3], [1, 3, 6, 2], [1, 7, 4, 5], [3, 2, 8, 4]])
VALUES = np.eye(4)  # what a word collects stands in a column of its own


def dog_bites_man():
    """Two words come closer to each other than they were."""
    return "dog bites man", "dog man bites"


def output(sentence, slope):
    """The sum of all outputs, with the penalty slope · |i − j|."""
    words = [WORDS.index(word) for word in sentence.split()]
    i = np.arange(len(words))
    scores = np.log(AFFINITIES)[words][:, words] - slope * np.abs(i[:, None] - i)
    return np.sum(softmax(scores) @ VALUES[words], axis=0)


def differ_without_positions(first, second):
    """Whether the head's output tells the two sentences apart."""
    return not np.allclose(output(first, slope=0), output(second, slope=0))


def differ_with_alibi(first, second):
    """The same, with ALiBi's penalty of ln 2 a step."""
    return not np.allclose(output(first, slope=np.log(2)), output(second, slope=np.log(2)))


def are_sentences(first, second):
    for name, sentence in {"first": first, "second": second}.items():
        if not isinstance(sentence, str):
            return f"{name} is {describe(sentence)}; the check wants a sentence: 'dog bites man'."
        if unknown := [word for word in sentence.split() if word not in WORDS]:
            return f"{unknown[0]!r} is none of the words old, dog, bites and man."
        if not 3 <= len(sentence.split()) <= 6:
            return f"{name} has the length {len(sentence.split())}; the check wants 3 to 6 words."
    return None


MISTAKES = """
that is the same sentence twice.
    "dog bites man", "dog bites man"
    if first.split() == second.split()
these are not the same words: without positions, too, a head notices which words there are, and how
often.
    "dog bites man", "old dog bites man"
    if sorted(first.split()) != sorted(second.split())
the second sentence is the first one read backwards, and every two words are as far apart as before:
ALiBi's |i − j| does not know which of them comes first.
    "dog bites man", "man bites dog"
    if first.split() == second.split()[::-1]
"""

exercise = break_it(
    dog_bites_man,
    MISTAKES,
    broken=differ_without_positions,
    right=differ_with_alibi,
    allowed=are_sentences,
    stated=(True, False),
    versions=("differ with ALiBi", "differ without positions"),
)
