"""What holds for every input, tried on inputs that a machine chooses to break it."""

import hypothesis.extra.numpy as arrays
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attnbook import reference

attend = reference.scaled_dot_product_attention
examples = settings(max_examples=60, derandomize=True, deadline=None, database=None)

TINY = np.finfo(np.float32).tiny
DTYPES = st.sampled_from([np.float32, np.float64])
SIDE = st.integers(1, 5)
BATCH = arrays.array_shapes(min_dims=0, max_dims=2, max_side=3)


def reals(shape, dtype, size=100.0):
    width = np.dtype(dtype).itemsize * 8
    return arrays.arrays(dtype, shape, elements=st.floats(-size, size, width=width))


@st.composite
def rows(draw, elements=reals):
    """Scores with a mask: any batch axes, any number of keys, none included."""
    shape = (*draw(BATCH), draw(SIDE), draw(st.integers(0, 6)))
    return draw(elements(shape, draw(DTYPES))), draw(arrays.arrays(bool, shape))


@st.composite
def sequences(draw, min_keys=1):
    """Queries, keys, values and a mask, all four sizes drawn apart."""
    batch, dtype = draw(BATCH), draw(DTYPES)
    n_q, n_k, d_k, d_v = draw(SIDE), draw(st.integers(min_keys, 6)), draw(SIDE), draw(SIDE)
    q, k, v = (
        draw(reals((*batch, *shape), dtype, 8.0)) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v))
    )
    return q, k, v, draw(arrays.arrays(bool, (*batch, n_q, n_k)))


def rounding(q, k, v):
    """How far two orders of summation can lie apart in `out`.

    A score sums d_k products, each at most max|q| max|k|/√d_k: its error is at most
    (d_k + 2) eps/2 times their sum. Softmax doubles it, relative to the weight, and adds eps for
    each of the n_k terms and a few for exp and the quotient. Two results may err in opposite ways.
    TINY is for values so small that their products underflow.
    """
    n_k, d_k = k.shape[-2:]
    score = np.abs(q).max(initial=0) * np.abs(k).max(initial=0) * d_k**0.5
    relative = np.finfo(q.dtype).eps * ((d_k + 2) * score + n_k + 4)
    return 2 * relative * np.abs(v).max(initial=0) + TINY


def assert_within(actual, expected, tolerance):
    assert np.shape(actual) == np.shape(expected)
    assert (np.abs(actual - expected) <= tolerance).all()


@examples
@given(rows())
def test_rows_sum_to_one_or_to_zero(drawn):
    scores, mask = drawn
    weights = reference.softmax(scores, mask)
    assert (weights >= 0).all() and (weights[~mask] == 0).all()
    # n_k roundings in the denominator and n_k in this sum, each of at most eps / 2.
    tolerance = (scores.shape[-1] + 1) * np.finfo(scores.dtype).eps
    assert_within(weights.sum(axis=-1), mask.any(axis=-1), tolerance)


@examples
@given(sequences(), st.randoms(use_true_random=False))
def test_permuting_keys_together_with_their_values_changes_nothing(drawn, random):
    q, k, v, mask = drawn
    order = random.sample(range(k.shape[-2]), k.shape[-2])
    out = attend(q, k[..., order, :], v[..., order, :], mask[..., order])
    assert_within(out, attend(q, k, v, mask), rounding(q, k, v))


@examples
@given(sequences(), st.floats(width=16), st.floats(width=16))
def test_masked_keys_have_no_influence_at_all(drawn, in_key, in_value):
    q, k, v, mask = drawn
    out = attend(q, k, v, mask)
    for i in range(q.shape[-2]):
        shown = mask[..., i, :, None]
        other_k = np.where(shown, k, k.dtype.type(in_key))
        other_v = np.where(shown, v, v.dtype.type(in_value))
        other = attend(q, other_k, other_v, mask)
        # + 0 makes 0 of -0: where visible values underflow, hidden ones may decide which it is.
        assert (other[..., i, :] + 0).tobytes() == (out[..., i, :] + 0).tobytes()


@st.composite
def whole_numbers(draw, shape, dtype):
    return draw(arrays.arrays(np.int16, shape)).astype(dtype)


@examples
@given(rows(whole_numbers), st.integers(-(2**15), 2**15))
def test_shifting_scores_by_a_constant_changes_nothing(drawn, constant):
    scores, mask = drawn
    shifted = scores + scores.dtype.type(constant)
    # Sums of whole numbers are exact, and so is this equality.
    assert reference.softmax(shifted, mask).tobytes() == reference.softmax(scores, mask).tobytes()
    shifted_lse = reference.logsumexp(shifted, mask)
    lse = reference.logsumexp(scores, mask) + scores.dtype.type(constant)
    # Not so for lse: both are rounded at a size below 2^17.
    np.testing.assert_allclose(shifted_lse, lse, rtol=0, atol=2**17 * np.finfo(scores.dtype).eps)


@examples
@given(sequences())
def test_outputs_stay_in_the_hull_of_the_visible_values(drawn):
    q, k, v, mask = drawn
    out = attend(q, k, v, mask)
    seen, values = mask[..., None], v[..., None, :, :]
    lowest = np.where(seen, values, np.inf).min(axis=-2)
    highest = np.where(seen, values, -np.inf).max(axis=-2)
    some = np.broadcast_to(mask.any(axis=-1, keepdims=True), out.shape)
    # The weights sum to one up to n_k eps, and the mix adds n_k roundings of its own.
    slack = 2 * (k.shape[-2] + 2) * np.finfo(v.dtype).eps * np.abs(v).max() + TINY
    assert ((lowest - slack <= out) & (out <= highest + slack))[some].all()
    assert (out[~some] == 0).all()


@examples
@given(sequences(min_keys=0))
def test_a_batch_is_a_loop_over_its_sequences(drawn):
    q, k, v, mask = drawn
    out = attend(q, k, v, mask)
    for index in np.ndindex(q.shape[:-2]):
        one = attend(q[index], k[index], v[index], mask[index])
        assert_within(out[index], one, rounding(q, k, v))


@examples
@given(sequences(min_keys=0))
def test_no_argument_is_changed(drawn):
    q, k, v, mask = drawn
    scores = reference.dot_product_scores(q, k)
    everything = [*drawn, scores]
    copies = [x.copy() for x in everything]
    attend(*drawn, bias=scores)
    reference.softmax(scores, mask)
    reference.logsumexp(scores, mask)
    reference.weighted_sum(scores, v)
    reference.gaussian_scores(q, k)
    reference.softcap(scores, 2)
    assert all(x.tobytes() == copy.tobytes() for x, copy in zip(everything, copies, strict=True))


@examples
@given(rows())
def test_softmax_is_the_exponential_of_the_score_less_its_lse(drawn):
    scores, mask = drawn
    lse = reference.logsumexp(scores, mask)[..., None]
    with np.errstate(over="ignore", invalid="ignore"):
        expected = np.where(mask, np.exp(scores - lse), 0)
    # Scores and lse are below 102, and exp turns an absolute error of its argument into a relative
    # one: lse and the difference are each rounded at that size.
    assert_within(reference.softmax(scores, mask), expected, 3 * 102 * np.finfo(scores.dtype).eps)


@examples
@given(rows(), st.integers(0, 6))
def test_the_lse_of_a_concatenation_is_the_logaddexp_of_the_parts(drawn, cut):
    scores, mask = drawn
    left = reference.logsumexp(scores[..., :cut], mask[..., :cut])
    right = reference.logsumexp(scores[..., cut:], mask[..., cut:])
    whole, parts = reference.logsumexp(scores, mask), np.logaddexp(left, right)
    # All are below 102 in size, and rounded once or twice at that size.
    np.testing.assert_allclose(parts, whole, rtol=0, atol=3 * 102 * np.finfo(scores.dtype).eps)


@examples
@given(sequences())
def test_attention_is_a_weighted_sum_with_the_softmax_of_the_scores(drawn):
    q, k, v, mask = drawn
    weights = reference.softmax(reference.dot_product_scores(q, k), mask)
    assert (attend(q, k, v, mask) == reference.weighted_sum(weights, v, mask)).all()
