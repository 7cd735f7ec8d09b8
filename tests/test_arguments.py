"""What every function takes, what it returns, and how it refuses the rest."""

import inspect
import re

import ml_dtypes
import numpy as np
import pytest
from draw import BATCHES, D_K, D_V, N_K, N_Q, mask, matrices, queries_keys_values, scores

from attnbook import reference

# The arrays that each function takes, for any batch axes and dtype.
ARRAYS = {
    "logsumexp": lambda batch, dtype: [scores(batch, dtype)],
    "softmax": lambda batch, dtype: [scores(batch, dtype)],
    "masked_softmax": lambda batch, dtype: [scores((1, *batch), dtype)],
    "gaussian_scores": lambda batch, dtype: queries_keys_values(batch, dtype)[:2],
    "dot_product_scores": lambda batch, dtype: queries_keys_values(batch, dtype)[:2],
    "soft_cap": lambda batch, dtype: [scores(batch, dtype)],
    "weighted_sum": lambda batch, dtype: [
        scores(batch, dtype),
        queries_keys_values(batch, dtype)[2],
    ],
    "scaled_dot_product_attention": queries_keys_values,
    "bilinear_scores": lambda batch, dtype: [
        *queries_keys_values(batch, dtype)[:2],
        *matrices(dtype, (D_K, D_K)),
    ],
    "additive_scores": lambda batch, dtype: [
        *queries_keys_values(batch, dtype)[:2],
        *matrices(dtype, (D_K, 7), (D_K, 7), (7,)),
    ],
    "additive_attention": lambda batch, dtype: [
        *queries_keys_values(batch, dtype),
        *matrices(dtype, (D_K, 7), (D_K, 7), (7,)),
    ],
    "split_heads": lambda batch, dtype: queries_keys_values(batch, dtype)[2:],
    "merge_heads": lambda batch, dtype: queries_keys_values((*batch, 2), dtype)[2:],
    "repeat_heads": lambda batch, dtype: queries_keys_values((*batch, 2), dtype)[2:],
    "multi_head_attention": lambda batch, dtype: [
        *queries_keys_values(batch, dtype),
        *matrices(dtype, (D_K, 8), (D_K, 8), (D_V, 8), (8, 7)),
    ],
}
OTHER_ARGUMENTS = {
    "soft_cap": {"cap": 5},
    "split_heads": {"n_heads": 2},
    "repeat_heads": {"times": 3},
    "multi_head_attention": {"n_heads": 2},
}
SHAPES = {
    "logsumexp": lambda batch: (*batch, N_Q),
    "masked_softmax": lambda batch: (1, *batch, N_Q, N_K),
    "weighted_sum": lambda batch: (*batch, N_Q, D_V),
    "scaled_dot_product_attention": lambda batch: (*batch, N_Q, D_V),
    "additive_attention": lambda batch: (*batch, N_Q, D_V),
    "split_heads": lambda batch: (*batch, 2, N_K, D_V // 2),
    "merge_heads": lambda batch: (*batch, N_K, 2 * D_V),
    "repeat_heads": lambda batch: (*batch, 6, N_K, D_V),
    "multi_head_attention": lambda batch: (*batch, N_Q, 7),
}
every_function = pytest.mark.parametrize("name", ARRAYS)


def call(name, *arrays):
    return getattr(reference, name)(*arrays, **OTHER_ARGUMENTS.get(name, {}))


def refusal(function, *arguments, error=TypeError, **more):
    """The sentence with which a function refuses: one line."""
    with pytest.raises(error) as caught:
        function(*arguments, **more)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_every_operation_is_in_the_table():
    public = {name for name, f in vars(reference).items() if hasattr(f, "__wrapped__")}
    assert public - {"padding_mask", "operation"} == set(ARRAYS)


@every_function
@pytest.mark.parametrize("batch", BATCHES)
def test_any_number_of_batch_axes_stays_in_front(name, batch):
    out = call(name, *ARRAYS[name](batch, np.float64))
    assert out.shape == SHAPES.get(name, lambda batch: (*batch, N_Q, N_K))(batch)


@every_function
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_dtype_that_goes_in_comes_out(name, dtype):
    assert call(name, *ARRAYS[name]((2,), dtype)).dtype == dtype


@every_function
def test_float16_is_computed_in_float32_and_rounded_once(name):
    half = ARRAYS[name]((2,), np.float16)
    single = [x.astype(np.float32) for x in half]
    assert (call(name, *half) == call(name, *single).astype(np.float16)).all()


@every_function
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
def test_integers_are_taken_as_float64(name, dtype):
    whole = [abs(x).astype(dtype) for x in ARRAYS[name]((2,), np.float64)]
    out = call(name, *whole)
    assert out.dtype == np.float64
    assert (out == call(name, *(x.astype(np.float64) for x in whole))).all()


def test_mixed_dtypes_meet_in_the_wider_one():
    q, k, v = queries_keys_values()
    attend = reference.scaled_dot_product_attention
    half, single = np.float16, np.float32
    assert attend(q.astype(half), k.astype(single), v.astype(half)).dtype == single
    assert attend(q.astype(single), k.astype(single), v).dtype == np.float64
    narrow = [x.astype(single) for x in (q, k, v)]
    assert attend(*narrow, bias=scores()).dtype == single
    exact = attend(*(x.astype(np.float64) for x in narrow), bias=scores())
    assert (attend(*narrow, bias=scores()) == exact.astype(single)).all()
    assert attend(*narrow, scale=np.float64(2)).dtype == single


@every_function
@pytest.mark.parametrize("kind", [complex, object, str, bool, np.longdouble, ml_dtypes.bfloat16])
def test_other_dtypes_are_refused_by_name(name, kind):
    wrong, *others = ARRAYS[name]((2,), np.float64)
    wrong = wrong.astype(kind)
    first = next(iter(inspect.signature(getattr(reference, name)).parameters))
    start = f"{name}: {first} is {wrong.dtype} array of shape {wrong.shape}"
    sentence = refusal(call, name, wrong, *others)
    assert sentence.startswith(start)
    assert re.search(r"; expected Real\[array, '.+'\]", sentence)


@every_function
def test_lists_are_refused(name):
    wrong, *others = ARRAYS[name]((), np.float64)
    sentence = refusal(call, name, wrong.tolist(), *others)
    assert f"{name}: " in sentence and " is list [[" in sentence


@pytest.mark.parametrize(
    ("argument", "wrong", "said"),
    [
        ("k", np.ones((N_K, 9)), "k is float64 array of shape (5, 9); expected"),
        ("v", np.ones((9, D_V)), "v is float64 array of shape (9, 6); expected"),
        ("k", np.ones((2, N_K, 4)), "k is float64 array of shape (2, 5, 4); expected"),
        ("mask", np.ones((N_Q, N_K)), "mask is float64 array of shape (3, 5); expected Bool"),
        ("bias", np.ones((N_Q, N_K), bool), "bias is bool array of shape (3, 5); expected Real"),
        ("bias", np.ones((2, N_Q, N_K)), "bias is float64 array of shape (2, 3, 5)"),
        ("scale", "0.5", "scale is str '0.5'; expected"),
        ("scale", np.ones(1), "scale is float64 array of shape (1,) [1.0]; expected"),
        ("scale", 1j, "scale is complex 1j; expected"),
    ],
)
def test_a_wrong_argument_of_attention_is_named_with_what_it_was(argument, wrong, said):
    arguments = dict(zip("qkv", queries_keys_values(), strict=True)) | {argument: wrong}
    sentence = refusal(reference.scaled_dot_product_attention, **arguments)
    assert sentence.startswith(f"scaled_dot_product_attention: {said}")
    assert "n_q=3" in sentence or argument == "q"


@pytest.mark.parametrize("shape", [(N_K, N_Q), (2, N_Q, N_K), (N_K,), (N_Q, 2)], ids=str)
def test_a_mask_that_fits_nowhere_is_refused_by_the_shapes_that_would_fit(shape):
    sentence = refusal(
        reference.scaled_dot_product_attention, *queries_keys_values(), np.ones(shape, bool)
    )
    assert sentence == (
        f"scaled_dot_product_attention: mask is bool array of shape {shape}; "
        "expected shape (3, 5), where any axis may be 1"
    )


@pytest.mark.parametrize(
    ("lens", "error", "said"),
    [
        (np.array([-1, 3]), ValueError, "valid_lens has -1; expected 0 to n_k = 5"),
        (np.array([2, 6]), ValueError, "valid_lens has 6; expected 0 to n_k = 5"),
        (np.array([[1, 2, 7], [1, 2, 3]]), ValueError, "valid_lens has 7"),
        (np.array([2.0, 3.5]), TypeError, "valid_lens is float64 array of shape (2,) [2.0, 3.5]"),
        (np.array([1, 2, 3]), TypeError, "valid_lens is int64 array of shape (3,) [1, 2, 3]"),
        (np.array([[1, 2]]), TypeError, "valid_lens is int64 array of shape (1, 2) [[1, 2]]"),
        (np.array([[1], [2]]), TypeError, "valid_lens is int64 array of shape (2, 1) [[1], [2]]"),
        (np.array([True, False]), TypeError, "valid_lens is bool array of shape (2,)"),
        (np.array(2), TypeError, "valid_lens is int64 array of shape () 2"),
        (2, TypeError, "valid_lens is int 2"),
        ([2, 3], TypeError, "valid_lens is list [2, 3]"),
    ],
)
def test_masked_softmax_refuses_wrong_lengths_by_their_value(lens, error, said):
    sentence = refusal(reference.masked_softmax, scores((2,)), lens, error=error)
    assert said in sentence and "expected" in sentence


def test_masked_softmax_refuses_scores_without_a_batch_axis():
    sentence = refusal(reference.masked_softmax, scores())
    assert sentence.startswith("masked_softmax: scores is float64 array of shape (3, 5); expected")


@pytest.mark.parametrize("lens", [[0, 5], [5, 5], [0, 0]])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.uint64])
def test_masked_softmax_takes_every_length_from_none_to_all(lens, dtype):
    weights = reference.masked_softmax(scores((2,)), np.array(lens, dtype))
    assert ((weights > 0).sum(axis=-1) == np.array(lens)[:, None]).all()


@pytest.mark.parametrize("width", [0, -1, np.nan, -np.inf])
def test_a_kernel_width_that_is_not_positive_is_refused(width):
    q, k, _ = queries_keys_values()
    sentence = refusal(reference.gaussian_scores, q, k, width, error=ValueError)
    assert sentence == f"gaussian_scores: width is {width}; expected one above 0"


@pytest.mark.parametrize("cap", [0, -1.5, np.nan, np.inf])
def test_a_cap_that_is_not_positive_and_finite_is_refused(cap):
    sentence = refusal(reference.soft_cap, scores(), cap, error=ValueError)
    assert sentence == f"soft_cap: cap is {cap}; expected a finite number above 0"


@every_function
def test_no_argument_is_changed(name):
    arrays = ARRAYS[name]((2,), np.float64)
    copies = [x.copy() for x in arrays]
    call(name, *arrays)
    assert all((x == copy).all() for x, copy in zip(arrays, copies, strict=True))


def test_neither_masked_scores_nor_their_mask_are_changed():
    s, m = scores(), mask()
    reference.softmax(s, m)
    reference.logsumexp(s, m)
    reference.masked_softmax(s[None], np.array([2]))
    assert (s == scores()).all() and (m == mask()).all()


@every_function
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_special_numbers_are_computed_with_and_not_warned_about(name, special):
    first, *others = ARRAYS[name]((2,), np.float64)
    call(name, np.full_like(first, special), *others)
