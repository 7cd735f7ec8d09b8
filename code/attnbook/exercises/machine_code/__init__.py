"""Exercises of the chapter on machine code, in the order of the chapter."""

from attnbook.exercises.machine_code import breaks, columns, loops, predictions, units

tile_products = predictions.tile_products
unordered = breaks.unordered
clocks = units.clocks
stages = predictions.stages
idle_mask = breaks.idle_mask
column = columns.column
hot_loop = loops.hot_loop
