"""Exercises of the chapter on the roofline."""

EXERCISES = "roofs", "two_roofs", "in_turns", "one_after_the_other", "speed"
