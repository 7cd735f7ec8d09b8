"""Exercises of the chapter on the cache."""

EXERCISES = (
    "accepted",
    "checked",
    "bytes_of_a_word",
    "slots",
    "same_page",
    "pages_needed",
    "gathered",
    "appended",
)
