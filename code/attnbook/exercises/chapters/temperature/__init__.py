"""Exercises of the chapter on temperature and the derivative of softmax."""

EXERCISES = "colder", "pull", "jacobian", "scores_gradient", "saturated", "powers"
