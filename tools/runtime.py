"""Have the files that run Python in a page, each with the sha256 that `runtime.json` pins.

They are Pyodide's, and the wheels that its own lock file names; pip finds them where it finds all
else. They lie in `.runtime`, and are fetched once. Where they cannot be had, pages run nothing.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tools.reproducible import ROOT

FOLDER = ROOT / ".runtime"
WHEELS = ROOT / "tools" / "runtime.txt"
PINNED = json.loads((ROOT / "tools" / "runtime.json").read_text(encoding="utf-8"))
INSIDE = "open_webui/frontend/pyodide/"
WITHOUT = (
    "The files that run Python in a page could not be downloaded: pages are built without them."
)


def hashes():
    """The sha256 of each file, by its name."""
    wheels = {each["file_name"]: each["sha256"] for each in PINNED["lock"]["packages"].values()}
    return PINNED["core"] | wheels


def digest(content):
    return hashlib.sha256(content).hexdigest()


def is_there():
    paths = {name: FOLDER / name for name in hashes()}
    return all(path.is_file() for path in paths.values()) and all(
        digest(path.read_bytes()) == hashes()[name] for name, path in paths.items()
    )


def fetch():
    """Download the wheels and take out what is pinned. A file with another hash ends the build."""
    with tempfile.TemporaryDirectory() as folder:
        pip = sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"
        asked = "--python-version", "3.12", "--require-hashes", "-r", WHEELS, "-d", folder
        done = subprocess.run([*pip, *asked], capture_output=True, text=True)
        if "DO NOT MATCH THE HASHES" in done.stderr:
            sys.exit(f"{done.stderr}\nA wheel is not the one that tools/runtime.txt names.")
        if done.returncode:
            return False
        take(Path(folder))
    return True


def take(folder):
    """Write the pinned files out of these wheels, all of them or none."""
    (carrier,) = folder.glob("open_webui-*.whl")
    found = {}
    with zipfile.ZipFile(carrier) as wheel:
        for name, wanted in hashes().items():
            whole = folder / name
            found[name] = whole.read_bytes() if whole.exists() else wheel.read(INSIDE + name)
            if digest(found[name]) != wanted:
                sys.exit(f"{name} is not the file that tools/runtime.json names: its hash differs.")
    FOLDER.mkdir(exist_ok=True)
    for name, content in found.items():
        (FOLDER / name).write_bytes(content)


def have():
    """Fetch what is not there yet; say so where that fails."""
    if is_there():
        return
    print("Fetching the files that run Python in a page (106 MB, once)", flush=True)
    if not fetch():
        print(WITHOUT, flush=True)


if __name__ == "__main__":
    have()
