"""Exercises of the chapter on cost, in the order of the chapter."""

from attnbook.exercises.cost import breaks, counting, predictions, timing

shared_keys = predictions.shared_keys
roofs = predictions.roofs
cost = counting.cost
two_roofs = breaks.two_roofs
in_turns = timing.in_turns
one_after_the_other = breaks.one_after_the_other
overtakes = predictions.overtakes
