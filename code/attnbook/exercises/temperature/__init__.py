"""Exercises of the chapter on temperature and the derivative, in the order of the chapter."""

from attnbook.exercises.temperature import derivative, predictions

colder = predictions.colder
jacobian = derivative.jacobian
