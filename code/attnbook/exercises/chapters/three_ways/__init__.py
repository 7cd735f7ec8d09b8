"""Exercises of the chapter on three ways of attention."""

EXERCISES = "rows_that_move", "cross_attention", "decoder_mask", "first_moved", "blind_test"
