"""What `gpu-check` refuses to begin without, and what it says loudly at once."""

import os
import sys

import pytest
import torch

from attnbook.measure import provenance
from benchmarks.check import ready
from benchmarks.race import tutorial

RIGHT = "import triton\n@triton.jit\ndef f(warp_specialize, IS_HOPPER):\n    pass\n"


@pytest.fixture
def gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(provenance, "commit", lambda: "abc1234")
    return monkeypatch


def test_with_a_gpu_and_a_commit_all_can_begin(gpu):
    assert ready.refusal() is None


def test_without_git_and_without_a_commit_nothing_begins(gpu, tmp_path):
    """What is measured then can be traced to nothing, and the record is refused afterwards."""
    gpu.undo()
    gpu.setattr(torch.cuda, "is_available", lambda: True)
    gpu.setattr(provenance, "__file__", str(tmp_path / "environment.py"))
    gpu.delenv("ATTNBOOK_COMMIT", raising=False)
    assert ready.refusal() == ready.NO_COMMIT
    assert "ATTNBOOK_COMMIT=abc1234 python3 -m benchmarks.check" in ready.NO_COMMIT
    gpu.setenv("ATTNBOOK_COMMIT", "abc1234")
    assert ready.refusal() is None


def test_without_a_gpu_or_triton_nothing_begins(gpu):
    gpu.setattr(torch.cuda, "is_available", lambda: False)
    assert ready.refusal() == "gpu-check needs a GPU: PyTorch finds none"
    gpu.setitem(sys.modules, "triton", None)
    assert "gpu-check needs PyTorch and Triton: " in ready.refusal()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "Triton's tutorial does not race: 06-fused-attention.py is not in the folder peers"),
        (RIGHT, None),
        (RIGHT.replace("IS_HOPPER", "x"), "is not that of Triton 3.6: it lacks IS_HOPPER"),
        (RIGHT.replace("warp_specialize", "x"), "it lacks warp_specialize"),
        (RIGHT.replace("import triton", "import a_fork as triton"), "it lacks import triton"),
    ],
)
def test_a_tutorial_that_is_absent_or_another_is_said_loudly(gpu, tmp_path, capsys, text, said):
    (tmp_path / "peers").mkdir()
    if text:
        (tmp_path / "peers" / tutorial.FILE).write_text(text)
    gpu.chdir(tmp_path)
    ready.main()
    told = capsys.readouterr().out
    assert (said in told and told.count("!" * 80) == 2) if said else not told


def test_changes_that_no_commit_has_are_said_loudly(gpu, tmp_path, capsys):
    gpu.setattr(provenance, "commit", lambda: "abc1234+")
    gpu.chdir(tmp_path)
    ready.main()
    assert f"!!! {ready.CHANGED}\n" in capsys.readouterr().out


def test_what_is_refused_is_the_last_word(gpu, capsys):
    gpu.setattr(provenance, "commit", lambda: "none")
    with pytest.raises(SystemExit) as ended:
        ready.main()
    assert ended.value.code == ready.NO_COMMIT and not capsys.readouterr().out
    assert os.path.basename(ready.PEERS) == "peers"
