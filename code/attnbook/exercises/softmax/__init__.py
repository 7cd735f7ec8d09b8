"""Exercises of the chapter on softmax and log-sum-exp, in the order of the chapter."""

from attnbook.exercises.softmax import breaks, logarithm, predictions, running

merged = predictions.merged
one_maximum = breaks.one_maximum
log_softmax = logarithm.log_softmax
running_logsumexp = running.running_logsumexp
small_scores = breaks.small_scores
