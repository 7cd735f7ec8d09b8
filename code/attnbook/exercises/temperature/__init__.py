"""Exercises of the chapter on temperature and the derivative, in the order of the chapter."""

from attnbook.exercises.temperature import breaks, derivative, gradient, predictions

colder = predictions.colder
pull = predictions.pull
jacobian = derivative.jacobian
scores_gradient = gradient.scores_gradient
saturated = breaks.saturated
powers = breaks.powers
