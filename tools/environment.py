"""Make `.venv` and install into it what one requirements file pins.

    sh tools/python -m tools environment requirements-book.txt

It needs nothing but the standard library and pip, which come with Python. uv would install faster,
but it has to be installed first, and it does not read pip's settings, with which a machine says
where its packages come from. Whatever goes wrong ends in one sentence, and running it
again works: an environment that was left half made is made afresh. One that somebody made by hand
is left alone.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
MADE = VENV / "made"  # where and with which Python; written once the environment can be used
UNFINISHED = VENV / "unfinished"  # there while packages are being installed
VERSION = ".".join(map(str, sys.version_info[:3]))

FULL = re.compile(r"No space left on device|Errno 28")
OFFLINE = re.compile(r"Connection|Retrying|timed out|IncompleteRead|Proxy|SSLError|HASHES")
UNFIT = re.compile(r"(?:No matching distribution found for|Cannot install) (\S+)")


def wanted():
    """A digest of the files that decide what an environment holds."""
    names = [*sorted(ROOT.glob("requirements*.txt")), ROOT / "constraints.txt"]
    read = [path.read_bytes() for path in (*names, ROOT / "pyproject.toml")]
    return hashlib.sha256(b"\0".join(read)).hexdigest()


@contextlib.contextmanager
def alone():
    """Wait until no other make works in this folder."""
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("Waiting for another make that works in this folder", flush=True)
        fcntl.flock(folder, fcntl.LOCK_EX)
    except OSError:  # a file system without locks
        pass
    try:
        yield
    finally:
        os.close(folder)


def is_usable():
    """Whether `.venv` is whole, was made in this folder, and has the Python that was asked for."""
    if UNFINISHED.exists() or not MADE.exists():
        return False
    made = MADE.read_text(encoding="utf-8").splitlines()
    known = 2 if os.environ.get("PYTHON") else 1  # any version will do where none was asked for
    if made[:known] != [str(ROOT), VERSION][:known]:
        return False
    try:
        return subprocess.run([VENV / "bin/python", "-c", ""]).returncode == 0
    except OSError:
        return False


def run(command):
    """Run a command, showing all it says; return its exit status and what it wrote to stderr."""
    environ = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    process = subprocess.Popen(command, cwd=ROOT, env=environ, stderr=subprocess.PIPE, text=True)
    errors = []
    for line in process.stderr:
        sys.stderr.write(line)
        errors.append(line)
    return process.wait(), "".join(errors)


def disk_is_full(errors):
    return bool(FULL.search(errors)) or shutil.disk_usage(ROOT).free < 50e6


def why(errors):
    """One sentence for what pip or venv wrote to stderr."""
    if disk_is_full(errors):
        return "The disk is full: free some gigabytes, then run it again."
    if OFFLINE.search(errors):
        return "The packages could not be downloaded: check the network, then run it again."
    if unfit := UNFIT.search(errors):
        return (
            f"No {unfit[1]} fits Python {VERSION} on this machine: "
            "name another Python, as in: make book PYTHON=python3.12"
        )
    return "The packages could not be installed: the reason is above; mend it, then run it again."


def refuse():
    """End with a sentence where this Python can not make an environment, or must not."""
    minor = VERSION.rpartition(".")[0]
    ours = not VENV.is_symlink() and (MADE.exists() or UNFINISHED.exists())
    empty = VENV.is_dir() and not any(VENV.iterdir())
    if os.path.lexists(VENV) and not ours and not empty:
        sys.exit(
            "There is a .venv that was not made by this book's make, which would replace it: "
            "move it or remove it, then run it again."
        )
    if not importlib.util.find_spec("_ssl"):
        sys.exit(
            f"This Python {minor} was built without SSL and can download nothing: "
            "name another Python, as in: make book PYTHON=python3.12"
        )
    if not importlib.util.find_spec("ensurepip"):
        sys.exit(
            f"This Python {minor} cannot make an environment: install its venv package "
            f"(Debian, Ubuntu: apt install python{minor}-venv), then run it again."
        )


def clear():
    """Have an empty `.venv` that is known as ours, and was so at each moment on the way."""
    VENV.mkdir(exist_ok=True)
    UNFINISHED.touch()
    for path in set(VENV.iterdir()) - {UNFINISHED}:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def make():
    refuse()
    print(f"Making .venv with Python {VERSION}", flush=True)
    clear()
    status, errors = run([sys.executable, "-m", "venv", VENV])
    if status:
        sys.exit(why(errors))
    MADE.write_text(f"{ROOT}\n{VERSION}\n", encoding="utf-8")
    UNFINISHED.unlink()


def described(requirements):
    """The lines at the head of a requirements file: what it is for, and how much it takes."""
    lines = (ROOT / requirements).read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("# ") for line in lines if line.startswith("# ")]


def install(requirements):
    print(f"Installing what {requirements} names; only the first time takes long.", flush=True)
    print(*described(requirements), sep="\n", flush=True)
    UNFINISHED.touch()
    status, errors = run([VENV / "bin/python", "-m", "pip", "install", "-r", requirements])
    if status:
        sentence = why(errors)
        if "downloaded" in sentence:
            UNFINISHED.unlink()  # pip downloads everything before it installs anything
        sys.exit(sentence)
    UNFINISHED.unlink()


def main(requirements):
    installed = VENV / f"installed-{requirements}"
    try:
        with alone():
            if not is_usable():
                make()
            if not installed.exists() or installed.read_text() != wanted():
                install(requirements)
                installed.write_text(wanted())
    except KeyboardInterrupt:
        sys.exit("\nStopped before the environment was ready: run it again to go on.")
    except OSError as error:
        print(error, file=sys.stderr)
        sys.exit(why(str(error)))


if __name__ == "__main__":
    main(sys.argv[1])
