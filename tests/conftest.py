"""What holds for all tests, whoever begins them, and whatever they import first.

Tests of the kernels need Triton's interpreter. A shell that begins a command behind others lets it
ignore Ctrl-C, and so would each program that a test starts: here it is heard again. What is marked
`everywhere` takes many minutes, and few commits change it: it waits to be asked for.
"""

import importlib.util
import os
import signal

import pytest

from tools.results import LEFT_OUT

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

if importlib.util.find_spec("torch"):
    import torch

    if not torch.cuda.is_available():
        os.environ.setdefault("TRITON_INTERPRET", "1")


def pytest_addoption(parser):
    parser.addoption("--everywhere", action="store_true", help="run what is marked so, too")


@pytest.fixture
def progress_folder(tmp_path, monkeypatch):
    """The folder where a reader's progress is kept: one of this test's own."""
    from attnbook.exercises.engine import record

    monkeypatch.setattr(record, "path", lambda: tmp_path / "data" / "progress.json")
    return tmp_path / "data"


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--everywhere"):
        for item in items:
            if item.get_closest_marker("everywhere"):
                item.add_marker(pytest.mark.skip(reason=LEFT_OUT))
