"""Time and memory, and where they were measured.

A time is a ratio: two calls take turns in one run, so that what slows the machine slows both.
"""

from attnbook.measure.environment import environment
from attnbook.measure.memory import peak_array_memory, peak_memory
from attnbook.measure.operations import operations
from attnbook.measure.record import recorded
from attnbook.measure.time import one_thread, ratios, rounds

__all__ = [
    "environment",
    "one_thread",
    "operations",
    "peak_array_memory",
    "peak_memory",
    "ratios",
    "recorded",
    "rounds",
]
