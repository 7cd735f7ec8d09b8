"""Exercises of the chapter on what libraries do with masks, in the order of the chapter."""

from attnbook.exercises.libraries import breaks, visibility

visible = visibility.visible
two_corners = breaks.two_corners
polarity = breaks.polarity
