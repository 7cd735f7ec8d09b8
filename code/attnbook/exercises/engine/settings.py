"""PyTorch's global settings, which an answer neither meets changed nor leaves changed."""

import contextlib
from collections.abc import Callable
from typing import NamedTuple

import torch

from attnbook.exercises.engine.sandbox import Unfit


class Setting(NamedTuple):
    """How a setting is read and changed, and its value in a fresh PyTorch."""

    name: str
    get: Callable
    set: Callable
    plain: object


def _set_device(device):
    torch.set_default_device(None if device.type == "cpu" else device)


SETTINGS = (
    Setting(
        "the recording of gradients, for all tensors",
        torch.is_grad_enabled,
        torch.set_grad_enabled,
        True,
    ),
    Setting(
        "PyTorch's default dtype", torch.get_default_dtype, torch.set_default_dtype, torch.float32
    ),
    Setting("PyTorch's default device", torch.get_default_device, _set_device, torch.device("cpu")),
    Setting(
        "whether SDPA may take FLASH",
        torch.backends.cuda.flash_sdp_enabled,
        torch.backends.cuda.enable_flash_sdp,
        True,
    ),
    Setting(
        "the number of PyTorch's threads",
        torch.get_num_threads,
        torch.set_num_threads,
        torch.get_num_threads(),
    ),
    Setting(
        "whether PyTorch is deterministic",
        torch.are_deterministic_algorithms_enabled,
        torch.use_deterministic_algorithms,
        False,
    ),
    Setting("PyTorch's search for NaN", torch.is_anomaly_enabled, torch.set_anomaly_enabled, False),
)


@contextlib.contextmanager
def plain_settings():
    """PyTorch as it comes, and afterwards as it was. Raises Unfit where something is left over."""
    before = [s.get() for s in SETTINGS]
    _set(s.plain for s in SETTINGS)
    try:
        with torch.random.fork_rng(devices=[]):  # to ask for all of them takes seconds
            seed = torch.default_generator.seed()  # one that no answer will set
            yield
            changed = [s.name for s in SETTINGS if s.get() != s.plain]
            if torch.initial_seed() != seed:
                changed.append("the seed of PyTorch's random numbers")
        if changed:
            raise Unfit(f"your function changed {changed[0]}; leave it as it was")
    finally:
        _set(before)


def _set(values):
    for setting, value in zip(SETTINGS, values, strict=True):
        if setting.get() != value:
            setting.set(value)
