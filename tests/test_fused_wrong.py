"""One line of a function of `attnbook.fused` as a mistake would have it: the answers are wrong."""

import numpy as np
import one_line
import pytest
import torch
from fused_cases import Case, assert_answers, options_of
from torch.nn.attention.flex_attention import flex_attention

from attnbook import fused
from attnbook.fused import flex, guarantees, implementations, sdpa, sdpa_functions, visible
from attnbook.pytorch import rules

pytestmark = [
    pytest.mark.filterwarnings("ignore::attnbook.fused.SlowAttentionWarning"),
    pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile"),
]
rng = np.random.default_rng(0)


def case(n_q=3, n_k=5, d_v=8, spoil=None, **options):
    shapes = (4, n_q, 8), (2, n_k, 8), (2, n_k, d_v)
    arrays = tuple(rng.standard_normal((2, *shape)) for shape in shapes)
    if spoil:
        arrays[spoil][1, 0, 2, 0] = np.nan
    return Case(arrays, options)


LENS = np.array([0, 4])
TWO = np.array([[0, 1, 1], [0, 0, 2]]), np.array([[0, 0, 1, 1, 1], [0, 1, 1, 2, 2]])
APART = np.array([0, 1, 0]), np.array([0, 1, 0, 1, 1])
BIAS = rng.standard_normal((3, 5))
CASES = [
    case(),
    case(d_v=4, scale=-0.3),
    case(d_v=16),
    case(causal=True),
    case(5, 3, causal=True),
    case(4, 4, causal=True),
    case(causal=True, window=1),
    case(5, 3, causal=True, window=1, spoil=2),
    case(valid_lens=LENS),
    case(valid_lens=LENS, causal=True, spoil=1),
    case(valid_lens=LENS, causal=True, window=1, spoil=2),
    case(causal=True, spoil=2),
    case(bias=BIAS),
    case(bias=BIAS, causal=True, alibi=True),
    case(bias=rng.standard_normal((1, 4, 1, 5)), valid_lens=LENS),
    case(bias=rng.standard_normal((2, 1, 3, 1))),
    case(alibi=True),
    case(softcap=0.5, alibi=True),
    case(softcap=2.0, bias=BIAS, scale=0.7),
    case(rule=[("sliding_window", 1, 1)], spoil=1),
    case(5, 3, rule=[("prefix", 2)], spoil=2),
    case(rule=[("prefix", 3), ("sliding_window", 1, 2), ("padding", LENS)]),
    case(rule=[("sliding_window", 1, 2), ("sliding_window", 2, 1)]),
    case(rule=[("padding", np.array([[1, 2, 0], [4, 3, 5]]))], valid_lens=LENS, spoil=2),
    case(rule=[("documents", np.array([0, 1, 3]), np.array([0, 1, 1, 2, 2]))], spoil=2),
    case(rule=[("documents", *TWO)], causal=True),
    case(rule=[("documents", *TWO), ("documents", np.array([0, 0, 1]), np.array([0, 0, 0, 1, 1]))]),
    case(rule=[("documents", *APART)], spoil=2),
    case(rule=[("documents", *APART)], causal=True, valid_lens=LENS),
    case(mask=rng.random((3, 5)) < 0.6, spoil=1),
    case(mask=rng.random((2, 4, 3, 5)) < 0.6, causal=True, spoil=2),
    case(mask=rng.random((1, 4, 1, 5)) < 0.6, rule=[("prefix", 2)], softcap=2.0),
]


def by(form):
    """One program, whoever else could: FlexAttention is not compiled here."""

    def attend(q, k, v, **named):
        options = options_of(q, k, **named)
        seen = visible.visible(q, k, options)
        return guarantees.guarded(lambda *x: form(*x, options), q, k, v, seen)

    return attend


def programs(function):
    """Those that a mistake in this function shows in, to be quick."""
    name = function.__name__
    if function.__module__ == flex.__name__ or name in ("_mask_mods", "_score_mods", "by_flex"):
        return [by(implementations.by_flex)]
    return [by(implementations.readable) if name == "readable" else fused.attention]


def assert_all_right(programs):
    for attend in programs:
        for each in CASES:
            assert_answers(attend, each)
    q, k, v = CASES[0].tensors()
    bias = torch.from_numpy(BIAS).clone()
    bias[1], bias[2, 4] = -torch.inf, torch.nan
    out = fused.attention(q, k, v, bias=bias)
    assert (out[..., 1, :] == 0).all() and out[..., 2, :].isnan().all()
    assert fused.attention(q.float(), k, v).dtype == torch.float64


@pytest.fixture(autouse=True)
def not_compiled(monkeypatch):
    monkeypatch.setattr(implementations, "_compiled_flex", lambda: flex_attention)


def test_the_cases_are_right_without_a_mistake():
    assert_all_right([fused.attention, by(implementations.readable), by(implementations.by_flex)])


WRONG = {
    (sdpa.arguments, "the scale of the padded width"):
        "resolve_scale(scale, q.shape[-1]) ⇒ resolve_scale(scale, max(q.shape[-1], v.shape[-1]))",
    (sdpa.arguments, "a scale that loses its sign"): "q * sign ⇒ q",
    (sdpa.arguments, "a scale that is only a sign"): '"scale": scale ⇒ "scale": 1.0',
    (sdpa.arguments, "no mask"): "_attn_mask(q, mask, bias) ⇒ _attn_mask(q, None, bias)",
    (sdpa.with_arguments, "zeros behind the values"): "out[..., : v.shape[-1]] ⇒ out",
    (sdpa._attn_mask, "a bias shows what the mask hides"):
        "shown if mask is None else shown & mask ⇒ shown",
    (sdpa._attn_mask, "the mask shows what it hides"): "mask | ~mask.any ⇒ ~mask | ~mask.any",
    (sdpa._attn_mask, "the bias is a mask alone"): "(shown, finite, ⇒ (shown, 0 * finite,",
    (sdpa._of_one_width, "one number of width too many"): "width = max( ⇒ width = 1 + min(",
    (visible.visible, "every query sees some key"): "not others.hides and not ( ⇒ not (",
    (visible.visible, "the mask without the rule"): "by_rule & mask ⇒ mask",
    (visible.visible, "the rule without the mask"): "by_rule & mask ⇒ by_rule",
    (visible.ByMask.sees, "heads tiled"):
        "repeat_interleave(self.shared, dim=-2) ⇒ repeat(*[1] * (marked.ndim - 2), self.shared, 1)",
    (rules.Rule.key_range, "the triangle at the top left"): " + n_k - n_q ⇒ ",
    (rules.Rule.key_range, "a query does not see its own key"): "n_q) + 1 ⇒ n_q)",
    (rules.Rule.key_range, "one key of the window too few"):
        "start = own - min ⇒ start = own + 1 - min",
    (rules.Rule.key_range, "a prefix without the past"):
        "torch.clamp(own + 1, min=self.prefix_len) ⇒ torch.full_like(own, self.prefix_len)",
    (rules.Rule.key_range, "lengths in the place of the triangle"): (
        "torch.minimum(stop, lens.reshape(len(lens), -1)) ⇒ "
        "lens.reshape(len(lens), -1).expand(-1, n_q)"),
    (rules.Rule.key_range, "the last document alone"):
        "torch.maximum(start, each.keys.start.to(own.device)) ⇒ each.keys.start",
    (rules.Rule.sees, "documents that lie apart are one"): "each.keys is None ⇒ False",
    (rules.Rule.sees, "the last documents alone"): "visible & (_at(q ⇒ (_at(q",
    (rules.Rule.sees, "one key too many"): "j < _at(stop ⇒ j <= _at(stop",
    (rules._at, "the numbers of the first batch"): "x[b, i] ⇒ x[0, i]",
    (rules.Rule.__and__, "one rule is enough"): "operator.add ⇒ lambda *_: ()",
    (rules._fewest, "the wider window"): "min(one ⇒ max(one",
    (rules._shortest, "the longer length"): "minimum ⇒ maximum",
    (rules._found, "documents that lie apart count as contiguous"): "bool(contiguous.all()) ⇒ True",
    (rules._found, "a document that has no keys"):
        "torch.where(begin == stop, first, last + 1) ⇒ last + 1",
    (visible.ByRange.sees, "all before the last are seen"): " - before.gather(-1, start) ⇒ ",
    (visible.ByRange.sees, "heads tiled"): (
        ".repeat_interleave(self.n_heads // marked.shape[-2], dim=-2) ⇒ "
        ".repeat(*[1] * (marked.ndim - 2), self.n_heads // marked.shape[-2], 1)"),
    (visible.ByRange.empty, "nobody sees nothing"):
        "self.keys.stop <= self.keys.start ⇒ self.keys.stop < -1",
    (rules.KeyRange.mask, "one key too many"): "keys < self.stop ⇒ keys <= self.stop",
    (guarantees.guarded, "NaN under a weight of zero"):
        "attend(finite(q), finite(k), finite(v)) ⇒ attend(q, k, v)",
    (guarantees.guarded, "NaN that nobody is told of"):
        "torch.where(sees_nonfinite & ~visible.empty(), torch.nan, out) ⇒ out",
    (guarantees.guarded, "only values are looked at"):
        "_not_finite(k) | _not_finite(v) ⇒ _not_finite(v)",
    (guarantees.guarded, "what an empty row comes out as"):
        "return out if visible.all_see else torch.where(visible.empty(), 0, out) ⇒ return out",
    (guarantees.in_one_dtype, "the dtype of the first"):
        "functools.reduce(torch.promote_types, (x.dtype for x in tensors)) ⇒ tensors[0].dtype",
    (sdpa_functions.with_bias, "a row of -inf is a mean"):
        "shown.any(dim=-1, keepdim=True) | torch.isnan(out) ⇒ torch.tensor(True)",
    (sdpa_functions.with_bias, "NaN in a bias is none"): (
        "torch.where(sees_nonfinite, torch.nan, torch.where(shown, out, 0)) ⇒ "
        "torch.where(shown, out, 0)"),
    (implementations._mask_mods, "the rule without the mask"): "options.mask is None ⇒ True",
    (implementations._mask_mods, "the mask without the rule"): "if rule.hides ⇒ if False",
    (flex.mask_mod.__wrapped__, "the rule of the first batch"): "sees(b, i, j) ⇒ sees(0 * b, i, j)",
    (flex.mask_tensor.__wrapped__, "every axis is there"): "int(n > 1) ⇒ 1",
    (implementations.by_flex, "one rule is enough"): "and_masks(*seen) ⇒ seen[0]",
    (implementations._score_mods, "the cap is left out"):
        "[] if options.softcap is None else [flex.softcap(options.softcap)] ⇒ []",
    (implementations._score_mods, "slopes of other places"):
        "q.shape[-2], k.shape[-2]) ⇒ k.shape[-2], k.shape[-2])",
    (implementations._bias, "ALiBi without the bias"):
        "sloped if options.bias is None else sloped + options.bias ⇒ sloped",
    (implementations._bias, "the bias without ALiBi"): "if not options.alibi ⇒ if True",
    (implementations.readable, "heads tiled"): (
        "pytorch.repeat_heads(x, q.shape[-3] // k.shape[-3]) ⇒ "
        "x.repeat(*[1] * (x.ndim - 3), q.shape[-3] // k.shape[-3], 1, 1)"),
    (implementations.sdpa_options, "a triangle for fewer queries"): " and n_q == k.shape[-2] ⇒ ",
    (implementations.sdpa_options, "no mask beside a bias"):
        "= triangle or ⇒ = bias is not None or",
    (flex.alibi, "slopes from the head before"): "(h + 1) ⇒ h",
    (flex.alibi, "distances from the top left"): "j - (i + n_k - n_q) ⇒ j - i",
    (flex.bias_tensor, "every axis is there"): "int(n > 1) ⇒ 1",
    (flex.softcap, "the cap is not undone"): "float(written) * torch.tanh ⇒ torch.tanh",
}  # fmt: skip


@pytest.mark.parametrize(
    "mistake", WRONG, ids=[f"{function.__name__}: {name}" for function, name in WRONG]
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_mistake_is_found(mistake, monkeypatch):
    function = mistake[0]
    one_line.put(monkeypatch, function, WRONG[mistake])
    with pytest.raises((AssertionError, RuntimeError, IndexError)):
        assert_all_right(programs(function))
