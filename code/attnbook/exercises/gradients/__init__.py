"""Exercises of the chapter on gradients by hand, in the order of the chapter."""

from attnbook.exercises.gradients import bias, breaks, capped, gaussian, predictions

another_row = predictions.another_row
soft_cap_backward = capped.soft_cap_backward
rejected = breaks.rejected
gaussian_scores_backward = gaussian.gaussian_scores_backward
unseen = breaks.unseen
steps_in_float32 = predictions.steps_in_float32
bias_backward = bias.bias_backward
