"""What a GPU is asked for when a call is timed, in which order: on a stand-in that notes it."""

import types

import pytest
import torch

from attnbook.measure.gpu import machine


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


def test_a_call_stands_alone_between_two_events_after_a_flush_and_a_hold(gpu):
    made, noted, _ = gpu
    assert noted.log == [("cache of", 2**29, "cuda")]  # four times as large as the GPU's own
    noted.log.clear()
    seconds, host = made.time(noted.note("call"), hold=0.001)
    assert seconds == 0.003 and 0 <= host < 1
    names = [name for name, *_ in noted.log]
    assert names == ["wait", "flush", "sleep", "event", "call", "event", "wait"]
    assert ("sleep", 2_000_001) in noted.log  # 1 ms of a clock of 2 GHz


def test_the_gpu_is_not_held_for_long(gpu):
    made, noted, _ = gpu
    made.time(lambda: None, hold=9.0)
    assert ("sleep", int(machine.LONGEST_HOLD * machine.CLOCK) + 1) in noted.log


def test_memory_is_the_peak_beyond_what_was_there(gpu):
    made, noted, _ = gpu
    noted.log.clear()
    assert made.peak(noted.note("call")) == 250 and made.memory() == 2**36
    assert [name for name, *_ in noted.log] == ["wait", "reset", "call", "wait"]


def test_what_is_poisoned_is_filled_with_nan_and_given_back(gpu):
    made, noted, _ = gpu
    noted.log.clear()
    made.poison(1000)
    (_, (filled, shape, value)) = noted.log
    assert (filled, shape) == ("full", (500,)) and value != value


def test_a_gpu_after_a_wrong_access_is_known_to_be_dead(gpu):
    made, _, cuda = gpu
    assert made.is_alive()

    def fails():
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    cuda.synchronize = fails
    assert not made.is_alive()


def test_what_is_flushed_is_more_than_any_cache(gpu, monkeypatch):
    _, noted, cuda = gpu
    small = types.SimpleNamespace(L2_cache_size=2**20)
    monkeypatch.setattr(cuda, "get_device_properties", lambda: small)
    noted.log.clear()
    made = machine.Gpu()
    assert noted.log == [("cache of", 2**28, "cuda")] and made.device == "cuda"
    noted.log.clear()
    made.time(lambda: None)
    assert ("sleep", 1) in noted.log  # nobody is held if nobody says so


def test_poison_is_of_the_dtype_that_its_bytes_are_counted_in(gpu, monkeypatch):
    made, _, _ = gpu
    asked = []
    monkeypatch.setattr(machine.torch, "full", lambda *given, **named: asked.append(named))
    made.poison(1000)
    assert asked == [{"dtype": machine.torch.bfloat16, "device": "cuda"}]


def test_what_is_forgotten_is_memory_and_what_was_compiled(gpu):
    made, noted, _ = gpu
    noted.log.clear()
    made.forget()
    assert noted.log == [("empty",), ("forget",)]
