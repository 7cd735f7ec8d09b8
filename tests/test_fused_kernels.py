"""What `attnbook.fused` hands to the kernels has the answer of the reference: interpreted, here."""

import numpy as np
import pytest
import torch
from fused_cases import Case, assert_answers, cases, options_of
from hypothesis import given, settings

import attnbook.kernels  # noqa: F401  before a compiler imports triton, so that it interprets
from attnbook.fused import dispatch, implementations

pytestmark = pytest.mark.filterwarnings("ignore::attnbook.fused.SlowAttentionWarning")
examples = settings(max_examples=25, derandomize=True, deadline=None, database=None)


def by_the_first(q, k, v, **named):
    """As `attention` does on a GPU, where the kernels refuse nothing but rules and masks."""
    return dispatch._by_the_first(q, k, v, options_of(q, k, **named))


def widened(case):
    """The case with zeros behind its rows, 16 wide, and the scale of the width before."""
    arrays = [np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, 16 - x.shape[-1])]) for x in case.arrays]
    scale = case.options["scale"]
    scale = case.arrays[0].shape[-1] ** -0.5 if scale is None else scale
    return Case(tuple(arrays), case.options | {"scale": scale}, case.dtype, case.layout)


@examples
@given(cases(dtypes=[torch.float32]))
def test_every_combination_of_options_has_the_answer_of_the_reference(case):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(implementations, "no_kernel", lambda q, k, v: None)
        assert_answers(by_the_first, widened(case))
