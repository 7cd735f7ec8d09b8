"""The same words on the page · medium · 6 min

Hints
1. What is the key of a word made of, in the second layer of a model? Of the word alone?
2. Both texts should have a page with the same words on it, and something else should differ.
3. Where must it differ: before the page, or behind it?

Why
In the first layer a key is made of its own word, and of its position. But from the second layer on
it is made of what the word has found, and that depends on every word before it. So a page may be
shared only if the two texts agree up to its end. With [1, 2, 3, 4] and [9, 9, 3, 4] the second page
has the same words in both, and other keys.

Notice
This is why servers give each page a name that is made of all words up to its end, and share the
beginnings of texts alone.
"""

from attnbook.exercises.engine import a_row, break_it

SIZE = 2


def full_pages(text):
    return [list(text[i : i + SIZE]) for i in range(0, len(text) - SIZE + 1, SIZE)]


def same_page():
    """The second pages have the same words, behind different ones."""
    return [1, 2, 3, 4], [9, 9, 3, 4]


def pages_alike(first_text, second_text):
    """How many full pages of two words two texts may share, counted by the words on each."""
    firsts = range(0, min(len(first_text), len(second_text)) - 1, 2)  # of each full page
    both = ([list(text[i : i + 2]) for text in (first_text, second_text)] for i in firsts)
    return sum(one == other for one, other in both)


def pages_of_the_same_beginning(first_text, second_text):
    """The right version: pages up to the first one that differs."""
    count = 0
    for first, second in zip(full_pages(first_text), full_pages(second_text), strict=False):
        if first != second:
            break
        count += 1
    return count


def are_texts(first_text, second_text):
    if refusal := a_row(1, 20, 0, 99, first_text=first_text, second_text=second_text):
        return refusal
    if any(x.dtype.kind == "f" for x in (first_text, second_text)):
        return "words are whole numbers from 0 to 99."
    return None


MISTAKES = """
a text has fewer than two words, so no page of it is full.
    [1], [1]
    if min(len(first_text), len(second_text)) < SIZE
one text begins with the other, so whatever they have on full pages may be shared.
    [1, 2, 3], [1, 2, 3, 4, 5]
    if list(first_text[:min(len(first_text), len(second_text))]) == list(second_text[:min(len(first_text), len(second_text))])
no page has the same words in both texts: both versions share nothing.
    [1, 2, 3, 4], [5, 6, 7, 8]
    if pages_alike(first_text, second_text) == 0
the texts agree at the beginning and differ behind it, and such a beginning may be shared: let them
differ before a page on which they agree.
    [1, 2, 3, 4], [1, 2, 5, 6]
    if True
"""

exercise = break_it(
    same_page,
    MISTAKES,
    broken=pages_alike,
    right=pages_of_the_same_beginning,
    allowed=are_texts,
    stated=(0, 1),
)
