"""Speculative decoding writes what the target alone would write: every outcome is enumerated."""

import itertools
from functools import partial as claim

import one_line
import pytest
import torch
from torch import tensor

from attnbook import models, pytorch
from attnbook.models import CachedModel, Transformer, outcomes, speculative_decode, verify
from attnbook.models import speculative as right
from attnbook.pytorch import KVCache, PagedCache, Pages

CLOSE = 1e-12  # of probabilities: sums and products of a few hundred float64
PAIRS = [
    ([0.5, 0.3, 0.2], [0.4, 0.1, 0.5]),
    ([0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]),
    ([0.0, 0.25, 0.75], [0.5, 0.5, 0.0]),  # zeros in both
    ([1.0, 0.0, 0.0], [0.0, 0.5, 0.5]),  # nothing in common
    ([0.7, 0.1, 0.1, 0.05, 0.05], [0.7, 0.1, 0.1, 0.05, 0.05]),  # the same
    ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]),  # greedy
]


def in_64(rows):
    return tensor(rows, dtype=torch.float64)


def assert_same(found, wanted):
    """Two tables of results and their probabilities; a result that is missing has 0."""
    for result in found | wanted:
        assert abs(found.get(result, 0) - wanted.get(result, 0)) <= CLOSE, result


def a_round(p, q, behind):
    """All that a round of one proposal emits, where `behind` is the target's next distribution."""

    def program(draw):
        proposed = tensor([draw(q)])
        return tuple(verify(proposed, q[None], torch.stack([p, behind]), draw).tolist())

    return outcomes(program)


def the_first_token_has_the_distribution_of_the_target(p, q):
    p, q = in_64(p), in_64(q)
    found = {}
    for emitted, probability in a_round(p, q, p.flip(0)).items():
        found[emitted[0]] = found.get(emitted[0], 0) + probability
    assert_same(found, dict(enumerate(p.tolist())))


def the_second_token_is_drawn_where_the_first_was_accepted(p, q):
    """With probability min(p, q) of each x, and then from the target's next distribution."""
    p, q = in_64(p), in_64(q)
    found = {e: pr for e, pr in a_round(p, q, p.flip(0)).items() if len(e) == 2}
    wanted = torch.minimum(p, q)[:, None] * p.flip(0)
    assert_same(found, {(i, j): wanted[i, j].item() for i, j in pairs(len(p))})


def pairs(n):
    return itertools.product(range(n), repeat=2)


def as_many_are_accepted_as_the_overlap_says(p, q):
    p, q = in_64(p), in_64(q)
    found = sum(probability for e, probability in a_round(p, q, p).items() if len(e) == 2)
    distance = (p - q).abs().sum() / 2  # total variation
    assert abs(found - torch.minimum(p, q).sum()) <= CLOSE
    assert abs(found - (1 - distance)) <= CLOSE
    assert abs(found - (q * models.acceptance(p, q)).sum()) <= CLOSE


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_a_round_is_exact(p, q):
    the_first_token_has_the_distribution_of_the_target(p, q)
    the_second_token_is_drawn_where_the_first_was_accepted(p, q)
    as_many_are_accepted_as_the_overlap_says(p, q)


def test_the_numbers_that_can_be_computed_by_hand():
    p, q = map(in_64, PAIRS[0])
    torch.testing.assert_close(models.acceptance(p, q), in_64([1, 1, 0.4]), rtol=0, atol=CLOSE)
    wanted = in_64([1 / 3, 2 / 3, 0])
    torch.testing.assert_close(models.residual(p, q), wanted, rtol=0, atol=CLOSE)


def test_where_nothing_can_be_rejected_the_residual_is_the_target_itself():
    p = in_64([0.25, 0.75])
    assert torch.equal(models.residual(p, p), p)


class Reading:
    """A Transformer of the package that reads with caches; it counts its passes and tokens."""

    def __init__(self, seed, vocabulary=3, n_layers=2):
        torch.manual_seed(seed)
        self.model = Transformer(vocabulary, 4, n_layers, n_heads=2).double()
        for parameter in self.model.parameters():
            parameter.data *= 2  # so that its distributions are far from uniform
        self.lengths = []

    @torch.no_grad()
    def __call__(self, tokens, caches):
        self.lengths.append(len(tokens))
        x = self.model.embedding(tokens)[None]
        for block, cache in zip(self.model.blocks, caches, strict=True):
            at = cache.positions(len(tokens))
            q, k, v = block.attention.heads(block.norm_attention(x), at)
            k, v, mask = cache.update(k[0], v[0])
            found = pytorch.scaled_dot_product_attention(q[0], k, v, mask=mask)
            x = x + block.attention.w_o(pytorch.merge_heads(found))
            x = x + block.dense(block.norm_dense(x))
        return self.model.logits(self.model.norm(x))[0]

    def caches(self, kind, room):
        return [made(kind, room) for _ in self.model.blocks]

    def next_logits(self, text):
        """All of a text at once, without a cache."""
        with torch.no_grad():
            return self.model(text[None])[0, -1]


def made(kind, room):
    if kind is KVCache:
        return KVCache(room)
    return PagedCache(Pages(room, 2, n_kv_heads=2, d_k=2, dtype=torch.float64))


def reads(reader, temperature=1.0, kind=KVCache, room=30):
    return CachedModel(reader, reader.caches(kind, room), temperature)


PROMPT = tensor([1, 0, 1])


def a_text_has_the_probability_that_the_target_gives_it(k, n, v, kind=KVCache, temperature=1.0):
    target, draft = (Reading(seed, v, n_layers=1) for seed in (0, 1))

    def program(draw):
        both = (reads(reader, temperature, kind, room=8) for reader in (target, draft))
        text, _ = speculative_decode(*both, PROMPT, n, k, draw)
        return tuple(text[len(PROMPT) :].tolist())

    wanted = {}
    for end in itertools.product(range(v), repeat=n):
        text, wanted[end] = PROMPT, 1.0
        for token in end:
            p = torch.softmax(target.next_logits(text) / temperature, dim=-1)
            wanted[end] *= p[token].item()
            text = torch.cat([text, tensor([token])])
    assert_same(outcomes(program), wanted)


@pytest.mark.parametrize(("k", "n", "v"), [(0, 2, 3), (1, 2, 3), (2, 3, 2)])
def test_every_text_of_n_tokens_has_its_probability(k, n, v):
    a_text_has_the_probability_that_the_target_gives_it(k, n, v)


def test_the_same_holds_in_pages_and_at_another_temperature():
    a_text_has_the_probability_that_the_target_gives_it(2, 3, 2, PagedCache, temperature=0.5)


def greedy(target, text, n):
    for _ in range(n):
        text = torch.cat([text, target.next_logits(text).argmax()[None]])
    return text


def greedy_decoding_writes_the_same_tokens(k, kind=KVCache):
    target, draft = (Reading(seed, vocabulary=7) for seed in (3, 4))
    text, emitted = speculative_decode(
        *(reads(reader, 0, kind) for reader in (target, draft)), PROMPT, 20, k
    )
    assert torch.equal(text, greedy(target, PROMPT, 20))
    assert len(target.lengths) == len(emitted) and sum(emitted) == 20
    assert k == 0 or min(emitted) <= k  # something was rejected


@pytest.mark.parametrize("kind", [KVCache, PagedCache])
@pytest.mark.parametrize("k", [0, 1, 2, 4])
def test_greedy_decoding_token_for_token(k, kind):
    greedy_decoding_writes_the_same_tokens(k, kind)


def test_a_draft_that_is_the_target_is_always_accepted(k=3, n=20):
    """⌈n / (k + 1)⌉ passes; the draft reads each token once, for it is never behind."""
    target, draft = Reading(seed=3), Reading(seed=3)
    torch.manual_seed(0)
    _, emitted = speculative_decode(reads(target), reads(draft), PROMPT, n, k)
    assert emitted == [k + 1] * (n // (k + 1))
    assert target.lengths == [len(PROMPT) + k] + [k + 1] * (len(emitted) - 1)
    assert sum(draft.lengths) == len(PROMPT) + n - 2  # but for the last two


def each_token_is_read_as_seldom_as_can_be(k=3, n=20):
    """Behind a rejection both have read all but the replacement, which they read next."""
    target, draft = (Reading(seed, vocabulary=7) for seed in (3, 4))
    both = reads(target), reads(draft)
    torch.manual_seed(0)
    text = PROMPT
    for _ in range(n):
        new = models.speculative_round(*both, text, k)
        text = torch.cat([text, new])
        lengths = [model.caches[0].length for model in both]
        assert lengths == [len(text) - 1, len(text) - 1 - (len(new) == k + 1)]


def test_each_token_is_read_as_seldom_as_can_be():
    each_token_is_read_as_seldom_as_can_be()


def test_what_does_not_fit_is_refused():
    target = reads(Reading(seed=0))
    with pytest.raises(ValueError, match=r"temperature is -1; expected 0 or more"):
        CachedModel(None, [], -1)
    for n, k, name in ((-1, 1, "n is -1"), (1, -1, "k is -1")):
        with pytest.raises(ValueError, match=name):
            speculative_decode(target, target, PROMPT, n, k)
    with pytest.raises(ValueError, match=r"len\(text\) is 0; expected 1 or more"):
        speculative_decode(target, target, PROMPT[:0], 1, 1)
    p = in_64([[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(ValueError, match=r"q\[0, 1\] is 0\.0; expected more than 0 if proposed"):
        verify(tensor([1]), in_64([[1.0, 0.0]]), p)
    with pytest.raises(TypeError, match="p is"):
        verify(tensor([1]), p[:1], p[:1])


def test_outcomes_are_all_outcomes():
    def until_heads(draw):
        tails = 0
        while tails < 3 and draw(in_64([0.25, 0.75])):
            tails += 1
        return tails

    assert_same(outcomes(until_heads), {0: 1 / 4, 1: 3 / 16, 2: 9 / 64, 3: 27 / 64})


ONE, FOUR = PAIRS[:2]
first = claim(the_first_token_has_the_distribution_of_the_target, *ONE)
second = claim(the_second_token_is_drawn_where_the_first_was_accepted, *FOUR)
accepted = claim(as_many_are_accepted_as_the_overlap_says, *ONE)
texts = claim(a_text_has_the_probability_that_the_target_gives_it, 1, 2, 2)
same = claim(greedy_decoding_writes_the_same_tokens, 2)
seldom = claim(each_token_is_read_as_seldom_as_can_be)
REWIND = "model.rewind(len(text) + len(emitted) - 1)"

MISTAKES = {
    "the residual is not normalised": (right.residual, "excess / total → excess", first),
    "the residual has no maximum": (right.residual, ".clamp(min=0) → ", first),
    "the residual is turned round": (right.residual, "(p - q) → (q - p)", first),
    "the replacement comes from the target": (
        right.verify,
        "residual(p[i], q[i]) → p[i]",
        first,
    ),
    "accepted by q / p": (
        right.acceptance,
        "torch.where(p < q, p / q, 1.0) → torch.where(q < p, q / p, 1.0)",
        first,
    ),
    "accepted where the target likes it better": (
        right.acceptance,
        "p / q, 1.0 → 0.0 * p, 1.0",
        accepted,
    ),
    "all is accepted": (right.acceptance, "p / q, 1.0 → 0.0 * p + 1, 1.0", first),
    "accepted where it should be rejected": (right.verify, "if not draw( → if draw(", first),
    "the rejected token stays, too": (right.verify, "proposed[:i], → proposed[: i + 1],", texts),
    "the last token is drawn at another position": (right.verify, "p[-1] → p[0]", second),
    "the target is looked up a position late": (
        right.verify,
        "acceptance(p[i], → acceptance(p[i + 1],",
        texts,
    ),
    "nothing is rewound": (right.speculative_round, f"{REWIND} → pass", same),
    "one rejected token stays in the cache": (
        right.speculative_round,
        f"{REWIND} → {REWIND.replace(' - 1', '')}",
        same,
    ),
    "all proposals stay in the cache": (KVCache.rewind, "self.length = length → pass", same),
    "a token is read twice": (
        CachedModel.rewind,
        "min(length, → min(length - 1,",
        seldom,
    ),
    "no token more behind the accepted ones": (
        right.verify,
        "_appended(proposed, draw(p[-1])) → proposed",
        second,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("function", "change", "rejecting"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_rejected(monkeypatch, function, change, rejecting):
    one_line.assert_rejected(
        monkeypatch,
        function,
        change,
        rejecting,
        by=(AssertionError, TypeError, ValueError, IndexError, RuntimeError),
    )
