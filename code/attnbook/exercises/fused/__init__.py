"""Exercises of the chapter on fused programs, in the order of the chapter."""

from attnbook.exercises.fused import breaks, changes, flash, predictions, rules

which_flash = predictions.which_flash
for_flash = flash.for_flash
window_rule = rules.window_rule
sloped = changes.sloped
document_blocks = predictions.document_blocks
after_cut = breaks.after_cut
late_cap = breaks.late_cap
