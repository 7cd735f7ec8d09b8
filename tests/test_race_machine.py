"""What a GPU is asked for when a call is timed, in which order: on a stand-in that notes it."""

import time
import types

import pytest
import torch

from benchmarks.race import condition, machine


class Note:
    """Stands for PyTorch's calls to a GPU, and writes down each."""

    def __init__(self):
        self.log = []

    def note(self, name, answer=None):
        return lambda *args, **more: self.log.append((name, *args)) or answer

    def event(self, enable_timing):
        event = types.SimpleNamespace(record=self.note("event"), elapsed_time=lambda other: 3.0)
        return event


@pytest.fixture
def gpu(monkeypatch):
    noted = Note()
    properties = types.SimpleNamespace(L2_cache_size=2**27, total_memory=2**36)
    cuda = types.SimpleNamespace(
        Event=noted.event,
        synchronize=noted.note("wait"),
        _sleep=noted.note("sleep"),
        get_device_properties=lambda: properties,
        reset_peak_memory_stats=noted.note("reset"),
        memory_allocated=lambda: 100,
        max_memory_allocated=lambda: 350,
        empty_cache=noted.note("empty"),
    )

    def empty(size, dtype, device):
        noted.log.append(("cache of", size, device))
        return types.SimpleNamespace(zero_=noted.note("flush"))

    stand_in = types.SimpleNamespace(
        cuda=cuda, empty=empty, full=noted.note("full"), int8=1, nan=torch.nan, bfloat16=2
    )
    stand_in.compiler = types.SimpleNamespace(reset=noted.note("forget"))
    monkeypatch.setattr(machine, "torch", stand_in)
    made = machine.Gpu()
    return made, noted, cuda


def test_a_call_stands_alone_between_two_events_after_a_flush_and_a_hold(gpu, monkeypatch):
    made, noted, _ = gpu
    assert noted.log == [("cache of", 2**29, "cuda")]  # four times as large as the GPU's own
    assert made.device == "cuda"
    noted.log.clear()
    now = iter((1.0, 1.25))
    monkeypatch.setattr(machine.time, "perf_counter", lambda: next(now))
    assert made.time(noted.note("call"), hold=0.001) == (0.003, 0.25)
    names = [name for name, *_ in noted.log]
    assert names == ["wait", "flush", "sleep", "event", "call", "event", "wait"]
    assert ("sleep", 2_000_001) in noted.log  # 1 ms of a clock of 2 GHz


def test_what_is_flushed_is_more_than_any_cache(gpu, monkeypatch):
    _, noted, cuda = gpu
    small = types.SimpleNamespace(L2_cache_size=2**20)
    monkeypatch.setattr(cuda, "get_device_properties", lambda: small)
    machine.Gpu()
    assert noted.log[1:] == [("cache of", 2**28, "cuda")]


def test_the_gpu_is_not_held_for_long_nor_at_all_if_nobody_says_so(gpu):
    made, noted, _ = gpu
    for hold, longest in (({"hold": 9.0}, int(machine.LONGEST_HOLD * machine.CLOCK)), ({}, 0)):
        made.time(lambda: None, **hold)
        assert ("sleep", longest + 1) in noted.log


def test_memory_is_the_peak_beyond_what_was_there(gpu):
    made, noted, _ = gpu
    noted.log.clear()
    assert made.peak(noted.note("call")) == 250 and made.memory() == 2**36
    assert [name for name, *_ in noted.log] == ["wait", "reset", "call", "wait"]


def test_what_is_poisoned_is_filled_with_nan_of_the_dtype_that_its_bytes_are_counted_in(
    gpu, monkeypatch
):
    made, _, _ = gpu
    asked = []
    monkeypatch.setattr(machine.torch, "full", lambda *given, **named: asked.append((given, named)))
    made.poison(1000)
    ((((shape, value), named)),) = asked
    assert shape == (500,) and value != value
    assert named == {"dtype": machine.torch.bfloat16, "device": "cuda"}


def test_a_gpu_after_a_wrong_access_is_known_to_be_dead(gpu):
    made, _, cuda = gpu
    assert made.is_alive()

    def fails():
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    cuda.synchronize = fails
    assert not made.is_alive()


class Profile:
    """What PyTorch's profiler says of three events, of which one is no kernel's."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def key_averages(self):
        times = {"short": 3.0, "on the CPU": 0, "long" + 200 * "g": 9.0}
        return [types.SimpleNamespace(key=k, device_time_total=t) for k, t in times.items()]


def test_kernels_are_named_the_longest_first_and_nobody_need_tell(gpu):
    made, noted, _ = gpu
    kinds = types.SimpleNamespace(CUDA="on the GPU")
    machine.torch.profiler = types.SimpleNamespace(ProfilerActivity=kinds)
    machine.torch.profiler.profile = lambda activities: Profile()
    assert made.kernels(noted.note("call")) == ["long" + 116 * "g", "short"]
    assert noted.log[-2:] == [("call",), ("wait",)]

    def fails(activities):
        raise RuntimeError("no profiler")

    machine.torch.profiler.profile = fails
    assert made.kernels(noted.note("call")) == []


SMI = """#!/bin/sh
echo "1980, 3201, 650.5, 61, 0x0000000000000004"
echo "345, 3201, 100.0, 60, 0x0000000000000001"
echo "[N/A], 3201, 100.0, 60, 0x0"
echo "1500, 2619, [N/A], 60, 0x0"
echo "1410, 3201, 699.5, 63, 0x0000000000000060"
"""


def test_the_condition_is_what_was_said_since_it_was_asked_last(tmp_path):
    said = tmp_path / "nvidia-smi"
    said.write_text(SMI)
    said.chmod(0o755)
    listens = condition.Condition([str(said)])
    for _ in range(1000):
        if len(listens.lines) < 5:
            time.sleep(0.01)
    assert listens.since() == {
        "clock, MHz": [345, 1410, 1980],
        "memory clock, MHz": 3201,
        "power, W": [650.5, 699.5],
        "heat, °C": 63,
        "throttled": ["power", "heat, by the driver", "heat, by the board"],
        "answers": 3,
    }
    assert listens.since() == {}


def test_a_machine_without_the_drivers_tool_has_no_condition(gpu, monkeypatch):
    made, _, _ = gpu
    monkeypatch.setenv("PATH", "")
    assert made.condition() == {} == made.condition()
    assert condition.WATCH[0] == "nvidia-smi" and not {"-pm", "-lgc", "-r"} & set(condition.WATCH)


def test_what_is_forgotten_is_memory_and_what_was_compiled(gpu):
    made, noted, _ = gpu
    noted.log.clear()
    made.forget()
    assert noted.log == [("empty",), ("forget",)]
