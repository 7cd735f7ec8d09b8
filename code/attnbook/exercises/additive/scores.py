"""The additive score, written in full."""

import numpy as np

from attnbook.exercises.additive import wrong_scores as wrong
from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import additive as solutions
from attnbook.reference import softmax

rng = np.random.default_rng(0)


def _random(n_q, n_k, d_q, d_k, d_hidden, batch=(), dtype=np.float64):
    sizes = {
        "q": (*batch, n_q, d_q),
        "k": (*batch, n_k, d_k),
        "w_q": (d_q, d_hidden),
        "w_k": (d_k, d_hidden),
        "w_v": (d_hidden,),
    }
    return {name: rng.standard_normal(size).astype(dtype) for name, size in sizes.items()}


def _tiny(dtype=np.float64):
    """One query of width 2, two keys of width 3."""
    floating = dtype if np.dtype(dtype).kind == "f" else np.float64
    return {
        "q": np.array([[1, 2]], dtype),
        "k": np.array([[1, 0, 0], [0, 1, 1]], dtype),
        "w_q": np.array([[0.5, 0.0], [0.0, 0.25]], floating),
        "w_k": np.array([[0.5, 0.0], [0.0, 0.5], [1.0, -1.0]], floating),
        "w_v": np.array([2.0, 1.0], floating),
    }


def _far_out(size):
    """Sums so large that each unit is 1 or -1: the scores are 3, 1, -1 or -3."""
    return _tiny() | {
        "q": np.array([[size, size], [0.0, 0.0]]),
        "k": np.array([[1.0, 0.0, 0.0], [-3 * size, size, size]]),
    }


TYPED = "the exponentials of a large sum overflow, and ∞/∞ is NaN; np.tanh has no such limit."

additive_scores = Write(
    name="additive.additive_scores",
    title="The additive score",
    level="medium",
    minutes=10,
    solution_of=solutions.additive_scores,
    hints=(
        "Project both sides first: `q @ w_q` is (..., n_q, d_hidden), `k @ w_k` is "
        "(..., n_k, d_hidden).",
        "Each query has to meet each key: give the queries a new axis for the keys, "
        "`[..., :, None, :]`, and the keys one for the queries.",
        "The sum has the shape (..., n_q, n_k, d_hidden). `@ w_v` adds up its last axis.",
    ),
    explanation=(
        "The two new axes make every query meet every key, and broadcasting does the rest. The "
        "tanh stands after the sum and before w_v: there the query can change what a key counts."
    ),
    misconceptions=(
        Misconception(
            wrong.scorer(lambda a, b, w_v: np.tanh(a + b + 1) @ w_v),
            "a constant is added before the tanh; this score has no bias.",
        ),
        Misconception(
            wrong.scorer(lambda a, b, w_v: np.tanh(a + b) @ w_v + 1),
            "a constant is added to the score; this score has no bias.",
        ),
        Misconception(
            wrong.scorer(lambda a, b, w_v: np.exp(a + b) @ w_v),
            "this bends with exp; the score wants np.tanh.",
        ),
        Misconception(
            wrong.scorer(lambda a, b, w_v: np.sin(a + b) @ w_v),
            "this bends with the sine; the score wants np.tanh.",
        ),
        Misconception(
            wrong.scorer(lambda a, b, w_v: -(np.tanh(a + b) @ w_v)),
            "the sign is turned: w_v is added up as it is.",
        ),
        Misconception(
            lambda q, k, w_q, w_k, w_v: wrong.right(q, k, w_q, w_q, w_v),
            "w_q serves both sides; the keys have a matrix of their own, w_k.",
        ),
        Misconception(
            lambda q, k, w_q, w_k, w_v: wrong.right(q, k, w_k, w_k, w_v),
            "w_k serves both sides; the queries have a matrix of their own, w_q.",
        ),
        Misconception(
            wrong.no_tanh,
            "the tanh is missing: the query adds one number to its whole row, and softmax drops "
            "it.",
        ),
        Misconception(
            wrong.bent_apart,
            "each side is bent before they meet: the query still adds one number to its whole "
            "row. Add first.",
        ),
        Misconception(
            wrong.tanh_last,
            "the tanh stands after w_v; it belongs to each hidden unit, before they are added up.",
        ),
        Misconception(wrong.product, "query and key are multiplied; in this score they are added."),
        Misconception(
            wrong.difference, "the key is subtracted; in this score query and key are added."
        ),
        Misconception(
            wrong.query_forgotten, "the query is left out: the scores are those of the keys alone."
        ),
        Misconception(
            wrong.w_v_forgotten, "w_v is left out: the hidden units are added up with weight 1."
        ),
        Misconception(
            wrong.w_v_inside, "w_v stands inside the tanh; it weights what comes out of it."
        ),
        Misconception(
            wrong.mean_for_sum, "this is the mean over the hidden units; a score is their sum."
        ),
        Misconception(
            wrong.scaled, "the score is divided by √d_hidden; the additive score has no scale."
        ),
        Misconception(
            wrong.scaled_inside,
            "the sums are divided by √d_hidden; the additive score has no scale.",
        ),
        Misconception(
            wrong.sigmoid, "this bends with the sigmoid, between 0 and 1; the score wants np.tanh."
        ),
        Misconception(wrong.relu, "this bends with max(0, x); the score wants np.tanh."),
        Misconception(wrong.typed_tanh, TYPED),
        Misconception(wrong.typed_with_one_sign, TYPED),
        Misconception(wrong.typed_with_both_signs, TYPED),
        Misconception(
            lambda *inputs: softmax(wrong.right(*inputs)),
            "these are weights; a score is what goes into the softmax.",
        ),
        Misconception(
            wrong.transposed, "the scores are transposed: rows are queries, columns are keys."
        ),
        Misconception(
            wrong.by_number, "query i meets key i only; every query is scored against every key."
        ),
        Misconception(wrong.parameters_swapped, "w_q belongs to the queries and w_k to the keys."),
        *(
            Misconception(
                known,
                "this works without batch axes only: with `[..., :, None, :]` and "
                "`[..., None, :, :]` both sides count their axes from the back.",
            )
            for known in wrong.WITHOUT_BATCH
        ),
        *(
            Misconception(
                known,
                "this works with one batch axis only: `[:, :, None]` counts axes from the front; "
                "`[..., :, None, :]` counts from the back.",
            )
            for known in wrong.ONE_BATCH_AXIS
        ),
        Misconception(
            lambda *inputs: np.squeeze(wrong.right(*inputs)),
            "squeeze drops every axis of size 1, that of a single query or key too.",
        ),
        Misconception(
            wrong.not_added_up,
            "the hidden units are not added up: a score is one number for each pair.",
        ),
        Misconception(
            wrong.tanh_of_w_v, "the tanh is taken of w_v; it belongs to each hidden unit."
        ),
        Misconception(
            wrong.tanh_twice, "there is a second tanh after w_v; the score has one, before it."
        ),
        Misconception(
            wrong.key_forgotten,
            "the key is left out: every key of a query gets the same score.",
        ),
        *(
            Misconception(
                known, "query and key are multiplied; in this score they are added, unit by unit."
            )
            for known in (wrong.dot_of_units, wrong.dot_of_sums, wrong.tanh_of_dot)
        ),
        Misconception(
            wrong.an_axis_left,
            "one axis too many is left, of size 1: a score is one number for each pair.",
        ),
        Misconception(
            wrong.double, "the result is float64 whatever came in; keep the caller's float type."
        ),
    ),
    notice=(
        "No width of a query or key is left in the result, and none need agree. What it costs is "
        "the array in the middle, n_q · n_k · d_hidden numbers."
    ),
    cases=(
        case(**_tiny()),
        case(**_random(1, 1, 1, 1, 1)),
        case(**_random(2, 1, 3, 2, 4)),
        case(**_random(3, 3, 2, 2, 2)),
        case(**_random(3, 5, 4, 2, 6)),
        case(**_random(3, 4, 5, 2, 7, batch=(2,))),
        case(**_random(4, 3, 2, 6, 5, batch=(2, 3))),
        case(**_random(3, 3, 3, 3, 3, batch=(3,))),
        case(**_random(2, 3, 4, 5, 1, batch=(1,))),
        case(**_random(2, 3, 4, 5, 3, batch=(2, 1, 3))),
        case(**_random(2, 3, 4, 5, 6, dtype=np.float32)),
        stress(**_tiny(np.float16)),
        stress(**_tiny(np.int8)),
        stress(**_tiny() | {"q": np.array([[1, 2]]), "k": np.array([[1, 0, 0], [0, 1, 1]])}),
        stress(**_far_out(1e4)),
        stress(**_far_out(-1e300)),
        stress(**_tiny() | {"k": np.array([[1.0, 0.0, 0.0], [np.nan, 1.0, 1.0]])}),
        stress(**_tiny() | {"q": np.array([[np.inf, 1.0]])}),
        stress(**_random(2, 3, 2, 3, 400)),
    ),
)
