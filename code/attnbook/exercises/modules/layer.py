"""PyTorch's layer, written from its two matrices."""

import numpy as np

from attnbook.exercises.engine.tensors import differentiated_if_floats
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.modules.known_layer import KNOWN
from attnbook.exercises.solutions import modules as solutions

_rng = np.random.default_rng(7)


def _sizes(n, d_model, n_heads, batch=(1,), mask=None, dtype=np.float64, size=1.0):
    shapes = {
        "x": (*batch, n, d_model),
        "in_proj_weight": (3 * d_model, d_model),
        "out_proj_weight": (d_model, d_model),
    }
    arrays = {name: _rng.standard_normal(shape).astype(dtype) for name, shape in shapes.items()}
    arrays["x"] = arrays["x"] * dtype(size)
    return arrays | {"n_heads": n_heads, "mask": mask}


def _opposite(size):
    """Each query scores its own key far below 0, and the others 0."""
    one = np.eye(2)
    return {
        "x": size * one[None],
        "in_proj_weight": np.concatenate([one, -one, one]),
        "out_proj_weight": one,
        "n_heads": 1,
        "mask": _triangle(2),
    }


def _triangle(n):
    return np.tri(n, dtype=bool)


def _some(*shape):
    mask = _rng.random(shape) < 0.5
    mask[..., 0, :] = False
    return mask


self_attention = Write(
    name="modules.self_attention",
    title="PyTorch's layer from its matrices",
    level="hard",
    minutes=15,
    solution_of=solutions.self_attention,
    through=differentiated_if_floats,
    hints=(
        "Five steps: project, cut into q, k and v, split into heads, attend, merge and project. "
        "In `attnbook.pytorch` are split_heads, scaled_dot_product_attention and merge_heads.",
        "A layer of PyTorch keeps its matrix transposed: it computes x @ weight.T.",
        "`(x @ in_proj_weight.T).chunk(3, dim=-1)` gives q, k and v, which are still to be split.",
        "The scores have the shape (batch, n_heads, n, n). A mask for each sequence needs an axis "
        "of length 1 for the heads: mask[..., None, :, :].",
    ),
    explanation=(
        "`x @ in_proj_weight.T` has the queries, keys and values of all heads; `chunk` and "
        "`split_heads` take them apart. The package's attention takes care of scale, mask and "
        "empty rows, with the heads as one more batch axis. `mask[..., None, :, :]` gives all "
        "heads the same mask."
    ),
    misconceptions=KNOWN,
    notice=(
        "You can now run the matrices of any of PyTorch's layers that was saved without biases, "
        "and without the layer."
    ),
    cases=(
        case(**_sizes(1, 2, 1)),
        case(**_sizes(2, 2, 1)),
        case(**_sizes(3, 4, 2)),
        case(**_sizes(3, 4, 2, mask=_triangle(3))),
        case(
            **_sizes(2, 4, 2, batch=(2,), mask=np.array([[[1, 0], [1, 1]], [[0, 1], [1, 1]]], bool))
        ),
        case(**_sizes(4, 4, 4, batch=(2, 3), mask=_triangle(4))),
        case(**_sizes(3, 6, 2, batch=())),
        case(**_sizes(3, 6, 2, batch=(), mask=_triangle(3))),
        stress(**_sizes(5, 6, 3, batch=(2,), mask=_some(2, 5, 5))),
        stress(**_sizes(4, 8, 2, batch=(3,), mask=_some(4, 4))),
        stress(**_sizes(3, 9, 3, batch=(3,), mask=_some(3, 3, 3))),
        stress(**_sizes(2, 6, 3, batch=(2, 3), mask=_some(2, 3, 2, 2))),
        stress(**_sizes(3, 4, 2, mask=_triangle(3), size=30.0)),
        stress(**_opposite(2e2)),
        stress(**_opposite(1e5)),
        stress(**_sizes(4, 6, 3, batch=(2,), mask=_triangle(4), dtype=np.float32)),
        stress(**_sizes(3, 4, 2, batch=(2,), mask=np.zeros((3, 3), bool))),
    ),
)
