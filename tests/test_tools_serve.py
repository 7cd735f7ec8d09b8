"""`make book` serves the site on a free port, to this machine alone, until Ctrl-C."""

import contextlib
import http.client
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys

import pytest

from tools.reproducible import ROOT


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


def asked(port, host):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/", headers={"Host": f"{host}:{port}"})
    answer = connection.getresponse()
    return answer.status, answer.read()


def leave(port):
    """Ask, and hang up at once."""
    with socket.create_connection(("127.0.0.1", port)) as browser:
        browser.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        browser.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")


@pytest.fixture
def servers(project):
    """Two at once, of which one at most has port 8000, each with the line that it begins with."""
    command = [sys.executable, "-m", "tools", "serve"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with contextlib.ExitStack() as stack:
        started = [subprocess.Popen(command, cwd=project, **pipes) for _ in range(2)]
        for server in started:
            stack.enter_context(server)
            stack.callback(server.kill)
        yield [(server, server.stdout.readline()) for server in started]


def test_the_book_is_served_on_a_free_port_to_this_machine_until_ctrl_c(servers):
    ports = [int(re.search(r"http://127\.0\.0\.1:(\d+)/", line)[1]) for _, line in servers]
    assert len(set(ports)) == 2
    for port, (server, _) in zip(ports, servers, strict=True):
        leave(port)
        assert asked(port, "localhost") == asked(port, "127.0.0.1") == (200, b"the book")
        assert asked(port, "rebound.example")[0] == 403
        server.send_signal(signal.SIGINT)
        assert server.communicate(timeout=60)[0] == "\nStopped.\n"
        assert server.returncode == 0


def test_serve_0_only_builds(project):
    done = subprocess.run(["make", "book", "SERVE=0"], cwd=project, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"")
