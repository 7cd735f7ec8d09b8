"""Exercises of the chapter on softmax and log-sum-exp."""

EXERCISES = (
    "merged",
    "one_maximum",
    "log_softmax",
    "running_logsumexp",
    "merge_reports",
    "small_scores",
)
