"""A rule says with two numbers for each query what the mask of the same name says."""

import numpy as np
import one_line
import pytest
import torch
from fused_cases import mask_of, rule, rules_for
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.attention.flex_attention import create_block_mask

from attnbook import fused, masks
from attnbook.fused import flex
from attnbook.pytorch import rules

examples = settings(max_examples=300, derandomize=True, deadline=None, database=None)
BATCH = 2


@examples
@given(st.data(), st.integers(1, 5), st.integers(1, 6))
def test_rules_and_masks_hide_the_same(data, n_q, n_k):
    named = data.draw(rules_for((BATCH,), n_q, n_k).filter(bool))
    composed, mask = rule(named), torch.from_numpy(mask_of(named, n_q, n_k))
    assert torch.equal(composed.mask(n_q, n_k), mask)
    if composed.is_contiguous:
        start, stop = composed.key_range(n_q, n_k)
        lengths = (stop - start).clamp(min=0)
        assert torch.equal(lengths, mask.sum(-1)), "a range is as long as there are visible keys"
    by_places = flex.mask_mod(composed, n_q, n_k)
    places = torch.arange(BATCH)[:, None, None], torch.arange(n_q)[:, None], torch.arange(n_k)
    sizes = BATCH, n_q, n_k
    assert torch.equal(by_places(places[0], 0, *places[1:]).expand(sizes), mask.expand(sizes))


def never_drawn():
    """The public rules that no example above is made of."""
    made = lambda f: getattr(f, "__annotations__", {}).get("return")  # noqa: E731
    public = {name for name, f in vars(rules).items() if made(f) is rules.Rule}

    @examples
    @given(rules_for((BATCH,), 3, 4))
    def draw(named):
        public.difference_update(name for name, *_ in named)

    draw()
    return public


def test_every_rule_is_compared_with_its_mask(monkeypatch):
    assert not never_drawn()
    monkeypatch.setattr(rules, "chunked", rules.causal, raising=False)
    assert never_drawn() == {"chunked"}


@examples
@given(st.data(), st.integers(1, 5), st.integers(1, 6))
def test_options_say_what_the_rule_says_or_nothing(data, n_q, n_k):
    composed = rule(data.draw(rules_for((BATCH,), n_q, n_k).filter(bool)))
    named = rules.options_of(composed)
    if named is not None:
        again = rules.of(**named)
        assert torch.equal(again.mask(n_q, n_k), composed.mask(n_q, n_k))


def test_no_field_is_forgotten_where_two_rules_meet():
    forgets = one_line.version(rules.Rule.__and__, '"valid_lens": _shortest, → ')
    with pytest.raises(KeyError, match="valid_lens"):
        forgets(rules.causal(), rules.prefix(2))


def lies_together(q_documents, k_documents):
    return rules.documents(torch.tensor(q_documents), torch.tensor(k_documents)).is_contiguous


@pytest.mark.parametrize(
    ("q_documents", "k_documents", "together"),
    [
        ([0, 0, 1], [0, 0, 1], True),
        ([1, 0], [0, 0, 1], True),  # in any order
        ([0, 5], [0, 1, 1], True),  # one without keys
        ([0], [1, 0, 1], True),  # nobody looks at those that lie apart
        ([1], [1, 0, 1], False),
        ([[0, 1], [1, 1]], [[0, 1, 0], [0, 1, 1]], False),  # of one batch
        ([[1, 1], [1, 1]], [[0, 1, 0], [0, 1, 1]], True),
    ],
)
def test_documents_are_a_run_where_their_keys_lie_side_by_side(q_documents, k_documents, together):
    assert lies_together(q_documents, k_documents) == together


def test_packed_sequences_are_documents_with_their_ends_counted_up():
    rule = rules.packed(torch.tensor([0, 2, 2, 5]))
    assert rule.mask(5, 5).int().tolist() == [[1, 1, 0, 0, 0]] * 2 + [[0, 0, 1, 1, 1]] * 3
    crossed = rules.packed(torch.tensor([0, 1, 3]), torch.tensor([0, 3, 4]))
    assert crossed.mask(3, 4).int().tolist() == [[1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1]]
    assert rule.is_contiguous and crossed.is_contiguous
    for ends in ([], [1, 2], [0, 3, 2]):
        with pytest.raises(ValueError, match="packed: cu_seqlens is"):
            rules.packed(torch.tensor(ends, dtype=int))
    with pytest.raises(ValueError, match="packed: k_cu_seqlens is"):
        rules.packed(torch.tensor([0, 1]), torch.tensor([1, 2]))


def test_where_numbers_are_not_at_hand_documents_count_as_apart():
    given = torch.zeros(3, dtype=int, device="meta")
    assert not rules.documents(given, given).is_contiguous

    def attend(x, documents):
        return fused.attention(x, x, x, rule=rules.documents(documents, documents))

    x, documents = torch.randn(1, 2, 5, 4), torch.tensor([0, 0, 1, 1, 2])
    torch.compiler.reset()
    compiled = torch.compile(attend, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x, documents), attend(x, documents))


def test_a_rule_goes_into_a_compiled_program():
    x, documents = torch.randn(1, 2, 5, 4), torch.tensor([0, 0, 1, 1, 2])
    rule = rules.documents(documents, documents) & rules.sliding_window(2, 1)
    torch.compiler.reset()
    compiled = torch.compile(fused.attention, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x, x, x, rule=rule), fused.attention(x, x, x, rule=rule))


@pytest.mark.parametrize(
    "hides_more",
    [rules.sliding_window(10**30, 10**30), rules.prefix(10**30) & rules.sliding_window(10**30)],
)
def test_a_window_may_be_wider_than_any_number_of_places(hides_more):
    start, stop = hides_more.key_range(3, 4)
    assert (start == 0).all()
    assert torch.equal(stop, torch.tensor([2, 3, 4] if hides_more.right == 0 else [4, 4, 4]))


def test_sizes_may_be_small_integers_of_numpy():
    """100 + 100 is -56 in int8."""
    n = np.int8(100)
    assert rules.sliding_window(2, 2).mask(n, n).sum() == 494
    change = "min(self.left, n_k) → min(self.left, n_q + n_k)"
    wrong = one_line.version(rules.Rule.key_range, change)
    with np.errstate(over="ignore"):
        assert (wrong(rules.sliding_window(2, 2), n, n)[0] > 98).any()


def test_blocks_that_no_query_sees_are_skipped():
    """FlexAttention's list of blocks, counted: four documents of two blocks of 128 each."""
    n = 1024
    documents = torch.arange(n) // 256
    counts = {}
    for name, each in {
        "documents": rules.documents(documents, documents),
        "causal documents": rules.documents(documents, documents) & rules.causal(),
        "window": rules.sliding_window(128, 128),
        "prefix": rules.prefix(128),
    }.items():
        blocks = create_block_mask(flex.mask_mod(each, n, n), None, None, n, n, "cpu")
        counts[name] = flex.visible_blocks(blocks)[0].sum().item()
        mask = each.mask(n, n).reshape(8, 128, 8, 128)
        assert counts[name] == mask.any(3).any(1).sum()
    assert counts == {"documents": 16, "causal documents": 12, "window": 22, "prefix": 36}


REFUSED = {
    "left is -1; expected 0 or more": lambda: rules.sliding_window(-1),
    "right is -2; expected 0 or more": lambda: rules.sliding_window(1, -2),
    "prefix_len is -1; expected 0 or more": lambda: rules.prefix(-1),
    "q_documents has shape (1, 1, 3); expected one or two axes": lambda: rules.documents(
        *[torch.zeros(1, 1, 3, dtype=int)] * 2
    ),
    "prefix_len is 6; expected at most n_k = 5": lambda: attend(rules.prefix(6)),
    "documents have the shapes (4,) and (5,); expected (3,) and (5,) or (2, 3) and (2, 5)": (
        lambda: attend(rules.documents(*(torch.zeros(n, dtype=int) for n in (4, 5))))
    ),
    "valid_lens has 2 × 4 lengths; expected 2 × 3, the batches and the queries of q": (
        lambda: attend(rules.padding(torch.zeros(2, 4, dtype=int)))
    ),
    "valid_lens has 6; expected 0 to n_k = 5": lambda: attend(
        rules.padding(torch.tensor([[1, 2, 6], [1, 2, 3]]))
    ),
}


def attend(rule):
    q, k, v = (torch.zeros(2, heads, n, 8) for heads, n in ((4, 3), (2, 5), (2, 5)))
    return fused.attention(q, k, v, rule=rule)


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_cannot_be_is_refused_in_a_sentence(sentence):
    with pytest.raises(ValueError) as error:
        REFUSED[sentence]()
    assert sentence in str(error.value)


def test_a_prefix_of_nothing_is_the_causal_mask():
    assert rules.prefix(0) == rules.causal() == rules.causal() & rules.prefix(3)
    mask = torch.from_numpy(masks.causal_mask(3, 5))
    assert torch.equal(rules.prefix(0).mask(3, 5), mask)
