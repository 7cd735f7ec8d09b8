"""A training in a file of numbers, from which it goes on as though it had never stopped.

The file is a safetensors file: tensors by name, and a few words of text. Nothing in it can run.
"""

import json
import os
import tempfile
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from attnbook.models.training import Training


def save(path: str, training: Training, **settings) -> None:
    """Write a training into a file, with settings of your own, such as the number of heads.

    The file holds the parameters and buffers, what Adam remembers, the losses and the state of the
    generator. It is whole or not there: it is written beside its place and then moved into it.
    """
    tensors = {f"module.{name}": x for name, x in training.module.state_dict().items()}
    for n, kept in training.optimiser.state_dict()["state"].items():
        tensors |= {f"optimiser.{n}.{name}": x for name, x in kept.items()}
    tensors["losses"] = torch.tensor(training.losses, dtype=torch.float64)
    tensors["generator"] = training.generator.get_state()
    words = {"steps": training.steps, "lr": training.lr, "settings": settings}
    separate = {name: x.detach().clone() for name, x in tensors.items()}  # none shares memory
    _write(Path(path), separate, {"attnbook": json.dumps(words)})


def _write(path, tensors, words):
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        save_file(tensors, beside := Path(folder, path.name), words)
        with open(beside, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(beside, path)


def load(path: str, training: Training) -> dict:
    """Put what a file holds into a training, which then goes on from there; return the settings.

    Raises ValueError, and changes nothing, if the file is no checkpoint, or if a name, a shape, the
    number of steps or the learning rate is not that of `training`.
    """
    tensors, words = _read(path)
    for name in ("steps", "lr"):
        if words[name] != (here := getattr(training, name)):
            raise ValueError(f"{name} is {here}; expected {words[name]}, as in {path}")
    state = _part(tensors, "module.")
    _refuse_unless_alike(state, training.module.state_dict(), path)
    kept = {}
    for name, x in _part(tensors, "optimiser.").items():
        n, _, key = name.partition(".")
        kept.setdefault(int(n), {})[key] = x
    groups = training.optimiser.state_dict()["param_groups"]
    training.module.load_state_dict(state)
    training.optimiser.load_state_dict({"state": kept, "param_groups": groups})
    training.generator.set_state(tensors["generator"])
    training.losses[:] = tensors["losses"].tolist()
    return words["settings"]


def _read(path):
    try:
        with safe_open(path, framework="pt") as file:
            words = json.loads((file.metadata() or {})["attnbook"])
            return {name: file.get_tensor(name) for name in file.keys()}, words
    except OSError:
        raise
    except Exception as error:  # whatever a strange file makes the reader raise
        raise ValueError(f"{path} is no checkpoint of a training: {error}") from None


def _part(tensors, begin):
    return {n.removeprefix(begin): x for n, x in tensors.items() if n.startswith(begin)}


def _refuse_unless_alike(state, wanted, path):
    for name in [*wanted, *state]:
        found, expected = (tuple(s[name].shape) if name in s else None for s in (state, wanted))
        if found != expected:
            given = "is missing" if found is None else f"has the shape {found}"
            asked = (
                "none, as in the module" if expected is None else f"{expected}, as in the module"
            )
            raise ValueError(f"{name} {given} in {path}; expected {asked}")
