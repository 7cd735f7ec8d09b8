"""Exercises of chapter 2, softmax and log-sum-exp, in the order of the chapter."""

from attnbook.exercises.softmax import breaks, derivative, logarithm, predictions, running

merged = predictions.merged
colder = predictions.colder
one_maximum = breaks.one_maximum
log_softmax = logarithm.log_softmax
running_logsumexp = running.running_logsumexp
jacobian = derivative.jacobian
small_scores = breaks.small_scores
