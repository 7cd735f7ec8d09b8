"""Exercises of the chapter on what libraries do with masks, in the order of the chapter."""

from attnbook.exercises.libraries import breaks, cleaning, predictions, visibility

how_many = predictions.how_many
visible = visibility.visible
cleaned = cleaning.cleaned
two_corners = breaks.two_corners
polarity = breaks.polarity
