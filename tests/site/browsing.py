"""The pages of the book, served on localhost and opened in a headless Chromium."""

import functools
import gzip
import http.server
import os
import re
import shutil
import socket
import threading
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from looks import WATCH_SHIFTS
from playwright.sync_api import sync_playwright

from tools import toc
from tools.reproducible import ROOT

PAGES = toc.pages()
DRAWING = re.compile(rb"(<figure class=\"drawn.*?)<svg.*?</svg>", re.DOTALL)
DIRECT = build_opener(ProxyHandler({}))  # ten times as fast as a request of the browser's own
NAMES = ("chromium", "chromium-browser", "google-chrome")


@functools.cache  # most files are those of all pages
def _sent(text):
    return len(gzip.compress(DRAWING.sub(rb"\1", text)))


class _Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def end_headers(self):
        """Fonts may be kept, as hosts say: of one that it asks for anew, Chromium complains."""
        if self.path.endswith(".woff2"):
            self.send_header("Cache-Control", "max-age=86400")
        super().end_headers()


class _Server(http.server.ThreadingHTTPServer):
    """One that ends its connections with itself: a browser would go on asking on those it holds."""

    def __init__(self, *args):
        self.held = []
        super().__init__(*args)

    def get_request(self):
        self.held.append(super().get_request())
        return self.held[-1]

    def server_close(self):
        super().server_close()
        for connection, _ in self.held:
            with suppress(OSError):  # it has ended already
                connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def served(folder):
    server = _Server(("127.0.0.1", 0), functools.partial(_Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@contextmanager
def launched():
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        raise FileNotFoundError("no Chromium was found: install one, or name it in CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def altered(page, script, old, new):
    """The open page with a mistake in a script of the site, one text in place of another."""
    source = (ROOT / "book" / "_static" / script).read_text(encoding="utf-8")
    assert source.count(old) == 1, f"{script} has {source.count(old)} times {old!r}, not once"
    answer = {"body": source.replace(old, new), "content_type": "text/javascript"}
    address = re.compile(rf"/_static/{re.escape(script)}")
    page.route(address, lambda route: route.fulfill(**answer))
    page.reload()
    yield
    page.unroute(address)


FORGET = """async () => {
  localStorage.clear();
  sessionStorage.clear();
  const workers = await navigator.serviceWorker?.getRegistrations().catch(() => []) ?? [];
  for (const worker of workers) await worker.unregister();  // it would answer for the next page
  const kept = await globalThis.caches?.keys().catch(() => []) ?? [];
  for (const name of kept) await caches.delete(name);
}"""


IDLE = "new Promise(done => requestIdleCallback(() => done(), {timeout: 1000}))"


class Window:
    """One window of a browser: the page that is open, what it asked for and complained about.

    Pages are opened in it one after the other, as a reader does, so that what they share is fetched
    and compiled once. Each finds no trace of the one before.
    """

    def __init__(self, browser, scripts=True):
        self.scripts = scripts
        self.page = browser.new_context(java_script_enabled=scripts).new_page()
        self.page.on("request", lambda request: self._requests.add(request.url))
        self.page.on("pageerror", lambda error: self._complaints.append(str(error)))
        self.page.on("console", self._hear)
        self.page.add_init_script(WATCH_SHIFTS)
        self.root = self.seen = None
        self.judged = set()  # the kinds of text that have been looked at

    def open(self, root, path, scheme="light", width=1280):
        """Open the page of the site at `root`."""
        if self.root:
            self.page.evaluate(FORGET)
        self.page.goto("about:blank")
        self.page.mouse.move(0, 0)
        self.page.emulate_media(color_scheme=scheme, media="screen", reduced_motion="no-preference")
        self.resize(width)
        self.root, self.path, self.seen = root, path, (scheme, width)
        self._requests, self._complaints, self._waited = set(), [], False
        self.page.goto(f"{root}/{path}")
        if self.scripts:
            self.page.evaluate("document.fonts.ready.then(() => true)")
            self.page.evaluate(IDLE)
        return self

    @property
    def requests(self):
        """The addresses that the page asked for."""
        self._wait()
        return self._requests

    @property
    def complaints(self):
        """What its console said, and which errors nobody caught."""
        self._wait()
        return self._complaints

    def _wait(self):
        """Once for each page, for what it asks for after it has loaded."""
        if self.scripts and not self._waited:
            self.page.wait_for_timeout(100)
        self._waited = True

    def resize(self, width):
        self.page.set_viewport_size({"width": width, "height": 900})

    def look(self, scheme, width):
        """The same page in other colours, in a window as wide as this; the page has heard of it."""
        if (scheme, width) == self.seen:
            return
        self.seen = scheme, width
        self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # no colour between
        self.resize(width)
        self.settle()

    def settle(self):
        """Wait until the page has been drawn again, in a window of another size, say."""
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")

    def _hear(self, message):
        if message.type in ("error", "warning"):
            self._complaints.append(f"{message.text} {message.location.get('url', '')}".strip())

    def alone(self):
        """The same page in a window of its own, which fetches no font that only others have."""
        scheme, width = self.seen
        return Window(self.page.context.browser).open(self.root, self.path, scheme, width)

    def weight(self):
        """Bytes of all files asked for, as a host that compresses text sends them; no figures."""
        own = [url for url in self.requests if url.startswith(self.root)]
        files = [url for url in own if not urlsplit(url).path.endswith((".png", ".svg"))]
        bodies = {url: DIRECT.open(url).read() for url in files}
        return sum(len(body) if ".woff" in url else _sent(body) for url, body in bodies.items())
