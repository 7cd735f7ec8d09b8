"""Which query may look at which key: each mask is its rule, in NumPy and in PyTorch."""

import inspect

import numpy as np
import one_line
import pytest
import torch
from libraries import tensor
from test_arguments import refusal

from attnbook import masks, pytorch
from attnbook.masks import (
    causal_mask,
    document_mask,
    padding_mask,
    prefix_mask,
    sliding_window_mask,
)
from attnbook.online import attention_with_lse
from attnbook.tiled import sliding_window_attention_tiled

SIZES = [(4, 4), (2, 5), (5, 2), (1, 6), (0, 3), (3, 0)]
every_size = pytest.mark.parametrize(("n_q", "n_k"), SIZES)


def mask_of(n_q, n_k, visible):
    """A mask from a rule on the query's place and the key's, both counted back from the last."""
    rows = [[visible(n_q - 1 - i, n_k - 1 - j) for j in range(n_k)] for i in range(n_q)]
    return np.array(rows, bool).reshape(n_q, n_k)


@every_size
def test_a_causal_query_sees_the_keys_that_are_not_nearer_to_the_end(n_q, n_k):
    expected = mask_of(n_q, n_k, lambda query, key: key >= query)
    assert (causal_mask(n_q, n_k) == expected).all()


def test_a_square_causal_mask_is_a_lower_triangle_with_its_diagonal():
    assert causal_mask(3, 3).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


@pytest.mark.parametrize("n_k", [1, 2, 7])
def test_the_last_causal_query_sees_every_key(n_k):
    assert causal_mask(1, n_k).all()
    assert causal_mask(n_k + 2, n_k)[-1].all()


def test_causal_queries_before_the_first_key_see_nothing():
    assert causal_mask(5, 2).sum(axis=1).tolist() == [0, 0, 0, 1, 2]


@every_size
@pytest.mark.parametrize(("left", "right"), [(0, 0), (1, 0), (2, 1), (0, 3), (9, 9)])
def test_a_window_shows_so_many_keys_before_and_after(n_q, n_k, left, right):
    expected = mask_of(n_q, n_k, lambda query, key: query - right <= key <= query + left)
    assert (sliding_window_mask(n_q, n_k, left, right) == expected).all()


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.uint64])
def test_a_window_is_as_wide_whatever_integer_says_so(kind):
    """The negative of an unsigned 2 is 254."""
    expected = sliding_window_mask(7, 9, 2, 1)
    sizes = [kind(x) for x in (7, 9, 2, 1)]
    assert (sliding_window_mask(*sizes) == expected).all()
    assert (pytorch.sliding_window_mask(*sizes).numpy() == expected).all()
    q, k = (np.random.default_rng(0).standard_normal((n, 4)) for n in (7, 9))
    out, _ = sliding_window_attention_tiled(q, k, k, *sizes[2:])
    np.testing.assert_allclose(out, attention_with_lse(q, k, k, expected)[0], rtol=1e-13)


@pytest.mark.parametrize("library", [masks, pytorch], ids=["numpy", "torch"])
@pytest.mark.parametrize(("kind", "n"), [(np.int8, 100), (np.int8, 127), (np.uint8, 200)])
def test_no_sum_of_sizes_overflows_in_a_small_integer(library, kind, n):
    """100 + 100 is -56 in int8."""
    sizes = [kind(x) for x in (n, n, n - 1)]
    assert library.sliding_window_mask(*sizes).sum() == n * (n + 1) // 2


@pytest.mark.parametrize(("kind", "n"), [(np.int8, 100), (np.uint8, 200)])
def test_a_window_of_sizes_that_overflow_is_found(kind, n):
    """As it stood here once: the integers as they come, and their sum."""
    wrong = one_line.version(sliding_window_mask, "min(left, n_k) → min(int(left), n_q + n_k)")
    with np.errstate(over="ignore"):
        shown = wrong.__wrapped__(kind(n), kind(n), kind(n - 1))
    assert shown.sum() != n * (n + 1) // 2


def test_a_causal_window_shows_left_plus_one_keys():
    assert sliding_window_mask(8, 8, left=2).sum(axis=1).tolist() == [1, 2, 3, 3, 3, 3, 3, 3]


@pytest.mark.parametrize("layers", [1, 2, 3, 5])
@pytest.mark.parametrize("w", [1, 2, 4])
def test_windows_of_w_keys_reach_1_plus_l_times_w_minus_1_keys_over_l_layers(layers, w):
    window = sliding_window_mask(24, 24, left=w - 1)
    reach = np.linalg.matrix_power(window.astype(int), layers) > 0
    assert reach[-1].sum() == 1 + layers * (w - 1)


@every_size
def test_a_prefix_is_seen_by_all_and_the_rest_is_causal(n_q, n_k):
    for prefix in range(n_k + 1):
        expected = mask_of(n_q, n_k, lambda query, key, p=prefix: key >= query or key >= n_k - p)
        assert (prefix_mask(n_q, n_k, prefix) == expected).all()


def test_the_prefix_mask_lies_between_causal_and_everything():
    assert (prefix_mask(3, 4, 0) == causal_mask(3, 4)).all()
    assert prefix_mask(3, 4, 4).all()


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.uint64])
def test_a_padding_mask_shows_the_first_valid_lens_keys(dtype):
    one_each = padding_mask(np.array([0, 2, 3], dtype), 3)
    assert one_each.tolist() == [[[False] * 3], [[True, True, False]], [[True] * 3]]
    one_a_query = padding_mask(np.array([[1, 3], [0, 2]], dtype), 3)
    assert one_a_query.shape == (2, 2, 3)
    assert one_a_query.sum(axis=-1).tolist() == [[1, 3], [0, 2]]
    assert (one_a_query[..., :-1] >= one_a_query[..., 1:]).all()


def test_small_integers_are_compared_without_wrapping_around():
    assert padding_mask(np.array([127], np.int8), 300).sum() == 127
    assert padding_mask(np.array([255], np.uint8), 300).sum() == 255


def test_a_document_sees_itself_and_no_other():
    q, k = np.array([[7, 7, 3], [1, 2, 2]]), np.array([[7, 3, 3, 7], [2, 2, 1, 0]])
    mask = document_mask(q, k)
    assert mask.shape == (2, 3, 4)
    for b, i, j in np.ndindex(mask.shape):
        assert mask[b, i, j] == (q[b, i] == k[b, j])


def test_masks_compose_with_and():
    documents = np.array([0, 0, 0, 1, 1, 1])
    both = causal_mask(6, 6) & document_mask(documents, documents)
    assert both.sum(axis=1).tolist() == [1, 2, 3, 1, 2, 3]
    padded = causal_mask(4, 4) & padding_mask(np.array([2, 4]), 4)
    assert padded.shape == (2, 4, 4)
    assert padded.sum(axis=-1).tolist() == [[1, 2, 2, 2], [1, 2, 3, 4]]
    window = sliding_window_mask(5, 5, left=2)
    assert (window == (causal_mask(5, 5) & sliding_window_mask(5, 5, left=2, right=5))).all()


@pytest.mark.parametrize(
    ("mask", "arguments", "said"),
    [
        (causal_mask, (-1, 3), "n_q is -1; expected 0 or more"),
        (causal_mask, (3, -2), "n_k is -2; expected 0 or more"),
        (sliding_window_mask, (3, 3, -1), "left is -1; expected 0 or more"),
        (sliding_window_mask, (3, 3, 0, -4), "right is -4; expected 0 or more"),
        (prefix_mask, (3, 3, -1), "prefix_len is -1; expected 0 or more"),
        (prefix_mask, (3, 3, 4), "prefix_len is 4; expected at most n_k = 3"),
        (padding_mask, (np.array([1]), -1), "n_k is -1; expected 0 or more"),
        (padding_mask, (np.array([4]), 3), "valid_lens has 4; expected 0 to n_k = 3"),
        (padding_mask, (np.array([2, -1]), 3), "valid_lens has -1; expected 0 to n_k = 3"),
    ],
)
def test_a_number_out_of_range_is_refused_by_its_value(mask, arguments, said):
    with pytest.raises(ValueError) as caught:
        mask(*arguments)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("mask", "arguments", "said"),
    [
        (causal_mask, (2.0, 3), "causal_mask: n_q is float 2.0; expected an integer"),
        (causal_mask, (2, "3"), "causal_mask: n_k is str '3'; expected an integer"),
        (sliding_window_mask, (3, 3, 1.5), "left is float 1.5; expected an integer"),
        (prefix_mask, (3, 3, None), "prefix_len is None; expected an integer"),
        (padding_mask, (np.array([1.0]), 3), "valid_lens is float64 array of shape (1,) [1.0]"),
        (
            padding_mask,
            ([1], 3),
            "valid_lens is list [1]; expected integer array of shape (batch,)",
        ),
        (
            padding_mask,
            (np.ones((1, 1, 1), int), 3),
            "valid_lens is int64 array of shape (1, 1, 1)",
        ),
        (document_mask, (np.ones(2), np.ones(2, int)), "q_documents is float64 array"),
        (document_mask, (np.ones((1, 2), int), np.ones(2, int)), "k_documents is int64 array"),
    ],
)
def test_a_wrong_type_or_shape_is_refused_with_what_it_was(mask, arguments, said):
    with pytest.raises(TypeError) as caught:
        mask(*arguments)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_integers_of_numpy_are_numbers_too():
    assert (causal_mask(np.int32(2), np.int64(3)) == causal_mask(2, 3)).all()


@pytest.mark.parametrize("library", [masks, pytorch], ids=["numpy", "torch"])
def test_a_window_beyond_all_keys_shows_them_all(library):
    for far in (10**30, np.uint64(2**64 - 1)):
        assert library.sliding_window_mask(2, 3, far, far).all()
        seen = library.sliding_window_mask(2, 3, far)
        assert (seen == library.causal_mask(2, 3)).all()


@pytest.mark.parametrize("n_q, n_k", [(4, 4), (2, 5), (5, 2), (0, 3)])
def test_every_mask_has_its_twin(n_q, n_k):
    q, k = np.arange(2 * n_q).reshape(2, n_q) // 2, np.arange(2 * n_k).reshape(2, n_k) // 2
    given = {
        "causal_mask": (n_q, n_k),
        "sliding_window_mask": (n_q, n_k, 1, 2),
        "prefix_mask": (n_q, n_k, 2),
        "padding_mask": (np.array([0, n_k - 1, n_k]), n_k),
        "document_mask": (q, k),
    }
    assert not masks_without(given)
    for name, arrays in given.items():
        twin, tensors = getattr(pytorch, name), [tensor(x) for x in arrays]
        assert np.array_equal(twin(*tensors), getattr(masks, name)(*arrays))
        on = {"device": "meta"} if "device" in inspect.signature(twin).parameters else {}
        moved = (x.to("meta") if isinstance(x, torch.Tensor) else x for x in tensors)
        assert twin(*moved, **on).is_meta


@pytest.mark.parametrize("name", [name for name in vars(masks) if name.endswith("_mask")])
def test_the_twin_of_a_mask_has_the_same_defaults(name):
    ours, twins = (inspect.signature(getattr(m, name)).parameters for m in (masks, pytorch))
    assert [(p.name, p.default) for p in ours.values()] == [
        (p.name, p.default) for p in twins.values() if p.name != "device"
    ]


def masks_without(given):
    """The masks of the book that are not compared with their twins."""
    return {name for name, f in vars(masks).items() if hasattr(f, "__wrapped__")} - set(given)


def test_a_mask_that_is_not_compared_with_its_twin_is_found(monkeypatch):
    compared = masks_without(())
    monkeypatch.setattr(masks, "chunked_mask", masks.causal_mask, raising=False)
    assert masks_without(compared) == {"chunked_mask"}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("sliding_window_mask", (3, 3, -1)),
        ("sliding_window_mask", (3, 3, 1, -1)),
        ("prefix_mask", (3, 3, -1)),
        ("prefix_mask", (3, 3, 4)),
        ("sliding_window_mask", (-1, 3, 1)),
        ("causal_mask", (-1, 3)),
        ("causal_mask", (3, -1)),
        ("padding_mask", (np.array([0]), -1)),
    ],
)
def test_twins_of_masks_refuse_in_the_same_words(name, given):
    said = refusal(getattr(masks, name), *given, error=ValueError)
    assert refusal(getattr(pytorch, name), *map(tensor, given), error=ValueError) == said
