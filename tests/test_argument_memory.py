"""What has fitted is remembered: for which kinds of call, how many of them, and in which thread."""

import inspect
import threading

import numpy as np
import pytest
import torch
from test_arguments import refusal

from attnbook import arguments, fused, gradients, linear, masks, online, pytorch, reference
from attnbook.operation import call_state

MASKS = [name for name in pytorch.__all__ if name.endswith("_mask") and hasattr(masks, name)]
BOTH = pytest.mark.parametrize("library", [reference, pytorch], ids=["numpy", "torch"])


def drawn(library, *shape):
    array = np.random.default_rng(0).normal(size=shape)
    return array if library is reference else torch.from_numpy(array)


@BOTH
def test_another_number_of_heads_is_another_kind_of_call(library):
    x, w = drawn(library, 2, 3, 8), drawn(library, 8, 8)
    mask = drawn(library, 2, 2, 3, 3) < 1
    library.multi_head_attention(x, x, x, w, w, w, w, 2, mask)
    with pytest.raises(TypeError, match="mask is bool"):
        library.multi_head_attention(x, x, x, w, w, w, w, 4, mask)


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [((2, 3, 4), {}, "too many positional arguments"), ((2, 3), {"n_k": 3}, "multiple values")],
)
def test_an_argument_too_many_is_refused_though_the_others_have_fitted(args, named, message):
    masks.causal_mask(2, 3)
    with pytest.raises(TypeError, match=message):
        masks.causal_mask(*args, **named)


def test_no_more_kinds_are_remembered_than_allowed(monkeypatch):
    looked, look = [], arguments.look
    monkeypatch.setattr(arguments, "look", lambda f, *rest: looked.append(f) or look(f, *rest))
    monkeypatch.setattr(arguments, "MOST_KINDS", 2)
    check = arguments.checker(reference.softmax.__wrapped__)
    for n in (1, 2, 3, 3, 1):  # the third kind takes the place of both before it
        check(np.ones(n))
    assert len(looked) == 4


def test_what_one_thread_is_inside_of_is_nothing_to_another():
    errors = []

    def wrong():
        try:
            reference.softmax("scores")
        except TypeError as error:
            errors.append(str(error))

    with call_state.inside(cast=True):
        thread = threading.Thread(target=wrong)
        thread.start()
        thread.join()
    assert errors and errors[0].startswith("softmax: scores is str 'scores'; expected")


def test_inside_is_left_as_it_was_entered():
    with call_state.inside(cast=False):
        with call_state.inside(cast=True):
            pass
        assert (call_state.checked, call_state.cast) == (True, False)
    assert (call_state.checked, call_state.cast) == (False, False)


def test_a_long_value_is_cut_and_an_empty_one_has_no_entries():
    assert arguments.describe("x" * 200) == "str '" + "x" * 79
    with pytest.raises(TypeError, match=r"k is float64 array of shape \(0,\); expected"):
        reference.dot_product_scores(np.ones((3, 4)), np.ones(0))


def test_a_shape_is_written_for_a_reader():
    with pytest.raises(TypeError, match=r"expected Bool\[array, '\*batch n_k'\] \| None where"):
        reference.softmax(np.ones((2, 3)), np.ones((2, 3)))


@BOTH
def test_no_width_at_all_is_no_error_where_a_scale_is_given(library):
    q, k = drawn(library, 2, 0), drawn(library, 3, 0)
    assert np.array_equal(library.dot_product_scores(q, k, scale=1), np.zeros((2, 3)))


def test_the_other_functions_without_width_need_a_scale_too():
    q, v = np.ones((3, 0)), np.ones((3, 2))
    calls = [
        lambda scale: gradients.dot_product_scores_backward(np.ones((3, 3)), q, q, scale),
        *(
            lambda scale, f=f: f(q, q, v, scale=scale)
            for f in (linear.recurrent, linear.parallel, linear.chunked, linear.bidirectional)
        ),
    ]
    for call in calls:
        call(1.0)
        with pytest.raises(ValueError, match="q has width d_k = 0; expected 1 or more"):
            call(None)


@pytest.mark.parametrize("kind", [np.ma.MaskedArray, np.matrix])
def test_an_array_of_another_kind_is_refused_wherever_it_comes_in(kind):
    x = np.ones((3, 4))
    for call in (
        lambda q: reference.gaussian_scores(q, x),
        lambda q: reference.scaled_dot_product_attention(x, x, v=q),
        lambda q: online.attention_tiled(q, x, x),
        lambda q: linear.recurrent(q, x, x),
        lambda q: reference.split_heads(q, 2),
        lambda q: masks.document_mask(np.arange(3), q[0].astype(int)),
    ):
        call(x)
        with pytest.raises(
            TypeError, match=rf" is a {kind.__name__} of shape .*; expected a plain array"
        ):
            call(x.view(kind))


def test_a_file_in_memory_is_an_array_as_any_other(tmp_path):
    x = np.memmap(tmp_path / "x", mode="w+", shape=(3, 4))
    assert reference.gaussian_scores(x, x).shape == (3, 3)


@pytest.mark.parametrize("library", [masks, pytorch], ids=["numpy", "torch"])
def test_a_window_beyond_all_keys_shows_them_all(library):
    for far in (10**30, np.uint64(2**64 - 1)):
        assert library.sliding_window_mask(2, 3, far, far).all()
        seen = library.sliding_window_mask(2, 3, far)
        assert (seen == library.causal_mask(2, 3)).all()


@pytest.mark.parametrize("name", MASKS)
def test_the_twin_of_a_mask_has_the_same_defaults(name):
    ours, twins = (inspect.signature(getattr(m, name)).parameters for m in (masks, pytorch))
    assert [(p.name, p.default) for p in ours.values()] == [
        (p.name, p.default) for p in twins.values() if p.name != "device"
    ]


@BOTH
def test_a_mask_for_each_sequence_is_for_all_its_heads_with_any_batch_axes(library):
    x, w = drawn(library, 2, 3, 5, 8), drawn(library, 8, 8)
    mask = drawn(library, 2, 3, 5, 5) < 0.5
    out = library.multi_head_attention(x, x, x, w, w, w, w, 2, mask)
    for i, j in np.ndindex(2, 3):
        one = library.multi_head_attention(*(3 * [x[i, j]]), w, w, w, w, 2, mask[i, j])
        np.testing.assert_allclose(out[i, j], one, rtol=1e-12, atol=1e-12)


@BOTH
def test_infinity_has_no_weight_and_a_nan_leaves_none_in_its_row(library):
    def weights(*row, shown=(True, True)):
        given = np.array(row), np.array(shown)
        given = given if library is reference else map(torch.from_numpy, given)
        return np.isnan(np.asarray(library.softmax(*given))).tolist()

    assert weights(1.0, np.inf) == [False, True]
    assert weights(1.0, np.nan) == [True, True]
    assert weights(1.0, np.nan, shown=(False, True)) == [False, True], "0 where it is hidden"


def test_a_bias_has_its_gradient():
    q, k, v, bias = (
        x.requires_grad_() for x in map(drawn, 4 * [pytorch], (3, 5, 5, 3), (4, 4, 6, 5))
    )
    mask = pytorch.causal_mask(3, 5)
    assert torch.autograd.gradcheck(
        lambda *x: pytorch.scaled_dot_product_attention(*x[:3], mask, x[3]), (q, k, v, bias)
    )


def test_a_device_without_numbers_is_refused_by_the_dispatcher():
    q = torch.empty(1, 2, 3, 4, device="meta")
    said = refusal(fused.attention, q, q, q, error=ValueError)
    assert said == "attention: q is on the device meta; expected tensors that have numbers"


@pytest.mark.parametrize("place", range(3), ids="qkv")
def test_a_layer_of_another_dtype_is_refused_in_a_sentence(place):
    layer, given = pytorch.MultiHeadAttention(4, 2), [torch.ones(1, 3, 4) for _ in range(3)]
    given[place] = given[place].double()
    said = refusal(layer, *given)
    assert said.startswith("MultiHeadAttention: its parameters are torch.float32 and an argument")
    with torch.autocast("cpu", torch.bfloat16):
        assert refusal(layer, *given) == said, "which leaves float64 as it is"
        given[place] = given[place].half()
        layer(*given)
