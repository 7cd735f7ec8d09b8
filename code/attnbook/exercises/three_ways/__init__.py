"""Exercises of the chapter on three ways of attention, in the order of the chapter."""

from attnbook.exercises.three_ways import blind, cross, decoder, predictions

rows_that_move = predictions.rows_that_move
shapes = predictions.shapes
cross_attention = cross.cross_attention
decoder_mask = decoder.decoder_mask
blind_test = blind.blind_test
