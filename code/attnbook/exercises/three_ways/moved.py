"""A checker: which output row is the first to change with a word?"""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import three_ways as solutions
from attnbook.exercises.three_ways import layers
from attnbook.exercises.three_ways import wrong_moved as wrong

_rng = np.random.default_rng(9)
_FOUR = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [2.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
_BLANK = _FOUR * [[1.0], [1.0], [0.0], [1.0]]
_FIVE = _rng.standard_normal((5, 3))
_PLAIN = np.array([[0.0, 1.0, 2.0], [1.0, 2.0, 3.0], [0.0, 0.0, 1.0], [1.0, -1.0, 1.0]])
_EVEN = np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.5], [-1.0, 1.0]])
_SEEDS = (*range(11), 42, 99, 100, 123, 1234, 12345, 2024, 2025, 2026)
_DRAWN = np.array(
    [
        word
        for seed in _SEEDS
        for word in (
            np.random.default_rng(seed).standard_normal(3),
            np.random.RandomState(seed).standard_normal(3),
        )
    ]
)
_TOO_SMALL = "the change is lost in rounding beside far larger numbers: put a new word there."
_ONE_CHANGED = "only one feature is changed, and a layer may look at others."
_ONE_COMPARED = "only one feature is compared: a row has moved if any of its numbers has."
_ONE_WAY = "only a change in one direction counts here: compare with !=."
_NOT_NOTICED = "a layer that normalises each word does not notice it. Put another vector there."
_TOLERANT = "a leak too faint for a tolerance is a leak: compare to the last bit, with !=."
_ALL_EQUAL = (
    "where all numbers of the word are equal, those of the new one are equal too, and a layer that "
    "subtracts each word's mean sees zeros both times. Draw a random vector."
)
_FIXED = "a plain new word may be the one that stands there: draw a random vector."
_REORDERED = "the new word is made of numbers that are there already, and those may be equal."

first_moved = Write(
    name="three_ways.first_moved",
    title="A test for leaks",
    level="hard",
    minutes=12,
    solution_of=solutions.first_moved,
    explanation=(
        "A copy gets another word at t, and both go through the layer. A row has moved if any of "
        "its numbers differs; `!=` asks for the last bit. `argmax` "
        "finds the first True, and the number of rows stands for none. There is no seed: with one, "
        "the new word may be the very word that x was made of."
    ),
    hints=(
        "Copy x, put a random vector in place of word t, and compare the two outputs with `!=`.",
        "A row has moved where any of its numbers differs: np.any(..., axis=-1).",
        "np.argmax of booleans is the first True, but 0 as well if there is none.",
    ),
    misconceptions=(
        Misconception(
            wrong.checker(answer=wrong.last_row),
            "that is the last row that moves; the first was asked for.",
        ),
        Misconception(
            wrong.checker(answer=lambda rows, first, t: np.flatnonzero(rows)),
            "these are all the rows that move; the first alone was asked for.",
        ),
        Misconception(
            wrong.checker(answer=lambda rows, first, t: int(rows.sum())),
            "that is the number of rows that move; the first was asked for.",
        ),
        Misconception(
            wrong.checker(answer=lambda rows, first, t: int(np.argmax(rows))),
            "np.argmax is 0 where nothing is True: if no row moves, return the number of rows.",
        ),
        Misconception(
            wrong.checker(answer=lambda rows, first, t: -1 if first == len(rows) else first),
            "if no row moves, return the number of rows, so that the answer can be compared with "
            "t.",
        ),
        Misconception(
            wrong.checker(answer=lambda rows, first, t: t),
            "that is t itself: run the layer, and see where its output moves.",
        ),
        Misconception(
            wrong.checker(answer=lambda rows, first, t: bool(first < t)),
            "that says whether there is a leak; the number of the first row was asked for.",
        ),
        *(
            Misconception(
                known,
                "rows from t on are not looked at: the first row that moves may come after t.",
            )
            for known in (
                wrong.checker(answer=lambda rows, first, t: first if rows[:t].any() else t),
                wrong.row_by_row(lambda x, t: t),
            )
        ),
        Misconception(
            wrong.checker(answer=lambda rows, first, t: first if rows[:t].any() else len(rows)),
            "only rows before t are looked at: the first row that moves may be t or a later one.",
        ),
        Misconception(
            wrong.row_by_row(lambda x, t: x.shape[-2]),
            "the loop runs over the words; there may be fewer output rows.",
        ),
        Misconception(
            wrong.checker(answer=lambda rows, first, t: max(first, t) if rows.any() else len(rows)),
            "rows before t are not looked at, and that is where a leak shows.",
        ),
        Misconception(
            wrong.argmax_of_all,
            "argmax counts through all numbers of all rows here: np.any(..., axis=-1) makes one "
            "boolean of each row.",
        ),
        Misconception(
            wrong.columns,
            "axis=0 asks each column whether it has moved; axis=-1 asks each row.",
        ),
        Misconception(
            wrong.checker(change=lambda word: word + 1e-3 * wrong.noise(word)), _TOO_SMALL
        ),
        Misconception(wrong.checker(change=lambda word: word + 1e-6), _TOO_SMALL),
        Misconception(wrong.checker(change=lambda word: word + 1e-10), _TOO_SMALL),
        *(Misconception(tolerant, _TOLERANT) for tolerant in wrong.TOLERANT),
        Misconception(wrong.checker(moved=lambda a, b: (a != b)[..., :1]), _ONE_COMPARED),
        Misconception(wrong.checker(moved=lambda a, b: (a != b)[..., -1:]), _ONE_COMPARED),
        Misconception(
            wrong.checker(moved=lambda a, b: np.all(a != b, axis=-1, keepdims=True)),
            "a row counts here if all of its numbers move: one is enough.",
        ),
        Misconception(wrong.checker(moved=lambda a, b: a < b), _ONE_WAY),
        Misconception(wrong.checker(moved=lambda a, b: a > b), _ONE_WAY),
        *(
            Misconception(
                wrong.checker(moved=one_number),
                "one number is compared for each row, a sum or a length, and changes can cancel in "
                "it: compare every number.",
            )
            for one_number in (wrong.row_sums, wrong.row_lengths)
        ),
        Misconception(
            wrong.checker(change=lambda word: word + 1),
            "one number is added to the whole word, and " + _NOT_NOTICED,
        ),
        Misconception(
            wrong.checker(change=lambda word: word * 2),
            "the word is multiplied by a number: 0 stays 0, and normalising undoes the rest. Put "
            "another vector there.",
        ),
        Misconception(
            wrong.checker(change=lambda word: 2 * word + 1),
            "the word is only stretched and shifted, and " + _NOT_NOTICED,
        ),
        Misconception(
            wrong.checker(change=lambda word: word * 0),
            "nothing changes where the word is zeros: zeros, or a multiple of the word, are not a "
            "new word.",
        ),
        Misconception(wrong.checker(change=lambda word: word + wrong.noise(word)), _TOO_SMALL),
        Misconception(
            wrong.checker(change=lambda word: word * wrong.noise(word)),
            "nothing changes where a number is 0: multiplied, it stays 0.",
        ),
        *(Misconception(fixed, _FIXED) for fixed in wrong.FIXED_WORDS),
        *(
            Misconception(
                seeded,
                "with a fixed seed the new word is always the same, and x may hold that very word: "
                "take default_rng() without a seed.",
            )
            for seeded in wrong.SEEDED
        ),
        Misconception(wrong.checker(change=lambda word: word * 0 + 1), _ALL_EQUAL),
        Misconception(wrong.checker(change=lambda word: word * 0 + 7), _ALL_EQUAL),
        Misconception(wrong.checker(change=lambda word: 1 - word), _ALL_EQUAL),
        Misconception(wrong.checker(change=lambda word: word[..., ::-1]), _REORDERED),
        Misconception(wrong.checker(change=lambda word: np.roll(word, 1, axis=-1)), _REORDERED),
        Misconception(wrong.word_before, _REORDERED),
        Misconception(
            wrong.checker(change=lambda word: word + np.arange(word.shape[-1])),
            "np.arange starts with 0: the first feature stays, and a layer may look at that alone.",
        ),
        Misconception(wrong.one_feature(0), _ONE_CHANGED),
        Misconception(wrong.one_feature(1), _ONE_CHANGED),
        Misconception(wrong.one_feature(-1), _ONE_CHANGED),
        Misconception(
            wrong.checker(change=lambda word: word + np.nan),
            "NaN and infinity are no test: times 0 they are NaN, and so they reach rows that no "
            "finite word can reach.",
        ),
        Misconception(
            wrong.the_rest,
            "every word from t on is changed: a row may see a later word and not word t.",
        ),
        *(
            Misconception(
                wrong.count_if_none(count),
                "if no row moves, return the number of output rows; there may be fewer than words.",
            )
            for count in (lambda x: x.shape[-2], len)
        ),
        Misconception(wrong.in_place, "your function writes into x: change a copy."),
        Misconception(
            wrong.a_view,
            "`changed = x` is no copy: the same array gets a second name, and the caller's words "
            "change.",
        ),
    ),
    notice=(
        "Run it for every t. A row before t that moves proves a leak; that none moves is evidence, "
        "for these words and this change, and no proof: a layer may hide what they do not show."
    ),
    cases=(
        case(attention=layers.causal, x=_FOUR, t=2),
        case(attention=layers.bidirectional, x=_FOUR, t=2),
        case(attention=layers.one_ahead, x=_FOUR, t=2),
        case(attention=layers.strict, x=_FOUR, t=1),
        case(attention=layers.strict, x=_FOUR, t=3),
        case(attention=layers.causal, x=_FOUR, t=0),
        case(attention=layers.causal, x=_FOUR[:1], t=0),
        case(attention=layers.bidirectional, x=_FOUR, t=3),
        case(attention=layers.two_asking, x=_FOUR, t=1),
        case(attention=layers.two_asking, x=_FOUR, t=3),
        case(attention=layers.window, x=_FOUR, t=1),
        case(attention=layers.sums, x=_FOUR, t=2),
        case(attention=layers.faint, x=_FOUR + 3, t=3),
        case(attention=layers.tiny, x=_FOUR, t=3),
        case(attention=layers.last_too, x=_FOUR, t=1),
        case(attention=layers.last_feature, x=_FOUR, t=2),
        case(attention=layers.first_feature, x=_FOUR, t=2),
        case(attention=layers.middle_feature, x=_FOUR, t=2),
        *(case(attention=layers.causal, x=_PLAIN, t=t) for t in range(4)),
        stress(attention=layers.normalised, x=_FOUR, t=1),
        case(attention=layers.normalised, x=_EVEN, t=2),
        case(attention=layers.marked, x=_FOUR, t=1),
        case(attention=layers.marked_behind, x=_FOUR, t=1),
        case(attention=layers.causal, x=_BLANK, t=2),
        case(attention=layers.blank, x=_BLANK, t=2),
        case(attention=layers.energy, x=_BLANK, t=2),
        case(attention=layers.negative, x=_BLANK, t=2),
        case(attention=layers.causal, x=np.ones((4, 3)), t=2),
        case(attention=layers.causal, x=_FIVE, t=3),
        case(attention=layers.one_ahead, x=np.float32(_FIVE), t=2),
        *(stress(attention=layers.sums, x=_DRAWN, t=t) for t in range(len(_DRAWN))),
        stress(attention=layers.last_bit, x=_BLANK, t=2),
        stress(attention=layers.smallest, x=_BLANK, t=2),
        stress(attention=layers.sums, x=1e20 * _FOUR, t=2),
        stress(attention=layers.causal, x=np.float16(_FIVE), t=2),
        stress(attention=layers.one_ahead, x=_rng.standard_normal((60, 8)), t=40),
    ),
)
