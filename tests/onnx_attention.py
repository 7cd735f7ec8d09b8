"""The operator `Attention` of ONNX (opset 23 to 25), said in this package's functions.

Attention itself is four of them in a row. The rest is what the operator wraps around it: heads
packed into the last axis, keys and values from earlier steps, grouped heads, and one input that is
a mask or a bias according to its dtype.
"""

import numpy as np

from attnbook import reference
from attnbook.masks import causal_mask, padding_mask, sliding_window_mask


def attention(inputs, attributes, functions=reference):
    """The operator's outputs by name, from its inputs by name, through `functions` of arrays."""
    dtype = inputs["Q"].dtype
    inputs = {name: _in_numpy(x) for name, x in inputs.items()}
    sides = (("Q", "q"), ("K", "kv"), ("V", "kv"))
    q, *new = (_by_head(functions, inputs[x], attributes.get(f"{h}_num_heads")) for x, h in sides)
    present = [_after_past(inputs, *pair) for pair in zip(("key", "value"), new, strict=True)]
    k, v = (functions.repeat_heads(x, q.shape[1] // x.shape[1]) for x in present)
    mask, bias = _mask_and_bias(inputs, attributes, q.shape[2], k.shape[2])

    scores = functions.dot_product_scores(q, k, attributes.get("scale"))
    cap = attributes.get("softcap")
    capped = functions.softcap(scores, cap) if cap else scores
    weights = functions.softmax(capped + bias, mask)
    out = functions.weighted_sum(weights, v)

    stages = scores, capped, np.where(mask, capped + bias, -np.inf), weights
    outputs = {
        "Y": out if inputs["Q"].ndim == 4 else functions.merge_heads(out),
        "present_key": present[0],
        "present_value": present[1],
        "qk_matmul_output": stages[attributes.get("qk_matmul_output_mode", 0)],
    }
    return {name: x.astype(dtype) for name, x in outputs.items()}


def _in_numpy(x):
    """bfloat16 is not one of NumPy's own dtypes; float32 holds all of its numbers."""
    return x.astype(np.float32) if x.dtype.name == "bfloat16" else x


def _by_head(functions, x, n_heads):
    """(batch, heads, positions, width): four axes come so, three have the heads side by side."""
    return x if x.ndim == 4 else functions.split_heads(x, n_heads)


def _after_past(inputs, role, new):
    """The keys or values of this step, after those of earlier steps."""
    past = inputs.get(f"past_{role}", new[:, :, :0])
    return np.concatenate([past, new], axis=2)


def _mask_and_bias(inputs, attributes, n_q, n_k):
    """All that hides a key, as one mask, and all that is added to the scores."""
    given = inputs.get("attn_mask", np.ones(n_k, bool))
    hidden = False if given.dtype == bool else -np.inf
    missing = [(0, 0)] * (given.ndim - 1) + [(0, n_k - given.shape[-1])]
    given = np.pad(given, missing, constant_values=hidden)
    mask, bias = (given, 0) if given.dtype == bool else (given > -np.inf, given)
    for other in _positional_masks(inputs, attributes, n_q, n_k):
        mask = mask & other
    return mask, bias


def _positional_masks(inputs, attributes, n_q, n_k):
    lengths = inputs.get("nonpad_kv_seqlen")
    past = inputs["past_key"].shape[2] if "past_key" in inputs else 0
    ends = [past + n_q] if lengths is None else lengths
    if lengths is not None:
        yield padding_mask(lengths, n_k)[:, None]
    if attributes.get("is_causal"):
        yield _placed(causal_mask, n_q, n_k, ends)
    sides = [attributes.get(f"{side}_window_size", -1) for side in ("left", "right")]
    if max(sides) >= 0:
        reach = [n_q + n_k + past if side < 0 else side for side in sides]
        yield _placed(sliding_window_mask, n_q, n_k, ends, *reach)


def _placed(mask, n_q, n_k, ends, *window):
    """One mask per sequence, the last query at key `end - 1` where ours has it at the last key."""
    masks = []
    for end in ends:
        beyond = max(n_k - end, 0)
        masks.append(mask(n_q + beyond, end + beyond, *window)[:n_q, :n_k])
    return np.stack(masks)[:, None]
