"""Project, step 1: how many pages · easy · 6 min

Hints
1. How many pages do `length` words fill, counting one that is begun? And `length + n` words?
2. -(-a // b) is a / b, rounded up.

Why
A text of m words has ⌈m / size⌉ pages. What it needs is the difference between afterwards and now:
the free rows of its last page are in it.

Notice
A difference of two numbers that are rounded up is not the rounded difference: n words alone would
need ⌈n / size⌉ pages.
"""

from attnbook.exercises.engine import case, write


def pages_needed(length, n, size):
    """The pages of a text of length + n words, without those of its first length words."""
    now, then = (-(-words // size) for words in (length, length + n))
    return then - now


def word_by_word(length, n, size):
    """A word in row 0 needs a page."""
    return sum(word % size == 0 for word in range(length, length + n))


CASES = (
    case(length=0, n=1, size=2, gives=1),
    case(length=1, n=1, size=2, gives=0),
    case(length=2, n=1, size=2, gives=1),
    case(length=0, n=0, size=2, gives=0),
    case(length=4, n=0, size=2),
    case(length=3, n=4, size=4),
    case(length=4, n=4, size=4),
    case(length=4, n=5, size=4),
    case(length=5, n=2, size=4),
    case(length=7, n=30, size=16),
    case(length=700, n=100, size=16),
    case(length=3, n=3, size=1),
)

MISTAKES = """
the free rows of the last page are forgotten: a begun page takes words before a new one is needed.
    = -(-n // size) || n // size + 1 || n // size
on a full page no row is free, and not `size` of them, and there may be more free rows than words.
    = -(-(n - (size - length % size)) // size)
    = -(-max(0, n - (size - length % size)) // size)
the page that is begun is the text's already: round up what it has, too.
    = -(-(length + n) // size) - length // size
where the words fit on the page that is begun, or there are none, no page is taken.
    return then - now → return max(1, then - now)
a begun page counts as a page: round up.
    (-(-words // size) for → (words // size for
a page is taken before there is a word for it: a full page is not followed by one until a word comes.
    = (length + n) // size + 1 - -(-length // size)
these are all pages of the text, and some of them it has already.
    return then - now → return then
pages hold `size` words, and the number of pages is asked, not that of words.
    return then - now → return (then - now) * size
one page too many.
    return then - now → return then - now + 1
the difference has the wrong sign.
    return then - now → return now - then
"""

exercise = write(pages_needed, CASES, MISTAKES, oracle=word_by_word)
