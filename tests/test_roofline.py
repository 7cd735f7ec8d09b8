"""What a machine is predicted to take, its ceilings, and how a GPU is timed."""

import math
import os
import subprocess
import sys

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from attnbook import measure

ROOFS = measure.Ceilings(flops=100.0, exps=10.0, bytes=20.0)


def test_a_time_lies_between_all_at_once_and_one_after_the_other():
    cost = measure.Cost(flops=300, exps=20, bytes=100)  # 3, 2 and 5 seconds
    assert measure.shortest_time(cost, ROOFS) == 5
    assert measure.time_in_turn(cost, ROOFS) == 10
    assert measure.limit(cost, ROOFS) == "bytes"
    assert measure.limit(cost + measure.Cost(flops=300), ROOFS) == "flops"


def test_ceilings_are_rates_of_calls_in_turns(monkeypatch):
    times = {
        "flops": [2.0, 4.0, 1.0],
        "exps": [1.0, 1.0, 4.0],
        "bytes": [5.0] * 3,
        "mine": [7.0] * 3,
    }
    work = {
        "flops": measure.Cost(flops=8),
        "exps": measure.Cost(exps=4),
        "bytes": measure.Cost(bytes=10),
    }
    made = {name: (None, cost) for name, cost in work.items()}
    monkeypatch.setattr("attnbook.measure.roofline.probes", lambda dtype, device: made)
    monkeypatch.setattr(
        "attnbook.measure.roofline.rounds", lambda calls, n: {k: times[k] for k in calls}
    )
    median, each, mine = measure.rounds_with_ceilings({"mine": None}, n=3)
    assert each == [(4, 4, 2), (2, 4, 2), (8, 1, 2)]
    assert median == (4, 4, 2) and mine == {"mine": [7.0] * 3}


@pytest.mark.parametrize(("device", "clock"), [("cpu", "rounds"), ("cuda:1", "event_rounds")])
def test_each_device_has_its_own_clock_and_seven_rounds(monkeypatch, device, clock):
    asked = []
    made = {name: (None, measure.Cost(8, 4, 2)) for name in ("flops", "exps", "bytes")}

    def rounds(calls, n):
        asked.append((list(calls), n, torch.get_num_threads()))
        return {name: [2.0] * n for name in calls}

    monkeypatch.setattr(
        "attnbook.measure.roofline.probes", lambda *given: asked.append(given) or made
    )
    monkeypatch.setattr(f"attnbook.measure.roofline.{clock}", rounds)
    assert measure.ceilings(torch.bfloat16, device) == (4, 2, 1)
    assert asked[0] == (torch.bfloat16, device) and asked[1][:2] == (list(made), 7)
    assert asked[1][2] == 1 or device != "cpu"
    assert measure.rounds_with_ceilings({"mine": None}, device=device)[2] == {"mine": [2.0] * 7}
    assert asked[2] == (torch.float32, device)


def test_ceilings_are_measured_on_this_machine_too():
    assert isinstance(measure.ceilings(n=1), measure.Ceilings)


def test_the_probes_do_what_they_say():
    for name, (call, cost) in measure.probes().items():
        call()
        assert getattr(cost, name) > 0
    assert measure.probes()["flops"][1].flops == 2 * 1024**3
    assert measure.probes()["bytes"][1].bytes == 2 * 2**26
    half = measure.probes(torch.bfloat16)["bytes"]
    assert half[1].bytes == 2 * 2**26 and math.isfinite(half[0]().float().sum())
    assert (measure.probes()["bytes"][0]() == 1).all()  # zeros may lie in no memory at all


class Asked(TorchDispatchMode):
    """Notes each operation, and the least and the largest number that it is given."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        self.found.append((str(op), args[0].min().item(), args[0].max().item()))
        return op(*args, **(kwargs or {}))


def test_the_probe_of_exponentials_takes_as_many_as_it_says_and_keeps_none():
    call, cost = measure.probes()["exps"]
    with Asked() as asked:
        call()
    assert asked.found == [("aten.exp.out", -8, 0)] * 128 and cost.exps == 128 * 2**16


EXPONENTIALS = """
import torch
from attnbook.measure.exponentials import TIMES, exponentials
x = torch.linspace(-8, 0, 2048)
want = x.double()
for _ in range(TIMES):
    want = torch.exp2(-want)
print((exponentials(x, torch.empty_like(x)) - want).abs().max().item())
"""


def test_the_kernel_of_exponentials_takes_them_one_after_the_other():
    pytest.importorskip("triton", reason="this machine has no triton")
    env = os.environ | {"TRITON_INTERPRET": "1"}
    run = [sys.executable, "-c", EXPONENTIALS]
    done = subprocess.run(run, capture_output=True, text=True, env=env, check=True)
    # 2^(-x) draws all numbers to one place, where it has a slope of -0.44: no error lasts
    assert float(done.stdout) < 1e-6


COMPILED = """
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from attnbook.measure.exponentials import BLOCK, TIMES, _exponentials
source = ASTSource(_exponentials, {"x": "*fp32", "out": "*fp32"}, {"TIMES": TIMES, "BLOCK": BLOCK})
target, options = GPUTarget("cuda", 90, 32), {"num_warps": 4}
code = triton.compile(source, target=target, options=options).asm["ptx"]
print(TIMES * BLOCK // 128, code.count("ex2.approx"), code.count("ld.global"))
"""


def test_the_kernel_of_exponentials_has_little_else():
    pytest.importorskip("triton", reason="this machine has no triton")
    env = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    run = [sys.executable, "-c", COMPILED]
    done = subprocess.run(run, capture_output=True, text=True, env=env, check=True)
    wanted, found, loads = map(int, done.stdout.split())
    assert found == wanted and loads <= 8


class Gpu:
    """A GPU that only writes down what it is told, and whose events tell its clock."""

    def __init__(self):
        self.told, self.now = [], 0.0

    def synchronize(self):
        self.told.append("wait")

    def Event(self, enable_timing):
        return Event(self)


class Event:
    def __init__(self, gpu):
        self.gpu = gpu

    def record(self):
        self.gpu.told.append("event")
        self.at = self.gpu.now

    def elapsed_time(self, other):
        return other.at - self.at


def test_a_gpu_is_waited_for_before_and_after_each_call(monkeypatch):
    gpu = Gpu()
    monkeypatch.setattr(torch, "cuda", gpu)

    def work(milliseconds):
        gpu.told.append("call")
        gpu.now += milliseconds

    times = measure.event_rounds({"a": lambda: work(3), "b": lambda: work(5)}, n=2)
    assert times == {"a": [0.003] * 2, "b": [0.005] * 2}
    assert gpu.told == ["wait", "event", "call", "event", "wait"] * 6
