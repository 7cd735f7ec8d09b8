"""Exercises of the chapter on temperature and the derivative of softmax."""
