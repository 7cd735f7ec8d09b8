"""A checker: which output row is the first to change with a word?"""

import numpy as np

from attnbook.exercises.exercise import Misconception
from attnbook.exercises.solutions import three_ways as solutions
from attnbook.exercises.three_ways import layers
from attnbook.exercises.write import Write, case, stress

_rng = np.random.default_rng(9)
_FOUR = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [2.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
_BLANK = _FOUR * [[1.0], [1.0], [0.0], [1.0]]
_BATCH = _rng.standard_normal((2, 5, 3))


def _checker(change=None, moved=np.not_equal, answer=None, batch=np.any):
    """The solution with another change of the word, comparison, answer or rule for a batch."""

    def first_moved(attention, x, t):
        changed = x.copy()
        new = np.random.default_rng(0).standard_normal(x.shape[-1])
        changed[..., t, :] = new if change is None else change(x[..., t, :])
        cells = moved(attention(changed), attention(x))
        rows = np.any(cells, axis=-1)
        rows = batch(rows.reshape(-1, rows.shape[-1]), axis=0)
        first = int(np.argmax(rows)) if rows.any() else len(rows)
        return first if answer is None else answer(rows, first, t)

    return first_moved


def _not_close(a, b):
    return ~np.isclose(a, b)


def _feature_sums(a, b):
    return (np.sum(a, axis=-1) != np.sum(b, axis=-1))[..., None]


def _last(rows, first, t):
    return len(rows) - 1 - int(np.argmax(rows[::-1])) if rows.any() else len(rows)


def _one_feature(index):
    def change(word):
        word = word.copy()
        word[..., index] += 1
        return word

    return change


def _the_rest(attention, x, t):
    changed = x.copy()
    changed[..., t:, :] = np.random.default_rng(0).standard_normal(changed[..., t:, :].shape)
    rows = np.any(attention(changed) != attention(x), axis=-1)
    rows = np.any(rows.reshape(-1, rows.shape[-1]), axis=0)
    return int(np.argmax(rows)) if rows.any() else len(rows)


def _one_sentence(attention, x, t):
    changed = x.copy()
    changed[t] = np.random.default_rng(0).standard_normal(x.shape[-1])
    rows = np.any(attention(changed) != attention(x), axis=-1)
    return int(np.argmax(rows)) if rows.any() else len(rows)


def _in_place(attention, x, t):
    before = attention(x)
    x[..., t, :] = np.random.default_rng(0).standard_normal(x.shape[-1])
    rows = np.any(attention(x) != before, axis=-1)
    rows = np.any(rows.reshape(-1, rows.shape[-1]), axis=0)
    return int(np.argmax(rows)) if rows.any() else len(rows)


def _a_view(attention, x, t):
    changed = x
    changed[..., t, :] = np.random.default_rng(0).standard_normal(x.shape[-1])
    return int(attention(changed).shape[-2])


def _first_sentence(attention, x, t):
    changed = x.copy()
    changed[..., t, :] = np.random.default_rng(0).standard_normal(x.shape[-1])
    rows = np.any(attention(changed) != attention(x), axis=-1)
    rows = rows.reshape(-1, rows.shape[-1])[0]
    return int(np.argmax(rows)) if rows.any() else len(rows)


def _words_for_rows(attention, x, t):
    first = solutions.first_moved(attention, x, t)
    return x.shape[-2] if first == attention(x).shape[-2] else first


_NOISE = np.random.default_rng(0).standard_normal(8)
_TOO_SMALL = "the change is lost in rounding beside far larger numbers: put a new word there."
_ONE_CHANGED = "only one feature is changed, and a layer may look at others."
_ONE_COMPARED = "only one feature is compared: a row has moved if any of its numbers has."
_ONE_WAY = "only a change in one direction counts here: compare with !=."
_NOT_NOTICED = "a layer that normalises each word does not notice it. Put another vector there."

first_moved = Write(
    name="three_ways.first_moved",
    title="A test for leaks",
    level="hard",
    minutes=20,
    solution_of=solutions.first_moved,
    explanation=(
        "A copy gets another word at t, and both go through the layer. A row has moved if any of "
        "its numbers differs, in any sentence of the batch; `!=` asks for the last bit. `argmax` "
        "finds the first True, and the number of rows stands for none."
    ),
    hints=(
        "Copy x, put a random vector in place of word t, and compare the two outputs with `!=`.",
        "A row has moved where any of its features differs: np.any(..., axis=-1). What remains has "
        "the shape (..., n_q), with a batch at the dots: any sentence counts.",
        "np.argmax of booleans is the first True, but 0 as well if there is none.",
    ),
    misconceptions=(
        Misconception(
            _checker(answer=_last),
            "that is the last row that moves; the first was asked for.",
        ),
        Misconception(
            _checker(answer=lambda rows, first, t: int(rows.sum())),
            "that is the number of rows that move; the first was asked for.",
        ),
        Misconception(
            _checker(answer=lambda rows, first, t: int(np.argmax(rows))),
            "np.argmax is 0 where nothing is True: if no row moves, return the number of rows.",
        ),
        Misconception(
            _checker(answer=lambda rows, first, t: -1 if first == len(rows) else first),
            "if no row moves, return the number of rows, so that the answer can be compared with "
            "t.",
        ),
        Misconception(
            _checker(answer=lambda rows, first, t: t),
            "that is t itself: run the layer, and see where its output moves.",
        ),
        Misconception(
            _checker(answer=lambda rows, first, t: bool(first < t)),
            "that says whether there is a leak; the number of the first row was asked for.",
        ),
        Misconception(
            _checker(answer=lambda rows, first, t: first if rows[:t].any() else t),
            "rows from t on are not looked at: the first row that moves may come after t.",
        ),
        Misconception(
            _checker(answer=lambda rows, first, t: max(first, t) if rows.any() else len(rows)),
            "rows before t are not looked at, and that is where a leak shows.",
        ),
        Misconception(_checker(change=lambda word: word + 1e-6), _TOO_SMALL),
        Misconception(
            _checker(moved=_not_close),
            "a leak too faint for a tolerance is a leak: compare to the last bit, with !=.",
        ),
        Misconception(_checker(moved=lambda a, b: (a != b)[..., :1]), _ONE_COMPARED),
        Misconception(_checker(moved=lambda a, b: (a != b)[..., -1:]), _ONE_COMPARED),
        Misconception(
            _checker(moved=lambda a, b: np.all(a != b, axis=-1, keepdims=True)),
            "a row counts here if all of its numbers move: one is enough.",
        ),
        Misconception(_checker(moved=lambda a, b: a < b), _ONE_WAY),
        Misconception(_checker(moved=lambda a, b: a > b), _ONE_WAY),
        Misconception(
            _checker(moved=_feature_sums),
            "one number is compared for each row, a sum or a length, and changes can cancel in it: "
            "compare every number.",
        ),
        Misconception(
            _checker(change=lambda word: word + 1),
            "one number is added to the whole word, and " + _NOT_NOTICED,
        ),
        Misconception(
            _checker(change=lambda word: word * 2),
            "the word is multiplied by a number, and " + _NOT_NOTICED,
        ),
        Misconception(
            _checker(change=lambda word: word * 0),
            "nothing changes where the word is zeros: zeros, or a multiple of the word, are not a "
            "new word.",
        ),
        Misconception(_checker(change=lambda word: word + _NOISE[: word.shape[-1]]), _TOO_SMALL),
        Misconception(_checker(change=_one_feature(0)), _ONE_CHANGED),
        Misconception(_checker(change=_one_feature(-1)), _ONE_CHANGED),
        Misconception(
            _checker(change=lambda word: word + np.nan),
            "NaN and infinity are no test: times 0 they are NaN, and so they reach rows that no "
            "finite word can reach.",
        ),
        Misconception(
            _the_rest,
            "every word from t on is changed: a row may see a later word and not word t.",
        ),
        Misconception(
            _one_sentence,
            "this holds for one sentence only: in a batch word t is x[..., t, :].",
        ),
        Misconception(
            _first_sentence,
            "only the first sentence is changed or looked at: a row counts if it moves in any.",
        ),
        Misconception(
            _checker(batch=np.all),
            "a row counts here if it moves in all sentences: in any of them is enough.",
        ),
        Misconception(
            _words_for_rows,
            "if no row moves, return the number of output rows; there may be fewer than words.",
        ),
        Misconception(_in_place, "your function writes into x: change a copy."),
        Misconception(
            _a_view,
            "`changed = x` is no copy: the same array gets a second name, and the caller's words "
            "change.",
        ),
    ),
    notice=(
        "Run it for every t and demand at least t: a layer that passes is causal for these words, "
        "whatever is inside it."
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
        case(attention=layers.last_too, x=_FOUR, t=1),
        case(attention=layers.last_feature, x=_FOUR, t=2),
        case(attention=layers.first_feature, x=_FOUR, t=2),
        stress(attention=layers.normalised, x=_FOUR, t=1),
        case(attention=layers.marked, x=_FOUR, t=1),
        case(attention=layers.marked_behind, x=_FOUR, t=1),
        case(attention=layers.causal, x=_BLANK, t=2),
        case(attention=layers.blank, x=_BLANK, t=2),
        case(attention=layers.energy, x=_BLANK, t=2),
        case(attention=layers.negative, x=_BLANK, t=2),
        case(attention=layers.causal, x=np.ones((4, 3)), t=2),
        case(attention=layers.causal, x=_BATCH, t=3),
        case(attention=layers.twice, x=_BATCH, t=4),
        case(attention=layers.second_leaks, x=_BATCH, t=1),
        case(attention=layers.first_leaks, x=_BATCH, t=1),
        case(attention=layers.causal, x=_rng.standard_normal((2, 3, 4, 5)), t=1),
        case(attention=layers.one_ahead, x=np.float32(_BATCH), t=2),
        stress(attention=layers.sums, x=1e20 * _FOUR, t=2),
        stress(attention=layers.causal, x=np.float16(_BATCH), t=2),
        stress(attention=layers.one_ahead, x=_rng.standard_normal((60, 8)), t=40),
    ),
)
