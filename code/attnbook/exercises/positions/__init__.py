"""Exercises of the chapter on positions, in the order of the chapter."""

from attnbook.exercises.positions import bias, cache, halves, predictions, shift

sixty_degrees = predictions.sixty_degrees
rope_halves = halves.rope_halves
one_shift = shift.one_shift
moved_cache = cache.moved_cache
alibi = bias.alibi
looks_back = predictions.looks_back
