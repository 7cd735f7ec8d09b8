"""What a library answers is put into the right words."""

import warnings

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend

from attnbook import reference, semantics

HALF_EMPTY = torch.tensor([[True, True, False], [False, False, False]])[None, None]
QUESTION = semantics.even(2, 3) | {"mask": HALF_EMPTY}
IN_WORDS = {
    "zeros": [0.0, 0.0, 0.0],
    "NaN": [np.nan, np.nan, np.nan],
    "partly NaN": [0.5, 0.5, np.nan],
    "sees 0 2": [0.5, 0.0, 0.5],
    "sees 1": [0.0, 1.0, 0.0],
    "sees 0 1 2": [1 / 3, 1 / 3, 1 / 3],
    "uneven": [0.6, 0.4, 0.0],
}


@pytest.mark.parametrize("words", IN_WORDS)
def test_a_row_is_put_into_words(words):
    assert semantics.in_words(np.array(IN_WORDS[words])) == words


def test_a_row_that_does_not_sum_to_one_is_uneven():
    assert semantics.in_words(np.array([0.25, 0.25, 0.0])) == "uneven"


def test_rounding_to_float16_does_not_make_a_row_uneven():
    assert semantics.in_words(np.full(3, float(np.float16(1 / 3)))) == "sees 0 1 2"
    assert semantics.in_words(np.array([0.51, 0.49, 0.0])) == "uneven"


def test_a_warning_is_no_answer():
    def slow(q, k, v, mask):
        warnings.warn("slow", stacklevel=1)
        return v

    assert semantics.answer(slow, 1, QUESTION) == "sees 1"


def test_an_error_is_an_answer():
    assert semantics.answer(lambda q, k, v: q, 0, QUESTION) == "TypeError"
    assert semantics.answer(lambda q, k, v, mask: q.reshape(7), 0, QUESTION) == "RuntimeError"


def test_the_row_asked_for_is_the_row_put_into_words():
    assert semantics.answer(semantics.our_module, 0, QUESTION) == "sees 0 1"
    assert semantics.answer(semantics.our_module, 1, QUESTION) == "zeros"


@pytest.mark.parametrize("need_weights", [True, False])
def test_the_layer_gets_the_mask_in_its_own_polarity(need_weights):
    assert semantics.answer(semantics.multihead(need_weights), 0, QUESTION) == "sees 0 1"


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_definition_module_and_flex_agree_on_a_random_question():
    torch.manual_seed(0)
    q, k, v = torch.randn(1, 1, 3, 4), torch.randn(1, 1, 5, 4), torch.randn(1, 1, 5, 6)
    question = {"q": q, "k": k, "v": v, "mask": torch.rand(1, 1, 3, 5) < 0.5}
    want = semantics.numpy_reference(**question)
    for library in (semantics.our_module, semantics.flex):
        np.testing.assert_allclose(library(**question), want, rtol=1e-5, atol=1e-6)


LIBRARIES = {
    "sdpa": semantics.sdpa(SDPBackend.MATH),
    "multihead with weights": semantics.multihead(True),
    "multihead": semantics.multihead(False),
    "flex": semantics.flex,
}
MASKS = {
    "mask": torch.tensor([[1, 0, 1, 0, 0], [0, 1, 1, 0, 1], [1, 1, 1, 1, 1]], dtype=torch.bool),
    "bias": torch.linspace(-2, 2, 15).reshape(3, 5),
    None: None,
}


@pytest.mark.parametrize("name", LIBRARIES)
@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_every_library_is_asked_the_same(name, kind):
    torch.manual_seed(0)
    q, k, v = torch.randn(1, 1, 3, 4), torch.randn(1, 1, 5, 4), torch.randn(1, 1, 5, 4)
    given = None if kind is None else MASKS[kind][None, None]
    named = {} if kind is None else {kind: given.numpy()}
    want = reference.scaled_dot_product_attention(q.numpy(), k.numpy(), v.numpy(), **named)
    out = LIBRARIES[name](q, k, v, given).detach().reshape(want.shape)
    np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-6)


def test_options_reach_the_library():
    causal = semantics.even(2) | {"is_causal": True}
    assert semantics.answer(LIBRARIES["sdpa"], 0, causal) == "sees 0"
    assert semantics.answer(LIBRARIES["multihead"], 0, causal) == "RuntimeError"  # wants a mask too


def test_the_layer_answers_otherwise_with_weights():
    assert semantics.answer(LIBRARIES["multihead with weights"], 1, QUESTION) == "NaN"
    assert semantics.answer(LIBRARIES["multihead"], 1, QUESTION) == "zeros"


def test_a_moved_question_is_in_float16_but_for_its_mask():
    moved = semantics.moved(QUESTION | {"is_causal": True}, "meta")
    assert moved.pop("is_causal") is True
    assert all(x.is_meta for x in moved.values())
    assert moved["mask"].dtype == torch.bool
    assert all(moved[name].dtype == torch.float16 for name in "qkv")


NAN_KEY = semantics.even(2, 3) | {"mask": HALF_EMPTY}
NAN_KEY["k"][..., 2, :] = torch.nan  # hidden from both queries


def test_a_gradient_is_finite_or_not():
    ours, with_weights = semantics.our_module, LIBRARIES["multihead with weights"]
    assert semantics.gradients(ours, 0, QUESTION) == "finite"
    assert semantics.gradients(ours, 0, NAN_KEY) == "finite"
    all_three = "NaN in q k v"  # from a row that nobody reads
    assert semantics.gradients(with_weights, 0, QUESTION) == all_three
    assert semantics.gradients(LIBRARIES["sdpa"], 0, QUESTION) == "finite"
    assert semantics.gradients(LIBRARIES["sdpa"], 0, NAN_KEY) == all_three
    assert semantics.gradients(LIBRARIES["sdpa"], 0, with_nan("v")) == "NaN in q k"
    assert not any(x.requires_grad for x in QUESTION.values()), "the question is as it was"


def test_what_has_no_gradient_is_an_answer():
    assert semantics.gradients(semantics.flex, 0, QUESTION) == "NotImplementedError"  # on a CPU
    assert semantics.gradients(lambda q, k, v, mask: v.detach(), 0, QUESTION) == "RuntimeError"


def test_an_answer_has_lines_and_a_colour():
    table = {
        "good": ["zeros", "finite", "sees 0 1 2"],
        "bad": ["NaN", "NaN in q k", "sees 0 1 2 3"],
        "fair": ["sees 0", "sees 1 2 3", "sees 0 1"],
        "plain": ["TypeError", "RuntimeError", "AssertionError"],
    }
    cells, colors = semantics.judged(table)
    assert cells[1:] == [
        ["NaN", "NaN\nin q k", "sees\n0 1 2 3"],
        ["sees\n0", "sees\n1 2 3", "sees\n0 1"],
        ["refuses"] * 3,
    ]
    for verdict, row in zip(table, cells, strict=True):
        assert {colors[word] for word in row} == {verdict}
    assert semantics.judged({"slip": ["uneven"]}) == ([["uneven"]], {"uneven": "bad"})


def test_the_profiler_sees_which_program_computes():
    assert semantics.routes() == [
        ("our module", "", "the formula, with guards"),
        ("the layer", "with weights", "a softmax of its own"),
        ("the layer", "without weights", "SDPA"),
        ("the layer", "in evaluation", "the fast path"),
        ("SDPA", "", "MATH, step by step"),
        ("SDPA", "", "FLASH, block by block"),
        ("FlexAttention", "", "your function, on scores"),
        ("JAX", "", "XLA"),
    ]


EMPTY = torch.tensor([[True, True, False, False], [False] * 4])[None, None]
SEEN = torch.tensor([True, True, True, False]).expand(1, 1, 2, 4)
LATE = torch.tensor([False, True, True, True]).expand(1, 1, 4, 4)


def with_nan(name):
    question = semantics.even(2) | {"mask": SEEN}
    question[name][..., 3, :] = torch.nan
    return question


ASKED_OF_JAX = {  # the row, and the question, as the chapter asks it
    "empty row": (1, semantics.even(2) | {"mask": EMPTY}),
    "NaN in k": (0, with_nan("k")),
    "NaN in v": (0, with_nan("v")),
    "−∞ for hidden": (1, semantics.even(2) | {"mask": torch.where(EMPTY, 0.0, -torch.inf)}),
    "−1e9 for hidden": (1, semantics.even(2) | {"mask": torch.where(EMPTY, 0.0, -1e9)}),
    "1.0 and 0.0": (0, semantics.even(2) | {"mask": EMPTY.float()}),
    "is_causal": (0, semantics.even(2) | {"is_causal": True}),
    "is_causal + mask": (1, semantics.even(4) | {"mask": LATE, "is_causal": True}),
}


def gradients_in_jax(question):
    """What `semantics.gradients` says, by JAX's own differentiation."""
    import jax

    mask = question["mask"].numpy()

    def first_row(qkv):
        return jax.nn.dot_product_attention(*qkv, mask=mask)[0, 0].sum()

    qkv = [question[name].movedim(1, 2).numpy() for name in "qkv"]
    slopes = zip("qkv", jax.grad(first_row)(qkv), strict=True)
    spoilt = [name for name, x in slopes if not np.isfinite(np.asarray(x)).all()]
    return " ".join(["NaN in", *spoilt]) if spoilt else "finite"


def test_jax_answers_as_recorded():
    pytest.importorskip("jax", reason="this machine has no JAX")
    for title, (row, question) in ASKED_OF_JAX.items():
        assert semantics.answer(semantics.jax, row, question) == semantics.JAX[title], title
    for title in ("empty row", "NaN in k", "NaN in v"):
        _, question = ASKED_OF_JAX[title]
        assert gradients_in_jax(question) == semantics.JAX[f"{title}, back"], title


def test_a_record_has_an_answer_to_each_question():
    asked = {*ASKED_OF_JAX, *(f"{t}, back" for t in ("empty row", "NaN in k", "NaN in v"))}
    assert set(semantics.JAX) == asked
