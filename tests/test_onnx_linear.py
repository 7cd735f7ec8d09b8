"""ONNX's cases of `LinearAttention`, `Softmax` and `ReduceLogSumExp`, which nobody here wrote."""

from importlib import import_module

import numpy as np
import onnx
import pytest
from onnx.backend.test.case.node import _NodeTestCases as collected
from onnx_linear import linear_attention, reduce_log_sum_exp, softmax_over

from attnbook import linear

# Importing one operator's module builds its cases; one of them takes the logarithm of 0.
with np.errstate(divide="ignore"):
    for operator in ("linear_attention", "softmax", "reduce_log_sum_exp"):
        import_module(f"onnx.backend.test.case.node.{operator}")

ADAPTERS = {
    "LinearAttention": linear_attention,
    "Softmax": softmax_over,
    "ReduceLogSumExp": reduce_log_sum_exp,
}
CASES = {
    case.name: case
    for case in collected
    if case.model.graph.node[0].op_type in ADAPTERS and "_expanded" not in case.name
}
FORMS = {
    "recurrent": lambda *a: linear.recurrent(*a),
    "parallel": lambda *a: linear.parallel(*a),
    "chunked": lambda *a: linear.chunked(*a, chunk=3),
}


def named(operator):
    return [n for n, case in CASES.items() if case.model.graph.node[0].op_type == operator]


def assert_agrees(name, **more):
    """Every output of a case, compared.

    Both are computed in float32 at least, and rounded to the case's dtype. Sums of at most 8
    products differ by some eps of the largest output. The largest difference seen is 2.2 eps of
    it; 8 leaves room for another order of summation.
    """
    case = CASES[name]
    node = case.model.graph.node[0]
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    given, expected = case.data_sets[0]
    inputs = dict(zip(filter(None, node.input), given, strict=True))
    outputs = ADAPTERS[node.op_type](inputs, attributes, **more)
    for output, array in zip(node.output, expected, strict=True):
        assert outputs[output].dtype == array.dtype and outputs[output].shape == array.shape
        finite = np.abs(array[np.isfinite(array)])
        tolerance = 8 * np.finfo(array.dtype).eps * max(1, finite.max(initial=0))
        np.testing.assert_allclose(outputs[output], array, rtol=0, atol=tolerance)


def test_there_are_14_and_7_and_9_cases():
    assert [len(named(operator)) for operator in ADAPTERS] == [14, 7, 9]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("name", named("LinearAttention"))
def test_a_case_of_linear_attention(name, form):
    assert_agrees(name, form=form)


@pytest.mark.parametrize("name", named("Softmax") + named("ReduceLogSumExp"))
def test_a_case_of_softmax_or_its_denominator(name):
    assert_agrees(name)


def test_the_cases_cover_every_rule_groups_and_a_state():
    attributes = {
        (a.name, onnx.helper.get_attribute_value(a))
        for name in named("LinearAttention")
        for a in CASES[name].model.graph.node[0].attribute
    }
    inputs = {n for name in named("LinearAttention") for n in CASES[name].model.graph.node[0].input}
    rules = {value for name, value in attributes if name == "update_rule"}
    assert rules == {b"linear", b"gated", b"delta"}  # the default is both, gated and delta
    assert {("kv_num_heads", 1), ("kv_num_heads", 4), ("q_num_heads", 8)} < attributes
    assert {"past_state", "decay", "beta"} < inputs


def without_rule(q, k, v, log_decay, beta, *rest):
    return linear.recurrent(q, k, v, None, None, *rest)


def without_scale(q, k, v, log_decay, beta, state, scale):
    return linear.recurrent(q, k, v, log_decay, beta, state)


def from_zeros(q, k, v, log_decay, beta, state, scale):
    return linear.recurrent(q, k, v, log_decay, beta, None, scale)


def tiled(q, k, v, *rest):
    k, v = (np.concatenate([x[:, ::2], x[:, ::2]], axis=1) for x in (k, v))
    return linear.recurrent(q, k, v, *rest)


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        (without_rule, "gated"),
        (without_rule, "delta"),
        (without_scale, "linear"),
        (without_scale, "explicit_scale"),
        (from_zeros, "decode_step"),
        (tiled, "gated_delta_gqa"),
    ],
)
def test_a_wrong_version_is_rejected(wrong, name):
    with pytest.raises(AssertionError):
        assert_agrees(f"test_linear_attention_{name}", form=wrong)
