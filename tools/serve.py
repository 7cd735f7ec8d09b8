"""Serve `_build/html` on this machine until Ctrl-C.

The server is the standard library's. `python -m http.server` alone gives up where its port is busy,
has no page for a wrong address, follows links out of the folder, answers a page elsewhere that gave
its own name this machine's address, and leaves make to end with an error.
"""

import contextlib
import errno
import functools
import os
import signal
import sys
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SITE = Path(__file__).resolve().parents[1] / "_build/html"
PORTS = range(8000, 8100)
NAMES = ("127.0.0.1", "localhost")


class Handler(SimpleHTTPRequestHandler):
    """Files of the site and nothing else, to whoever calls this machine by its own name."""

    def log_message(self, *args):
        pass

    def send_head(self):
        host = self.headers.get("Host", "")
        if host.partition(":")[0] not in NAMES:  # a page elsewhere gave its own name our address
            return self.send_error(HTTPStatus.FORBIDDEN)
        try:
            inside = Path(self.translate_path(self.path)).resolve().is_relative_to(SITE.resolve())
        except ValueError:  # a NUL in the path
            inside = False
        return super().send_head() if inside else self.send_error(HTTPStatus.NOT_FOUND)

    def send_error(self, code, *arguments):
        page = SITE / "404.html"
        if code == HTTPStatus.NOT_FOUND and page.is_file():
            self.error_message_format = page.read_text(encoding="utf-8").replace("%", "%%")
        super().send_error(code, *arguments)


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):  # a browser may leave at any time
            super().handle_error(request, client_address)


def listen(ports):
    """A server on the first of the ports that is free."""
    for port in ports:
        try:
            return Server(("127.0.0.1", port), functools.partial(Handler, directory=SITE))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            print(f"Port {port} is busy, trying the next one", flush=True)
    sys.exit(f"All ports from {ports[0]} to {ports[-1]} are busy: free one, then run it again.")


@contextlib.contextmanager
def keyboard():
    """Have Ctrl-C reach this process alone: make, which waits for it, would end with an error."""
    if not sys.stdin.isatty() or os.tcgetpgrp(0) != os.getpgrp():
        yield
        return
    before = os.getpgrp()
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)  # the shell would not see this process stop
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpgrp())
    try:
        yield
    finally:
        os.tcsetpgrp(0, before)


def main():
    # A shell starts what it runs in the background with Ctrl-C ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with listen(PORTS) as server, keyboard():
        try:
            address = f"http://127.0.0.1:{server.server_port}/"
            print(f"The book is at {address} (Ctrl-C stops)", flush=True)
            server.serve_forever()
        except KeyboardInterrupt:
            print("\nStopped.")


if __name__ == "__main__":
    main()
