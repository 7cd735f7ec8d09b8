"""From the counts of a loop to the clocks of each unit."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import machine_code as solutions

_rng = np.random.default_rng(22)
RATES = np.array([4096, 16, 128, 4])


def _version(threads=(1, 32, 32, 1), rates=RATES, by_warps=lambda counts, warps: counts * warps):
    def clocks(counts, warps):
        return by_warps(counts, warps) * np.array(threads) / np.array(rates)

    return clocks


def _in_a_copy(counts, warps):
    clocks = counts.copy()
    clocks[...] = counts * warps * np.array([1, 32, 32, 1]) / RATES
    return clocks


def _loops(*batch, warps=8):
    sizes = np.array([1 << 19, 70, 300, 900])
    counts = np.floor(sizes * (0.5 + _rng.random((*batch, 4))))
    return {"counts": counts, "warps": warps}


ROUNDED = "nothing is rounded: what is left of a clock goes to the next turn."
ADDED = "operations are counted: a multiplication and an addition are two of them already."
MISTAKES = (
    Misconception(
        _version(), "counts of 32 bits overflow when they are multiplied first: go to float64."
    ),
    Misconception(
        _version(by_warps=lambda counts, warps: counts),
        "that is one warp: all of them share the units.",
    ),
    Misconception(
        _version(by_warps=lambda counts, warps: counts * np.array([1, warps, warps, warps])),
        "the operations are those of one warp: all of them bring products.",
    ),
    Misconception(
        _version(by_warps=lambda counts, warps: counts * np.array([warps, warps, warps, 1])),
        "the schedulers send the instructions of all warps.",
    ),
    Misconception(lambda *given: np.floor(solutions.clocks(*given)), ROUNDED),
    Misconception(lambda *given: np.ceil(solutions.clocks(*given)), ROUNDED),
    Misconception(lambda *given: np.round(solutions.clocks(*given)), ROUNDED),
    Misconception(
        _in_a_copy, "counts may be whole numbers, and a copy of them holds no half clock: float64."
    ),
    Misconception(_version(rates=(2048, 16, 128, 4)), ADDED),
    Misconception(_version(rates=(8192, 16, 128, 4)), ADDED),
    Misconception(
        _version(rates=(4096, 16, 64, 4)), "floats have 128 lanes; 64 is for comparisons."
    ),
    Misconception(
        _version(threads=(1, 1, 1, 1)),
        "an instruction is for a warp, and its 32 threads each want an exponential or a sum.",
    ),
    Misconception(
        _version(threads=(1, 1, 32, 1)),
        "each of a warp's 32 threads wants its exponential; 16 are made in a clock.",
    ),
    Misconception(
        _version(threads=(1, 32, 1, 1)),
        "each of a warp's 32 threads wants its sum or product; 128 are made in a clock.",
    ),
    Misconception(
        _version(threads=(1, 32, 32, 32)),
        "a scheduler sends one instruction for all 32 threads at once: issue counts warps.",
    ),
    Misconception(
        _version(rates=(4096, 16, 128, 128)),
        "issue counts instructions, four a clock: 128 threads, and not 128 instructions.",
    ),
    Misconception(
        _version(threads=(32, 32, 32, 1)),
        "the operations of the products are those of the whole warp already.",
    ),
    Misconception(
        _version(threads=(32, 32, 32, 32)),
        "only exponentials and floats are counted for each thread: the products are those of the "
        "whole warp, and an instruction is sent once for it.",
    ),
    Misconception(
        _version(rates=(1024, 4, 32, 1)),
        "these are the rates of a quarter of a multiprocessor: all four work at once.",
    ),
    Misconception(
        _version(by_warps=lambda counts, warps: counts / warps),
        "more warps are more work for the units: multiply.",
    ),
    Misconception(
        _version(rates=(4096, 128, 16, 4)),
        "turned round: 16 exponentials and 128 sums or products in a clock.",
    ),
    Misconception(
        lambda counts, warps: RATES / (counts * warps * np.array([1, 32, 32, 1])),
        "that is turns in a clock: asked is clocks for a turn.",
    ),
    Misconception(
        lambda counts, warps: counts * warps * np.array([1, 32, 32, 1]) * RATES,
        "what is asked of a unit is divided by what it does in a clock.",
    ),
)

clocks = Write(
    name="machine_code.clocks",
    title="The clocks of each unit",
    level="medium",
    minutes=8,
    solution_of=solutions.clocks,
    explanation=(
        "All warps ask the same units. An instruction for a warp is 32 exponentials, sums or "
        "products, one for each thread; to the schedulers it is one. The operations of matrix "
        "products are counted for the warp as a whole. Each is divided by its unit's rate."
    ),
    hints=(
        "Multiply by the warps, and divide by what the unit does in a clock.",
        "Which of the four counts are instructions of 32 threads, each of which wants something?",
        "counts has its four numbers in the last axis: an array of four others fits any shape.",
    ),
    misconceptions=MISTAKES,
    notice="The largest of the four is the fewest clocks that a turn can take.",
    cases=(
        case(counts=np.array([6144.0, 1.0, 6.0, 6.0]), warps=1),
        case(counts=np.array([4096.0, 1.0, 4.0, 4.0]), warps=4),
        case(counts=np.array([524288.0, 66.0, 428.0, 867.0]), warps=8),
        case(**_loops(3)),
        case(**_loops(2, 3, warps=4)),
        case(**_loops(4, warps=12)),
        case(counts=np.array([[524288, 66, 429, 867], [6144, 1, 6, 7]]), warps=2),
        stress(counts=np.array([2**28, 70, 300, 900], np.int32), warps=8),
        stress(counts=np.array([2.0**25 + 1, 2.0**25 + 3, 2.0**25 + 5, 2.0**25 + 7]), warps=4),
        stress(counts=np.zeros((2, 4)) + np.array([1.0, 0.0, 0.0, 1.0]), warps=4),
    ),
)
