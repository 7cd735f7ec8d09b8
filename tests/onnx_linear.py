"""The operators `LinearAttention`, `Softmax` and `ReduceLogSumExp` of ONNX, said in this package.

What is left to say is where the operators have their axes: no formula stands here.
"""

import numpy as np

from attnbook import linear
from attnbook.reference import logsumexp, merge_heads, repeat_heads, softmax, split_heads


def linear_attention(inputs, attributes, form=linear.recurrent):
    """The operator's outputs by name, from its inputs by name; a head of keys serves several."""
    n_heads = attributes["kv_num_heads"]
    times = attributes["q_num_heads"] // n_heads
    q = split_heads(inputs["query"], attributes["q_num_heads"])
    names = "key", "value", "decay"
    k, v, decay = (_repeated(inputs[x], n_heads, times) if x in inputs else None for x in names)
    beta, past = inputs.get("beta"), inputs.get("past_state")
    if beta is not None and beta.shape[-1] == n_heads:
        beta = _repeated(beta, n_heads, times)[..., 0]
    elif beta is not None:
        beta = np.swapaxes(beta, 1, 2)  # one for all heads
    past = None if past is None else repeat_heads(past, times)
    out, state = form(q, k, v, decay, beta, past, attributes.get("scale") or None)
    return {"output": merge_heads(out), "present_state": state[:, ::times]}


def _repeated(x, n_heads, times):
    """(batch, steps, heads · width) → (batch, heads of queries, steps, width)."""
    return repeat_heads(split_heads(x, n_heads), times)


def softmax_over(inputs, attributes):
    axis = attributes.get("axis", -1)
    return {"y": np.moveaxis(softmax(np.moveaxis(inputs["x"], axis, -1)), -1, axis)}


def reduce_log_sum_exp(inputs, attributes):
    x = inputs["data"]
    axes = inputs["axes"] % x.ndim if inputs["axes"].size else np.arange(x.ndim)
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    rows = np.transpose(x, [*kept, *axes]).reshape(*(x.shape[axis] for axis in kept), -1)
    return {"reduced": _with_axes(logsumexp(rows), axes, attributes.get("keepdims", 1))}


def _with_axes(x, axes, keep):
    return np.expand_dims(x, tuple(axes)) if keep else x
