"""What each rank of a trial does, one step at a time: no process is started here."""

import contextlib
import json
import sys

import pytest
import torch
import torch.distributed as dist

from attnbook.distributed import Ring, Work, __main__, model, trials


@pytest.fixture
def alone(monkeypatch):
    """One rank, for which nobody has begun a group."""
    monkeypatch.setattr(Ring, "of", classmethod(lambda cls, group=None: Ring()))
    return Ring()


def test_a_smaller_ring_is_a_group_of_the_first_ranks_that_waits_as_long(monkeypatch):
    made = []
    monkeypatch.setattr(Ring, "of", classmethod(lambda cls, group=None: ("ring of", group)))
    monkeypatch.setattr(dist, "new_group", lambda *given, **named: made.append((given, named)) or 1)
    ring = Ring(1, 4)
    assert trials.first(ring, 4) is ring and made == []
    assert trials.first(ring, 3, seconds=5) == ("ring of", 1)
    (((ranks,), named),) = made
    assert ranks == [0, 1, 2] and named["timeout"].total_seconds() == 5
    trials.first(ring, 3)
    assert made[1][1]["timeout"].total_seconds() == 60


def test_a_difference_that_is_more_than_rounding_is_none_that_is_close(alone, monkeypatch):
    right = trials.agree_among(alone)
    names = [f"{a} {b}" for a in ("ring", "causal", "zigzag", "heads") for b in PASSES]
    assert set(right) == {"order", *names} and {right[name] for name in names} == {(True, 0, 0)}
    for far, close in ((9e-15, True), (1.1e-14, False), (float("nan"), False)):
        monkeypatch.setattr(trials, "compare", lambda *given, far=far: ((far, 0.0), [4, 0]))
        found = trials.agree_among(alone)
        assert found["ring forward"] == (close, 4, 0) and found["ring backward"] == (True, 0, 0)


PASSES = "forward", "backward"


def test_each_form_is_compared_with_its_own_bytes(monkeypatch):
    asked = []

    def compare(ring, work, function, placement, causal):
        asked.append((function.__name__, placement, causal))
        return (0.0, 0.0), [1, 2]

    monkeypatch.setattr(trials, "compare", compare)
    monkeypatch.setattr(trials, "order", lambda ring: ["post"])
    monkeypatch.setattr(trials, "max_over_ranks", lambda ring, number: number)
    monkeypatch.setattr(trials, "context_parallel", lambda ring: "asked")
    found = trials.agree_among(Ring(0, 4))
    assert asked == [
        ("ring_attention", "contiguous", False),
        ("ring_attention", "contiguous", True),
        ("ring_attention", "zigzag", True),
        ("head_parallel_attention", "zigzag", True),
    ]
    block = 2 * 4 * 8 * 8 * 8  # keys and values, heads, positions of a rank, width, bytes
    assert found["zigzag forward"] == (True, 1, 3 * block)
    assert found["zigzag backward"] == (True, 2, (3 + 4) * block)
    assert found["heads forward"][2] == found["heads backward"][2] == (block + 2 * block) * 3 // 4
    assert found["order"] == ["post"] and "context_parallel" not in found
    assert trials.agree_among(Ring(0, 2))["context_parallel"] == "asked"


def wrong_way(forward=1.0, backward=1.0):
    """A function that is wrong on its way there, or back, and sends numbers: 64, and 48."""

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, out, x):
            dist.all_to_all_single(x[:64], x[:64])
            return forward * out

        @staticmethod
        def backward(ctx, grad):
            for _ in range(2):
                dist.all_to_all_single(torch.ones(24), torch.ones(24))
            return backward * grad, None

    def function(q, k, v, causal, placement, group):
        assert (causal, placement, group) == (True, "zigzag", None)
        out = trials.alone(q, k, v, q, causal)[0]
        out = trials.scaled_dot_product_attention(
            q, *(trials.repeat_heads(x, 2) for x in (k, v)), trials.causal_mask(8, 8)
        )
        return Wrong.apply(out, torch.ones(64))

    return function


@pytest.mark.parametrize(("there", "back"), [(1.0, 1.0), (1.5, 1.0), (1.0, 1.5)])
def test_either_way_is_compared_and_counted_by_itself(monkeypatch, there, back):
    monkeypatch.setattr(dist, "get_world_size", lambda group=None: 2)
    monkeypatch.setattr(dist, "all_to_all_single", lambda *given, **named: None)
    work = Work(8, 4, 2, 6, 8)
    (forward, backward), sent = trials.compare(Ring(), work, wrong_way(there, back), "zigzag", True)
    assert (forward > 0.1) == (there > 1) and (backward > 0.1) == (back > 1)
    assert sent == [64 * 4 // 2, 2 * 24 * 4 // 2]


def test_the_worst_gradient_is_the_difference_back(monkeypatch):
    """That of values alone is wrong."""

    def function(q, k, v, causal, placement, group):
        return trials.scaled_dot_product_attention(q, k, 2 * v.detach() - v)

    (forward, backward), _ = trials.compare(Ring(), Work(8, 2, 2, 6, 8), function, "zigzag", False)
    assert forward == 0 and backward > 0.1


def test_tensors_are_the_same_for_all_who_ask():
    q, k, v, grad_out = trials.tensors(Work(6, 4, 2, 3, 8, batch=5))
    assert q.shape == grad_out.shape == (5, 4, 6, 3) and k.shape == v.shape == (5, 2, 6, 3)
    assert q.dtype == torch.float64 and not torch.equal(k, v) and not torch.equal(q, grad_out)
    assert torch.equal(q, trials.tensors(Work(6, 4, 2, 3, 8, batch=5))[0])


def test_nothing_is_said_of_context_parallel_over_nccl(monkeypatch):
    monkeypatch.setattr(dist, "get_backend", lambda: "nccl")
    assert trials.context_parallel(Ring(0, 2)) == {}


def test_what_pytorch_computes_is_said_to_be_computed(monkeypatch):
    """As on a GPU: its context is a stand-in, since the real one leaves its mark on the process."""
    from torch.distributed.tensor import experimental

    asked = []

    @contextlib.contextmanager
    def context_parallel(mesh, buffers, buffer_seq_dims):
        asked.append(({x.shape for x in buffers}, buffer_seq_dims))
        yield

    monkeypatch.setattr(experimental, "context_parallel", context_parallel)
    monkeypatch.setattr(dist, "get_backend", lambda: "gloo")
    monkeypatch.setattr("torch.distributed.device_mesh.DeviceMesh.from_group", lambda *x: None)
    found = trials.context_parallel(Ring(0, 2, "some"))
    assert list(found) == ["MATH", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION"]
    assert found["MATH"] == found["FLASH_ATTENTION"] == "computes"
    assert found["CUDNN_ATTENTION"].startswith("RuntimeError: ")
    assert not any("\n" in answer for answer in found.values())
    assert asked[0] == ({(1, 2, 8, 8)}, [2, 2, 2])


@pytest.mark.parametrize("n_ranks", [1, 2])
def test_times_are_predicted_from_ceilings_of_the_same_run(monkeypatch, capsys, n_ranks):
    """A step has all of the longest sequence that a rank keeps."""
    taken = {"step": 0.5, "travel": 0.25, 64: 3.0, 128: 4.0}
    asked = []

    def medians(ring, calls, rounds):
        asked.append((list(calls), rounds))
        calls["step"]()
        return dict(taken)

    monkeypatch.setattr(trials, "medians", medians)
    trials.times(Ring(0, n_ranks), lengths=(64, 128), n_heads=2, d=8)
    flops, bandwidth, seconds = json.loads(capsys.readouterr().out)
    assert asked == [(["step", "travel", 64, 128], 3)]
    part = 128 // n_ranks
    assert flops == 4 * 2 * part**2 * 8 / 0.5
    assert bandwidth == (2 * 2 * part * 8 * 4 / 0.25 if n_ranks > 1 else float("inf"))
    for n in (64, 128):
        work, machine = Work(n, 2, 2, 8, 4), model.Machine(flops, bandwidth)
        assert seconds[str(n)] == [model.ring_seconds(work, n_ranks, machine), taken[n]]


def test_calls_take_turns_after_a_round_that_does_not_count(monkeypatch):
    called = []
    now = [0.0]

    def call(name, seconds):
        called.append(name)
        now[0] += seconds.pop(0)

    times = {"a": [99.0, 1.0, 5.0, 2.0], "b": [99.0, 7.0, 7.0, 7.0]}
    calls = {n: lambda n=n, t=t: call(n, t) for n, t in times.items()}
    monkeypatch.setattr(trials.time, "perf_counter", lambda: now[0])
    slower = []
    monkeypatch.setattr(trials, "max_over_ranks", lambda ring, x: slower.append(x) or 2 * x)
    assert trials.medians(Ring(), calls, 3) == {"a": 4.0, "b": 14.0}
    assert called == list("ab") * 4
    assert slower[::2] == [0] * 8  # all begin together


def test_the_worst_of_all_ranks_is_what_counts(monkeypatch):
    asked = []

    def all_reduce(number, operation, group):
        asked.append((operation, group))
        number.clamp_(min=3.0)

    monkeypatch.setattr(dist, "all_reduce", all_reduce)
    assert trials.max_over_ranks(Ring(), 2) == 2.0 and asked == []
    own = torch.tensor(1.0, dtype=torch.float64)
    assert trials.max_over_ranks(Ring(0, 2, "some"), own) == 3.0 and own == 1
    assert asked == [(dist.ReduceOp.MAX, "some")]
    assert trials.on_all_ranks(Ring(), True) and not trials.on_all_ranks(Ring(), False)
    assert not trials.on_all_ranks(Ring(0, 2, "some"), True)


def test_one_rank_speaks_for_all(capfd):
    for rank in range(3):
        trials.print_once(Ring(rank, 3), f"rank {rank}")
    trials.say_here("here")
    assert capfd.readouterr() == ("rank 0\n", "here\n")


@pytest.mark.parametrize("given", [[], ["agree"], ["fault", "sleep", "1"], ["fault", "end", "x"]])
def test_a_command_line_that_names_none_is_refused(monkeypatch, capsys, given):
    monkeypatch.setattr(sys, "argv", ["distributed", *given])
    with pytest.raises(SystemExit, match="2"):
        __main__.main()
    assert "usage: attnbook.distributed" in capsys.readouterr().err
