"""Exercises of the chapter on Triton, in the order of the chapter."""

from attnbook.exercises.triton import breaks, merging, passes, phasing, predictions, scaling

programs = predictions.programs
scale = scaling.scale
next_row = breaks.next_row
wide_softmax = passes.wide_softmax
registers = predictions.registers
phases = phasing.phases
merge = merging.merge
offset = breaks.offset
