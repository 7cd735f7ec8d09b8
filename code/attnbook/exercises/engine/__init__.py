"""What all exercises share: checking an answer, naming the cause, hints, progress."""
