"""From the gradient of the output to the gradient of the scores."""

import numpy as np

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import temperature as solutions
from attnbook.reference import softmax

_rng = np.random.default_rng(3)


def pulls(g, v):
    """g · v_l for every query and key."""
    return g @ np.swapaxes(v, -1, -2)


def no_output(g, weights, v):
    return weights * pulls(g, v)


def no_weights(g, weights, v):
    return pulls(g, v) - np.sum(weights * pulls(g, v), axis=-1, keepdims=True)


def minus_mean(g, weights, v):
    return weights * (pulls(g, v) - np.mean(pulls(g, v), axis=-1, keepdims=True))


def minus_plain_sum(g, weights, v):
    return weights * (pulls(g, v) - np.sum(pulls(g, v), axis=-1, keepdims=True))


def own_weight_only(g, weights, v):
    return weights * (1 - weights) * pulls(g, v)


def turned(g, weights, v):
    return -solutions.scores_gradient(g, weights, v)


def of_the_values(g, weights, v):
    return np.swapaxes(weights, -1, -2) @ g


def of_the_weights(g, weights, v):
    return pulls(g, v)


def over_the_queries(g, weights, v):
    return weights * (pulls(g, v) - np.sum(weights * pulls(g, v), axis=-2, keepdims=True))


def over_everything(g, weights, v):
    return weights * (pulls(g, v) - np.sum(weights * pulls(g, v)))


def output_added(g, weights, v):
    return weights * (pulls(g, v) + np.sum(weights * pulls(g, v), axis=-1, keepdims=True))


def without_keepdims(g, weights, v):
    return weights * (pulls(g, v) - np.sum(weights * pulls(g, v), axis=-1))


def product_for_g_out(g, weights, v):
    return weights * (pulls(g, v) - g @ (weights @ v))


def with_the_shape_of_v(g, weights, v):
    return weights * (g @ v.T - np.sum(g * (weights @ v), axis=-1, keepdims=True))


def weight_twice(g, weights, v):
    return weights * solutions.scores_gradient(g, weights, v)


def ignores_g(g, weights, v):
    return solutions.scores_gradient(np.ones_like(g), weights, v)


def _arrays(*batch, n_q, n_k, d_v, dtype=np.float64):
    g, scores, v = (
        _rng.standard_normal((*batch, *shape)).astype(dtype)
        for shape in ((n_q, d_v), (n_q, n_k), (n_k, d_v))
    )
    return {"g": g, "weights": softmax(scores), "v": v}


_WEIGHTS, _VALUES = np.array([[1.0, 3.0, 4.0]]) / 8, np.array([[0.0], [4.0], [8.0]])

scores_gradient = Write(
    name="temperature.scores_gradient",
    title="Back to the scores",
    level="medium",
    minutes=10,
    solution_of=solutions.scores_gradient,
    explanation=(
        "`g @ vᵀ` is the gradient by the weights, $g \\cdot v_l$ for every query and key. The "
        "Jacobian subtracts from it its own average under the weights, which is $g \\cdot "
        "\\text{out}$, and multiplies by the weight. The matrix J itself is never made."
    ),
    hints=(
        "For one query it is A_l (g·v_l - g·out). First compute g·v_l for every query and key, as "
        "one matrix product.",
        "g·out is the weighted average of the g·v_l, with the weights of the row.",
        "Sum over the keys, the last axis, with keepdims=True.",
    ),
    misconceptions=(
        Misconception(no_output, "g·out is missing: raising one score lowers all other weights."),
        Misconception(no_weights, "the factor A_l is missing: a key without weight cannot move."),
        Misconception(
            minus_mean, "the plain average is subtracted: g·out is the average under the weights."
        ),
        Misconception(
            minus_plain_sum, "the sum of all g·v_l is subtracted: weight them first, g·out."
        ),
        Misconception(
            own_weight_only,
            "A_l (1 - A_l) is the diagonal of J alone: the entries beside it are missing.",
        ),
        Misconception(turned, "the sign is turned: a score pulls the output towards its value."),
        Misconception(
            of_the_values, "that is the gradient by the values: the scores are asked for."
        ),
        Misconception(
            of_the_weights, "that is the gradient by the weights: go on through the softmax."
        ),
        Misconception(
            over_the_queries,
            "the average goes over the queries: each row has its own, over the keys, axis=-1.",
        ),
        Misconception(
            over_everything, "one sum serves all queries: each row has its own, keepdims=True."
        ),
        Misconception(
            output_added, "g·out is added: what counts is the distance of v_l from the output."
        ),
        Misconception(
            without_keepdims,
            "the sums lost their axis, and met the keys: keepdims=True gives each row its own.",
        ),
        Misconception(
            product_for_g_out,
            "g @ out is a matrix product; g·out is one number for each row: multiply, and sum over "
            "the last axis.",
        ),
        Misconception(
            with_the_shape_of_v,
            "v.T reverses every axis; on a stack of values only the last two may be swapped.",
        ),
        Misconception(weight_twice, "the weight A_l stands twice in front: once is enough."),
        Misconception(ignores_g, "g is not used: it says which way each output should move."),
    ),
    notice="Each row sums to 0. Attention's gradient on a GPU starts from these two lines.",
    cases=(
        case(g=np.array([[1.0]]), weights=_WEIGHTS, v=_VALUES),
        case(g=np.array([[-2.0]]), weights=_WEIGHTS, v=_VALUES),
        case(**_arrays(n_q=2, n_k=3, d_v=1)),
        case(**_arrays(n_q=3, n_k=4, d_v=2)),
        case(**_arrays(n_q=1, n_k=1, d_v=2)),
        case(**_arrays(2, n_q=3, n_k=4, d_v=5)),
        case(**_arrays(2, 3, n_q=2, n_k=4, d_v=3)),
        case(**_arrays(2, 1, 3, n_q=2, n_k=2, d_v=2)),
        stress(g=np.array([[1]]), weights=_WEIGHTS, v=np.array([[0], [4], [8]])),
        stress(g=np.ones((2, 1)), weights=np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]), v=_VALUES),
        stress(**_arrays(2, n_q=3, n_k=4, d_v=2, dtype=np.float32)),
    ),
)
