"""Exercises of the chapter on three ways of attention, in the order of the chapter."""

from attnbook.exercises.three_ways import blind, cross, decoder, moved, predictions

rows_that_move = predictions.rows_that_move
cross_attention = cross.cross_attention
decoder_mask = decoder.decoder_mask
first_moved = moved.first_moved
blind_test = blind.blind_test
