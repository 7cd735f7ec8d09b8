"""The 93 test cases of ONNX's operator `Attention`, which nobody here wrote."""

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx.backend.test.case.node import _NodeTestCases as collected
from onnx.backend.test.case.node import attention as _attention_cases  # noqa: F401  (fills it)
from onnx_attention import attention

# The public loader builds the cases of every operator: ten times slower, and with overflow warnings
# from `cast.py`. Importing one operator's module builds its own.
CASES = {
    case.name: case
    for case in collected
    if case.name.startswith("test_attention_") and "_expanded" not in case.name
}


def assert_agrees(case, **functions):
    """Every output of a case, compared."""
    node = case.model.graph.node[0]
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    given, expected = case.data_sets[0]
    inputs = dict(zip(filter(None, node.input), given, strict=True))
    outputs = attention(inputs, attributes, **functions)
    for name, array in zip(filter(None, node.output), expected, strict=True):
        assert_equal_but_for_rounding(outputs[name], array, name)


def assert_equal_but_for_rounding(actual, expected, name):
    """Both answers are computed in the case's dtype, and differ in the order of their roundings.

    Inputs lie in [0, 1) and keys have 8 features, so scores stay below 3 and out below 1. One unit
    in the last place of such a score is 2 eps, of such an output eps / 2; the largest differences
    seen are these, and we allow twice as much. Keys and values that pass through are equal.
    """
    assert actual.dtype == expected.dtype
    eps = 0 if name.startswith("present") else float(ml_dtypes.finfo(expected.dtype).eps)
    np.testing.assert_allclose(
        actual.astype(np.float64), expected.astype(np.float64), rtol=2 * eps, atol=2 * eps
    )


@pytest.mark.parametrize("name", CASES)
def test_onnx_case(name):
    assert_agrees(CASES[name])


def test_there_are_93_cases():
    assert len(CASES) == 93


def test_the_cases_cover_every_dtype_and_every_output():
    dtypes = {case.data_sets[0][0][0].dtype.name for case in CASES.values()}
    outputs = {name for case in CASES.values() for name in case.model.graph.node[0].output if name}
    assert dtypes == {"float16", "float32", "bfloat16"}
    assert outputs == {"Y", "present_key", "present_value", "qk_matmul_output"}
