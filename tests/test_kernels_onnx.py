"""The 93 cases of ONNX's operator `Attention` through the kernel.

Its heads have 8 features, our narrowest kernel 16: zeros are added, which change no product. A mask
that is causal, or a padding, is said so to the kernel; any other is a bias of -inf. 18 cases ask
for the scores too, which the kernel never writes; of these the other outputs are compared.
"""

import numpy as np
import onnx
import pytest
import torch
from onnx_attention import _after_past, _by_head, _in_numpy, _mask_and_bias
from test_onnx import CASES, assert_equal_but_for_rounding

from attnbook import masks, reference
from attnbook.kernels import flash_attention

WIDTH = 16


def seen_as(mask, n_q, n_k):
    """The options that say a mask to the kernel, and whether they say all of it."""
    mask = np.broadcast_to(mask, (*mask.shape[:-2], n_q, n_k))
    if mask.all():
        return {}, True
    if (mask == masks.causal_mask(n_q, n_k)).all():
        return {"causal": True}, True
    lens = mask.reshape(len(mask), -1, n_k)[:, 0].sum(-1) if mask.ndim == 4 else None
    if lens is not None and (mask == masks.padding_mask(lens, n_k)[:, None]).all():
        return {"valid_lens": torch.from_numpy(lens)}, True
    return {}, False


def attention(inputs, attributes):
    """The outputs Y, present_key and present_value, by name."""
    dtype = inputs["Q"].dtype
    inputs = {name: _in_numpy(x) for name, x in inputs.items()}
    sides = (("Q", "q"), ("K", "kv"), ("V", "kv"))
    q, *new = (_by_head(reference, inputs[x], attributes.get(f"{h}_num_heads")) for x, h in sides)
    present = [_after_past(inputs, *pair) for pair in zip(("key", "value"), new, strict=True)]
    n_q, n_k, width = q.shape[2], present[0].shape[2], present[1].shape[3]
    mask, bias = _mask_and_bias(inputs, attributes, n_q, n_k)
    options, said = seen_as(np.asarray(mask), n_q, n_k)
    if len(options.get("valid_lens", [0] * len(q))) != len(q):
        options, said = {}, False
    if not said or np.any(bias):
        hidden = np.where(mask, np.where(mask, bias, 0), -np.inf)
        shape = np.broadcast_shapes(hidden.shape, (n_q, n_k))
        options = {"bias": torch.from_numpy(np.broadcast_to(hidden, shape).astype(np.float32))}
    padded = [torch.from_numpy(_wide(x)) for x in (q, *present)]
    scale = attributes.get("scale") or q.shape[3] ** -0.5
    out = flash_attention(
        *padded, scale=scale, softcap=attributes.get("softcap") or None, **options
    )
    out = out.numpy()[..., :width]
    y = out if inputs["Q"].ndim == 4 else reference.merge_heads(out)
    outputs = {"Y": y, "present_key": present[0], "present_value": present[1]}
    return {name: x.astype(dtype) for name, x in outputs.items()}, set(options)


def _wide(x):
    return np.pad(x, [(0, 0)] * 3 + [(0, WIDTH - x.shape[-1])])


def compared(case):
    """Compare a case; returns the options it was said in, and the outputs that were compared."""
    node = case.model.graph.node[0]
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    given, expected = case.data_sets[0]
    outputs, options = attention(
        dict(zip(filter(None, node.input), given, strict=True)), attributes
    )
    names = [name for name in node.output if name]
    for name, array in zip(names, expected, strict=True):
        if name in outputs:
            assert_equal_but_for_rounding(outputs[name], array, name)
    return options, {name for name in names if name in outputs}


@pytest.mark.parametrize("name", CASES)
def test_the_kernel_takes_the_case(name):
    assert "Y" in compared(CASES[name])[1]


def test_a_wrong_answer_is_noticed(monkeypatch):
    right = _wide
    monkeypatch.setitem(globals(), "_wide", lambda x: 1.01 * right(x))
    with pytest.raises(AssertionError):
        compared(CASES["test_attention_4d"])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("test_attention_4d_causal_with_past_and_present", {"causal"}),
        ("test_attention_4d_gqa_causal_nonpad_decode", {"valid_lens"}),
        ("test_attention_4d_attn_mask", {"bias"}),
        ("test_attention_4d", set()),
    ],
)
def test_it_is_said_to_the_kernel_in_each_way_that_it_has(name, said):
    assert compared(CASES[name])[0] == said
