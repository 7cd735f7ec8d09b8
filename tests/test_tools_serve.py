"""`make book` serves the site on a free port and ends cleanly with Ctrl-C."""

import contextlib
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ADDRESS = re.compile(rb"http://127\.0\.0\.1:\d+/")


@pytest.fixture
def project(tmp_path):
    """A built site, and a `make book` that has nothing to install or build."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    for module in ("environment", "build"):
        (tmp_path / f"tools/{module}.py").write_text("")
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    (tmp_path / "_build/html").mkdir(parents=True)
    (tmp_path / "_build/html/index.html").write_text("the book")
    return tmp_path


@pytest.fixture
def port_8000_is_busy():
    with socket.socket() as taken:
        with contextlib.suppress(OSError):  # busy already
            taken.bind(("127.0.0.1", 8000))
            taken.listen()
        yield


def read_until(terminal, pattern):
    said = b""
    while not pattern.search(said):
        said += os.read(terminal, 4096)
    return said


def read_all(terminal):
    with contextlib.suppress(OSError):  # how a terminal says that it was closed
        while chunk := os.read(terminal, 4096):
            yield chunk


def test_make_book_skips_a_busy_port_and_ctrl_c_ends_it_cleanly(project, port_8000_is_busy):
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(project)
        os.execvp("make", ["make", "book", f"PYTHON={sys.executable}"])
    said = read_until(terminal, ADDRESS)
    assert b"Port 8000 is busy" in said
    with urllib.request.urlopen(ADDRESS.search(said)[0].decode()) as page:
        assert page.read() == b"the book"
    os.write(terminal, b"\x03")
    assert b"".join(read_all(terminal)).replace(b"^C", b"").split(b"\r\n")[-2:] == [
        b"Stopped.",
        b"",
    ]
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("started_with", [signal.SIG_DFL, signal.SIG_IGN])
def test_an_interrupt_ends_the_server_cleanly_where_there_is_no_terminal(project, started_with):
    server = subprocess.Popen(
        [sys.executable, "-m", "tools.serve"],
        cwd=project,
        preexec_fn=lambda: signal.signal(signal.SIGINT, started_with),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    read_until(server.stdout.fileno(), ADDRESS)
    server.send_signal(signal.SIGINT)
    assert server.communicate(timeout=60)[0].endswith(b"\nStopped.\n")
    assert server.returncode == 0


def test_serve_0_only_builds(project):
    done = subprocess.run(["make", "book", "SERVE=0"], cwd=project, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"")
