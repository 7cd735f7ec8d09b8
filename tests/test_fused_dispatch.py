"""Which program runs, why the others refuse, and how that is said."""

import warnings

import pytest
import torch
from test_arguments import refusal
from torch.nn.attention import SDPBackend, sdpa_kernel

from attnbook import fused
from attnbook.fused import implementations, sdpa_backends, slow

torch.manual_seed(0)
Q, K, V = torch.randn(3, 1, 2, 6, 16)
CPU = "its kernels are for GPUs, and q is on the CPU"
BENT = "it cannot bend the scores: softcap is given"
FEW = "fewer than 2^26 scores: to compile takes longer"


@pytest.fixture(autouse=True)
def nothing_said_yet():
    before = dict(slow._said)
    slow._said.clear()
    yield
    slow._said.clear()
    slow._said.update(before)


def answers(*tensors, **options):
    return {row.backend: row[1:] for row in fused.explain(*tensors, **options)}


def test_each_form_says_why_it_refuses_or_how_it_runs():
    assert answers(Q, K, V, causal=True) == {
        "kernels": ("refuses", CPU),
        "SDPA": ("runs", "through FLASH"),
        "FlexAttention": ("refuses", FEW),
        "readable": ("could run", "all scores in memory"),
    }
    assert answers(Q, K, V, softcap=2.0) == {
        "kernels": ("refuses", CPU),
        "SDPA": ("refuses", BENT),
        "FlexAttention": ("refuses", FEW),
        "readable": ("runs", "all scores in memory"),
    }


@pytest.mark.parametrize(
    ("tensors", "options", "backend"),
    [
        ((Q[0], K[0], V[0]), {}, "FLASH"),
        ((Q, K, V[..., :8]), {}, "FLASH"),
        ((Q.mT.contiguous().mT, K, V), {}, "FLASH"),
        ((Q, K[:, :1], V[:, :1]), {"causal": True, "window": 2}, "FLASH"),
        ((Q, K, V), {"bias": torch.zeros(6, 6)}, "FLASH"),
        ((Q, K, V), {"bias": torch.zeros(6, 6, requires_grad=True)}, "MATH"),
    ],
)
def test_what_a_fused_program_refuses_is_given_to_it_in_a_form_that_it_takes(
    tensors, options, backend
):
    assert answers(*tensors, **options)["SDPA"][1] == f"through {backend}"


@pytest.mark.parametrize(
    ("tensors", "softcap"), [((Q, K, V), None), ((Q, K, V), 2.0), ((Q[:, :, :0], K, V), None)]
)
def test_what_is_said_to_run_runs(monkeypatch, tensors, softcap):
    called = []

    def noted(form):
        def call(*given):
            called.append(form.name)
            return form.call(*given)

        return form._replace(call=call)

    monkeypatch.setattr(
        implementations, "IMPLEMENTATIONS", tuple(map(noted, implementations.IMPLEMENTATIONS))
    )
    said = [r.backend for r in fused.explain(*tensors, softcap=softcap) if r.status == "runs"]
    with warnings.catch_warnings(action="ignore"):
        fused.attention(*tensors, softcap=softcap)
    assert said == called


def test_who_stands_behind_the_first_that_takes_it_is_not_asked(monkeypatch):
    """To ask may itself take time, and `explain` asks each."""
    kernels, sdpa, *behind = implementations.IMPLEMENTATIONS
    unasked = [form._replace(refuses=None) for form in behind]
    monkeypatch.setattr(implementations, "IMPLEMENTATIONS", (kernels, sdpa, *unasked))
    fused.attention(Q, K, V)
    with pytest.raises(TypeError, match="not callable"):
        fused.explain(Q, K, V)


def test_a_fall_back_is_said_once_for_each_reason_and_names_the_callers_line():
    with pytest.warns(fused.SlowAttentionWarning) as said:
        for _ in range(2):
            fused.attention(Q, K, V, softcap=2.0)
    assert [warning.filename for warning in said] == [__file__]
    assert str(said[0].message) == (
        "attention: all 72 scores are held in memory, since "
        f"kernels: {CPU}; SDPA: {BENT}; FlexAttention: {FEW}"
    )
    with pytest.warns(fused.SlowAttentionWarning, match="no gradients on a CPU"):
        fused.attention(Q.clone().requires_grad_(), K, V, softcap=2.0)


def test_a_trial_of_few_scores_silences_nothing_of_ten_times_as_many():
    long = torch.cat([Q, Q], dim=-2), torch.cat([K] * 5, dim=-2), torch.cat([V] * 5, dim=-2)
    with pytest.warns(fused.SlowAttentionWarning) as said:
        fused.attention(Q, K, V, softcap=2.0)
        fused.attention(Q, *long[1:], softcap=2.0)
        fused.attention(*long, softcap=2.0)
    assert [str(warning.message)[:24] for warning in said] == [
        "attention: all 72 scores",
        "attention: all 720 score",
    ]


def test_it_is_said_where_sdpa_takes_math_too_and_names_the_callers_line():
    """A bias that learns has no gradient through FLASH on a CPU."""
    learns = torch.zeros(6, 6, requires_grad=True)
    with pytest.warns(fused.SlowAttentionWarning) as said:
        for _ in range(2):
            fused.attention(Q, K, V, bias=learns)
    assert [warning.filename for warning in said] == [__file__]
    assert str(said[0].message) == (
        "attention: all 72 scores are held in memory, since "
        "SDPA takes MATH: FLASH has no gradient for a bias on a CPU"
    )


def test_why_math_has_the_reasons_of_each_other_backend():
    options = {"attn_mask": None, "dropout_p": 0.1}
    assert "dropout" in sdpa_backends.why_math(Q, K, V, **options)
    assert sdpa_backends.why_math(Q, K, V, **options | {"dropout_p": 0.0}) is None
    with sdpa_kernel(SDPBackend.MATH):
        assert sdpa_backends.why_math(Q, K, V, attn_mask=None) == "no other backend is allowed"


def test_what_has_a_fused_program_says_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fused.attention(Q, K, V, causal=True, window=2)
        with torch.no_grad():
            fused.attention(Q, K, V, bias=torch.zeros(6, 6, requires_grad=True))


@pytest.mark.parametrize(
    "options", [{"softcap": 2.0}, {"bias": torch.zeros(6, 6, requires_grad=True)}]
)
def test_under_a_compiler_it_is_said_when_the_program_is_made(options):
    torch.compiler.reset()
    leaf = Q.clone().requires_grad_()
    compiled = torch.compile(fused.attention, backend="aot_eager", fullgraph=True)
    with pytest.warns(fused.SlowAttentionWarning) as said:
        for _ in range(2):
            compiled(leaf, K, V, **options)
    assert len(said) == 1


def test_a_device_without_numbers_is_refused_by_the_dispatcher():
    q = torch.empty(1, 2, 3, 4, device="meta")
    said = refusal(fused.attention, q, q, q, error=ValueError)
    assert said == "attention: q is on the device meta; expected tensors that have numbers"
