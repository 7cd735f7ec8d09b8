"""Exercises of the chapter without the softmax, in the order of the chapter."""

from attnbook.exercises.linear import decays, delta, late_decay, predictions, reading

states = predictions.states
costs = predictions.costs
delta_update = delta.delta_update
read_chunk = reading.read_chunk
decay_mask = decays.decay_mask
late = late_decay.late
