"""What all exercises share: checking an answer, naming the cause, hints, progress.

`reading` reads an exercise from its module, whose mistakes are `edits` of the answer. An `exercise`
is one of the `writes`, `predicts` or `breaks`, and `record` keeps which are solved. A check makes
an `attempt` of an answer in a `sandbox`, and `compare`s. Where no known mistake is found,
`diagnose` says what can be seen. Cases `draw` random arrays, and `counting` hands to a reader's
function what it is to call.

An exercise imports what it needs from here, but for what needs PyTorch: functions of `tensors` meet
PyTorch's plain `settings`; those that `launch` a kernel are watched, and `gpu_compile` tries the
kernel.
"""

from attnbook.arguments import describe
from attnbook.exercises.engine.breaks import (
    Break,
    a_mask,
    a_row,
    finite_arrays,
    real_numbers,
    whole_numbers,
)
from attnbook.exercises.engine.compare import with_counts
from attnbook.exercises.engine.counting import counted, counting_calls
from attnbook.exercises.engine.draw import draw, draw_qkv
from attnbook.exercises.engine.exercise import Mistake, Verdict, not_yet
from attnbook.exercises.engine.reading import break_it, predict, read_mistakes, write
from attnbook.exercises.engine.sandbox import Unfit
from attnbook.exercises.engine.writes import case, stress

__all__ = [
    "Break",
    "Mistake",
    "Unfit",
    "Verdict",
    "a_mask",
    "a_row",
    "break_it",
    "case",
    "counted",
    "counting_calls",
    "describe",
    "draw",
    "draw_qkv",
    "finite_arrays",
    "not_yet",
    "predict",
    "read_mistakes",
    "real_numbers",
    "stress",
    "whole_numbers",
    "with_counts",
    "write",
]
