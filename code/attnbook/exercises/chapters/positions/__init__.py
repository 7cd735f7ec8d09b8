"""Exercises of the chapter on positions."""

EXERCISES = (
    "by_hand",
    "sixty_degrees",
    "rope_halves",
    "one_shift",
    "moved_cache",
    "two_slopes",
    "dog_bites_man",
    "key_alone",
)
