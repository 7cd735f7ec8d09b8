"""Keys that are turned already, moved on."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import positions as solutions
from attnbook.positions import frequencies, rope

rng = np.random.default_rng(1)


def _case(steps, n, pairs, batch=(), dtype=np.float64, make=case):
    x = 3 * rng.standard_normal((*batch, n, 2 * pairs))
    x = np.abs(np.round(x)) if np.dtype(dtype).kind in "iu" else x
    return make(cache=x.astype(dtype), steps=steps, theta=10.0 ** -np.arange(pairs))


def _turned_by(place):
    """The solution with other places, from the number of keys and the steps."""
    return lambda cache, steps, theta: rope(cache, place(cache.shape[-2], steps), theta)


def _added(first, second):
    def added(cache, steps, theta):
        hand = np.stack([first(steps * theta), second(steps * theta)], axis=-1).ravel()
        return (cache + hand).astype(_floating(cache))

    return added


def _floating(cache):
    return cache.dtype if cache.dtype.kind == "f" else np.float64


def _as_many_as(size):
    """The solution with another axis for the number of keys."""
    return lambda cache, steps, theta: rope(cache, np.full(size(cache.shape), steps), theta)


def _back_first(cache, steps, theta):
    """The turn is taken back, and the place with it."""
    n = cache.shape[-2]
    return rope(rope(cache, -np.arange(n), theta), np.full(n, steps), theta)


def _promoted(cache, steps, theta):
    return rope(cache.astype(float), np.full(cache.shape[-2], steps), theta)


def _in_the_dtype_of_the_cache(of_theta):
    def moved_cache(cache, steps, theta):
        dtype = _floating(cache)
        angles = np.asarray(steps, dtype) * (theta.astype(dtype) if of_theta else theta)
        return rope(cache, np.ones(cache.shape[-2], int), angles.astype(float))

    return moved_cache


def _in_place(cache, steps, theta):
    cache[...] = rope(cache, np.full(cache.shape[-2], steps), theta)
    return cache


AGAIN = (
    "each key turns by its own place once more: it has had that turn, and what is missing is "
    "`steps` for all."
)

moved_cache = Write(
    name="positions.moved_cache",
    title="Move a cache",
    level="medium",
    minutes=8,
    solution_of=solutions.moved_cache,
    explanation=(
        "To turn by jθ and then by steps · θ is to turn by (j + steps) θ, so every key gets the "
        "same further turn, wherever it stands. Nobody has to know the keys before their turn, "
        "or their places."
    ),
    hints=(
        "A key was turned by jθ and should be turned by (j + steps) θ. Which turn is missing?",
        "The same turn is missing in every row: `rope` takes a place for each, and here all of "
        "them are equal.",
        "np.full(n, steps) holds n times the same integer.",
    ),
    misconceptions=(
        *(
            Misconception(_turned_by(place), AGAIN)
            for place in (
                lambda n, steps: np.arange(n) + steps,
                lambda n, steps: np.arange(steps, steps + n),
            )
        ),
        Misconception(
            _turned_by(lambda n, steps: np.arange(n) * steps),
            "the further turn grows from row to row; it is the same for all.",
        ),
        Misconception(
            _turned_by(lambda n, steps: np.full(n, -steps)),
            "the keys move the other way: to stand further on is to turn further.",
        ),
        Misconception(
            _turned_by(lambda n, steps: np.arange(n)),
            "each key turns by its own place a second time, and `steps` is not used.",
        ),
        Misconception(
            _turned_by(lambda n, steps: np.full(n, n + steps)),
            "the number of keys is counted too: they all move by `steps`, no more.",
        ),
        Misconception(
            _turned_by(lambda n, steps: np.full(n, steps + 1)),
            "the keys move by one place too many.",
        ),
        Misconception(
            _turned_by(lambda n, steps: np.full(n, steps - 1)),
            "the keys move by one place too few.",
        ),
        Misconception(
            _turned_by(lambda n, steps: np.full(n, steps % n)),
            "the steps are counted modulo the number of keys: a text may move on by any number.",
        ),
        Misconception(
            _turned_by(lambda n, steps: np.full(n, np.sign(steps))),
            "every key moves by one place: it is `steps` of them.",
        ),
        Misconception(
            _turned_by(lambda n, steps: np.where(np.arange(n) == n - 1, steps, 0)),
            "only the last key moves: all of them stand further on.",
        ),
        Misconception(
            _turned_by(lambda n, steps: np.full(n, abs(steps))),
            "negative steps move the keys back.",
        ),
        Misconception(
            lambda cache, steps, theta: rope(
                cache, np.full(cache.shape[-2], steps), theta, "halves"
            ),
            "the pairs are taken as halves; these keys were turned as neighbours.",
        ),
        Misconception(
            lambda cache, steps, theta: rope(
                cache, np.full(cache.shape[-2], steps), np.degrees(theta)
            ),
            "the angles are turned into degrees: theta is in radians per place.",
        ),
        Misconception(
            lambda cache, steps, theta: np.roll(cache, steps, axis=-2).astype(_floating(cache)),
            "the rows change their order; a key stays in its row and turns.",
        ),
        Misconception(
            lambda cache, steps, theta: cache.astype(_floating(cache)),
            "nothing is turned: a key that stands further on has turned further.",
        ),
        *(
            Misconception(_added(*hand), "the hands are added to the keys; RoPE turns them.")
            for hand in ((np.sin, np.cos), (np.cos, np.sin))
        ),
        *(
            Misconception(
                _turned_by(place), "`rope` takes one place for each row: here they are all equal."
            )
            for place in (
                lambda n, steps: steps,
                lambda n, steps: [steps],
                lambda n, steps: np.array(steps),
                lambda n, steps: np.array([steps]),
            )
        ),
        *(
            Misconception(
                _as_many_as(size),
                "the number of keys is cache.shape[-2], however many batch axes stand in front.",
            )
            for size in (
                lambda shape: shape[0],
                lambda shape: shape[1],
                lambda shape: shape[-1],
                lambda shape: shape,
            )
        ),
        *(
            Misconception(_turned_by(place), "`rope` takes the places as an array of integers.")
            for place in (lambda n, steps: [steps] * n, lambda n, steps: range(n))
        ),
        Misconception(
            _turned_by(lambda n, steps: np.arange(n) - steps),
            "each key turns by its own place once more, and `steps` back.",
        ),
        Misconception(
            _turned_by(lambda n, steps: np.full(n, float(steps))),
            "these places are floats; `rope` takes integers.",
        ),
        Misconception(
            lambda cache, steps, theta: rope(cache, np.full(cache.shape[-2], steps), theta * steps),
            "`steps` is counted twice, in the places and in theta.",
        ),
        Misconception(
            lambda cache, steps, theta: rope(
                cache, np.full(cache.shape[-2], steps), frequencies(cache.shape[-1])
            ),
            "these are the frequencies of base 10000: use those that are given.",
        ),
        Misconception(
            _back_first,
            "each key loses the place that it had: it should stand `steps` places further on.",
        ),
        Misconception(
            lambda cache, steps, theta: rope(cache, np.full(cache.shape[-2], steps), theta).astype(
                cache.dtype
            ),
            "the result is cut to integers where the cache holds such: they count as float64.",
        ),
        *(
            Misconception(
                _in_the_dtype_of_the_cache(of_theta),
                "the angles lose digits in float16, where 4099 becomes 4100: compute them in "
                "float64, turn, and cast the result.",
            )
            for of_theta in (False, True)
        ),
        Misconception(_promoted, "the result is float64 whatever came in: keep the float type."),
        Misconception(_in_place, "the caller's cache is overwritten: return a new array."),
    ),
    notice=(
        "So a cache can lose words from its middle, and close the gap. Keys that are kept before "
        "their turn never have to be moved, but then each has to be turned whenever it is used."
    ),
    cases=(
        case(cache=np.array([[1.0, 0.0]]), steps=1, theta=np.array([np.arctan2(4, 3)])),
        _case(2, 1, 2),
        _case(1, 3, 2),
        _case(5, 3, 2),
        _case(-2, 3, 2),
        _case(0, 2, 2),
        _case(3, 2, 2, batch=(2,)),
        _case(2, 3, 1, batch=(2, 2)),
        _case(4, 4, 3, dtype=np.float32),
        _case(3, 4, 2, batch=(2, 3)),
        _case(2, 3, 2, dtype=np.int64),
        _case(1000, 3, 2, make=stress),
        _case(3, 2, 2, dtype=np.float16, make=stress),
        _case(4099, 2, 2, dtype=np.float16, make=stress),
    ),
)
