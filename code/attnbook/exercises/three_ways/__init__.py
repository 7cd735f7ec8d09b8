"""Exercises of the chapter on three ways of attention, in the order of the chapter."""

from attnbook.exercises.three_ways import blind, cross, decoder, moved, predictions, unequal_sizes

rows_that_move = predictions.rows_that_move
shapes = predictions.shapes
cross_attention = cross.cross_attention
decoder_mask = decoder.decoder_mask
unequal = unequal_sizes.unequal
blind_test = blind.blind_test
first_moved = moved.first_moved
