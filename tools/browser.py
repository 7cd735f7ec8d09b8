"""Find a Chromium or Chrome that runs, or install one."""

import os
import shutil
import subprocess
import sys
from itertools import chain

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
ADVICE = (
    "The site is printed and tested with Chromium or Google Chrome, and none could be installed: "
    "install one (Debian: apt-get install chromium; macOS: brew install --cask google-chrome) "
    "or name yours: make test CHROMIUM=/path/to/chrome"
)
WRONG = "CHROMIUM names {}, which is no browser that runs: name another, or leave CHROMIUM out"


def runs(path):
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def playwrights_own():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright.chromium.executable_path


def find():
    """The path of a browser that runs, or None; CHROMIUM names the only one to be tried."""
    if named := os.environ.get("CHROMIUM"):
        return named if runs(named) else None
    installed = filter(None, map(shutil.which, NAMES))
    return next((path for path in chain(installed, MAC, playwrights_own()) if runs(path)), None)


def install():
    playwright = [sys.executable, "-m", "playwright", "install", "chromium"]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Chromium with apt-get", flush=True)
        subprocess.run(["apt-get", "update"])
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", "chromium"])
    if not find():
        print("Installing Chromium with Playwright", flush=True)
        subprocess.run(playwright)


def find_or_install():
    if found := find():
        return found
    if named := os.environ.get("CHROMIUM"):
        sys.exit(WRONG.format(named))
    install()
    return find() or sys.exit(ADVICE)
