"""`make book` serves the site on a free port and ends cleanly with Ctrl-C."""

import contextlib
import http.client
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from urllib.parse import urlsplit

import pytest

from tools.reproducible import ROOT

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
        [sys.executable, "-m", "tools", "serve"],
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


@pytest.fixture
def asked(project):
    """The status and the text with which the server answers a path."""
    (project / "secret").write_text("not the book's")
    (project / "_build/html/link").symlink_to(project / "secret")
    server = subprocess.Popen(
        [sys.executable, "-m", "tools", "serve"],
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    address = urlsplit(ADDRESS.search(read_until(server.stdout.fileno(), ADDRESS))[0].decode())

    def ask(path, host="localhost"):
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        connection.request("GET", path, headers={"Host": f"{host}:{address.port}"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    yield ask
    server.send_signal(signal.SIGINT)
    assert b"Traceback" not in server.communicate(timeout=60)[0]


def test_a_page_elsewhere_can_not_have_its_own_name_answered(asked):
    assert asked("/") == (200, "the book")
    assert asked("/", host="rebound.example")[0] == 403


@pytest.mark.parametrize("path", ["/link", "/none", "/a%00b", "/../secret", "/%2e%2e/secret"])
def test_what_is_not_in_the_site_is_not_found(asked, project, path):
    assert asked(path)[0] == 404
    (project / "_build/html/404.html").write_text("this page is 100% missing")
    assert asked(path) == (404, "this page is 100% missing")


def test_serve_0_only_builds(project):
    done = subprocess.run(["make", "book", "SERVE=0"], cwd=project, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"")
