"""Serve `_build/html` on this machine until Ctrl-C.

As `python -m http.server` does, but on a port that is free, without a line for each file, and
without an answer to a page elsewhere that gave its own name this machine's address.
"""

import contextlib
import functools
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from tools.reproducible import ROOT


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def send_head(self):
        mine = self.headers.get("Host", "").partition(":")[0] in ("127.0.0.1", "localhost")
        return super().send_head() if mine else self.send_error(403)


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):  # a browser may leave at any time
            super().handle_error(request, client_address)


def listen():
    handler = functools.partial(Handler, directory=ROOT / "_build/html")
    try:
        return Server(("127.0.0.1", 8000), handler)
    except OSError:  # busy
        return Server(("127.0.0.1", 0), handler)


if __name__ == "__main__":
    with listen() as server, contextlib.suppress(KeyboardInterrupt):
        print(f"The book is at http://127.0.0.1:{server.server_port}/ (Ctrl-C stops)", flush=True)
        server.serve_forever()
    print("\nStopped.")
