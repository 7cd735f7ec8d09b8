"""Exercises of the chapter on heads, in the order of the chapter."""

from attnbook.exercises.heads import grouped, predictions, sink, tiled, write

who_reads_whom = predictions.who_reads_whom
two_averages = predictions.two_averages
write_matrices = write.write_matrices
counts = predictions.counts
tile_for_repeat = tiled.tile_for_repeat
grouped_attention = grouped.grouped_attention
weights_with_sink = sink.weights_with_sink
