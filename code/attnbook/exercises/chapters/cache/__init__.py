"""Exercises of the chapter on the cache."""

EXERCISES = (
    "bytes_of_a_word",
    "slots",
    "same_page",
    "pages_needed",
    "gathered",
    "appended",
)
