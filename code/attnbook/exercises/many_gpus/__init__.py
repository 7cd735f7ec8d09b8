"""Exercises of the chapter on many GPUs, in the order of the chapter."""

from attnbook.exercises.many_gpus import breaks, gradients, placing, predictions, turns

bytes_sent = predictions.bytes_sent
whose = turns.whose
zigzag = placing.zigzag
skipped = breaks.skipped
ring_against_exchange = predictions.ring_against_exchange
in_hand = gradients.in_hand
shared_heads = breaks.shared_heads
