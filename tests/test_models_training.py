"""Training and checkpoints: what goes on is what would have been, to the bit."""

import inspect
import json
import os
import signal
import threading

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from attnbook import models
from attnbook.models import checkpoints, training

STEPS = 12


def loss_of(module, generator):
    x = torch.randn(16, 3, generator=generator)
    return (module(x)[:, 0] - x.sum(dim=-1)).square().mean()


def made(width=5, steps=STEPS, lr=0.05):
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, 1))
    return models.Training(module, loss_of, steps, lr)


def state(run):
    return [x.tolist() for x in run.module.state_dict().values()]


def test_it_learns_and_has_a_loss_for_each_step():
    run = made(steps=200)
    losses = run.run()
    assert len(losses) == 200 and losses is run.losses
    assert np.mean(losses[-20:]) < 0.1 * np.mean(losses[:5])
    assert not run.module.training


def test_in_parts_it_is_the_same_training():
    whole, parts = made(), made()
    whole.run()
    for until in (0, 3, 3, 8, STEPS):
        assert len(parts.run(until)) == until
    assert parts.losses == whole.losses and state(parts) == state(whole)


def interrupting(run, at, times=1):
    def loss(module, generator):
        if len(run.losses) == at:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
        return loss_of(module, generator)

    return loss


def test_an_interrupt_ends_it_after_the_step_and_it_goes_on_as_if_there_had_been_none(capsys):
    whole, run = made(), made()
    whole.run()
    run.loss_of = interrupting(run, 4)
    assert len(run.run()) == 5
    assert capsys.readouterr().out == "Stopped after step 5 of 12: run it again to go on.\n"
    run.loss_of = loss_of
    assert run.run() == whole.losses and state(run) == state(whole)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_ends_it_at_once():
    run = made()
    run.loss_of = interrupting(run, 4, times=2)
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert len(run.losses) == 4
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_outside_the_main_thread_it_trains_too():
    run = made()
    thread = threading.Thread(target=run.run)
    thread.start()
    thread.join()
    assert len(run.losses) == STEPS


def test_the_rate_rises_to_1_and_falls_to_nearly_0():
    rates = [models.one_cycle(n / 1000) for n in range(1, 1001)]
    assert max(rates) == 1 == rates[299]
    assert rates[:300] == sorted(rates[:300]) and rates[299:] == sorted(rates[299:], reverse=True)
    assert rates[-1] == 1e-3 and rates[0] < 1e-4


def test_adam_gets_the_rate_of_its_step():
    run, seen = made(), []
    step = run.optimiser.step
    run.optimiser.step = lambda: seen.append(run.optimiser.param_groups[0]["lr"]) or step()
    run.run()
    assert seen == [0.05 * models.one_cycle(n / STEPS) for n in range(1, STEPS + 1)]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: made().run(13), "until is 13; expected at most steps, which is 12"),
        (lambda: made(steps=0), "steps is 0 and lr is 0.05; expected numbers above 0"),
        (lambda: made(lr=0), "steps is 12 and lr is 0; expected numbers above 0"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def goes_on(tmp_path):
    """Whether a training goes on from a file as it would have gone on without one."""
    path, straight, first, second = tmp_path / "at-5", made(), made(), made()
    straight.run()
    first.run(5)
    models.save(path, first, heads=2)
    torch.manual_seed(9)
    assert models.load(path, second) == {"heads": 2}
    assert second.losses == first.losses and state(second) == state(first)
    return second.run() == straight.losses and state(second) == state(straight)


def test_a_checkpoint_goes_on_to_the_bit(tmp_path):
    assert goes_on(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["at-5"]


@pytest.mark.parametrize(
    "line",
    [
        'training.optimiser.load_state_dict({"state": kept, "param_groups": groups})',
        'training.generator.set_state(tensors["generator"])',
    ],
)
def test_a_checkpoint_that_forgets_is_found(tmp_path, monkeypatch, line):
    source = inspect.getsource(checkpoints.load)
    assert line in source
    scope = dict(vars(checkpoints))
    exec(source.replace(line, "pass"), scope)
    monkeypatch.setattr(models, "load", scope["load"])
    assert not goes_on(tmp_path)


def test_a_save_that_fails_leaves_the_file_of_before(tmp_path, monkeypatch):
    path, run = tmp_path / "kept", made()
    models.save(path, run)
    before = path.read_bytes()

    def fails(*given):
        raise OSError("No space left on device")

    run.run(3)
    for name in ("fsync", "replace"):
        monkeypatch.setattr(os, name, fails)
        with pytest.raises(OSError, match="No space"):
            models.save(path, run)
        assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["kept"]


def wider(path):
    models.save(path, made(width=6))


def deeper(path):
    run = made()
    run.module.append(nn.Linear(1, 1))
    models.save(path, models.Training(run.module, loss_of, STEPS, 0.05))


def shallower(path):
    models.save(path, models.Training(made().module[:2], loss_of, STEPS, 0.05))


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (wider, r"0.weight has the shape \(6, 3\) in .*; expected \(5, 3\), as in the module"),
        (deeper, r"3.\w+ has the shape \(1.*\) in .*; expected none, as in the module"),
        (shallower, r"2.weight is missing in .*; expected \(1, 5\), as in the module"),
        (lambda path: models.save(path, made(steps=9)), "steps is 12; expected 9, as in"),
        (lambda path: models.save(path, made(lr=0.1)), "lr is 0.05; expected 0.1, as in"),
        (lambda path: path.write_bytes(b"no tensors"), "is no checkpoint of a training"),
        (lambda path: save_file({"x": torch.ones(1)}, path), "is no checkpoint of a training"),
    ],
)
def test_a_checkpoint_of_another_shape_is_refused_with_a_sentence(tmp_path, write, said):
    write(path := tmp_path / "other")
    run = made()
    run.run(2)
    before, losses = state(run), list(run.losses)
    with pytest.raises(ValueError, match=said):
        models.load(path, run)
    assert state(run) == before and run.losses == losses


def test_a_file_that_is_not_there_is_said_to_be_so(tmp_path):
    with pytest.raises(FileNotFoundError):
        models.load(tmp_path / "nothing", made())


def test_tied_weights_and_settings_come_back(tmp_path):
    def tied():
        torch.manual_seed(0)
        module = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 1))
        module[1].weight = module[0].weight
        return models.Training(module, loss_of, STEPS, 0.05)

    run, other = tied(), tied()
    run.run(4)
    models.save(tmp_path / "tied", run, scorer="additive", widths=[3, 3])
    assert models.load(tmp_path / "tied", other) == {"scorer": "additive", "widths": [3, 3]}
    assert other.module[1].weight is other.module[0].weight and state(other) == state(run)


def test_the_file_holds_numbers_and_words_alone(tmp_path):
    models.save(path := tmp_path / "file", made())
    data = path.read_bytes()
    n = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + n])
    assert json.loads(header["__metadata__"]["attnbook"]) == {
        "steps": 12,
        "lr": 0.05,
        "settings": {},
    }


def test_the_bar_is_off_where_it_is_asked_to_be(capfd, monkeypatch):
    assert training.tqdm is not None
    made().run()
    shown = capfd.readouterr().err
    assert ("step" in shown) is (os.environ.get("TQDM_DISABLE") != "1")
