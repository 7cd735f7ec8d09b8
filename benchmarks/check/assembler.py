"""Another assembler than Triton's own: where a kernel disagrees, the fault may be the assembler's.

One has made wrong code of right PTX: flash-linear-attention #1262, triton #9433.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Triton 3.7 tells each assembler this, for a fault in those of CUDA 13; Triton 3.6 does not.
OPTIONS = "--regAllocOptLevel=2"


def version(path):
    """Three numbers, such as (12, 8, 93); None if this is no assembler that runs here."""
    try:
        stdout = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
    except OSError:
        return None
    found = re.search(r"V(\d+)\.(\d+)\.(\d+)", stdout)
    return found and tuple(map(int, found.groups()))


def triton():
    """The folder of Triton's own tools; None without Triton."""
    spec = importlib.util.find_spec("triton")
    return spec and Path(spec.submodule_search_locations[0]) / "backends/nvidia/bin"


def places():
    """Where there may be another: those that somebody chose, and those that lie about."""
    chosen = [Path(os.environ.get("SECOND_PTXAS") or "nowhere"), ROOT / "peers/ptxas"]
    packages = Path(sysconfig.get_path("purelib")) / "nvidia"
    about = [*packages.glob("*/bin/ptxas"), *Path("/usr/local").glob("cuda*/bin/ptxas")]
    about += [Path(shutil.which("ptxas") or "nowhere")]
    return chosen, about + ([triton() / "ptxas-blackwell"] if triton() else [])


def another():
    """Its path and version: one that somebody chose, or else the newest; None if there is none."""
    own = triton() and version(triton() / "ptxas")
    for these in places():
        found = [(number, path) for path in these if (number := version(path)) not in (None, own)]
        if found:
            number, path = max(found)
            return str(path), ".".join(map(str, number))
    return None


def settings(path):
    """What makes Triton take it."""
    return {"TRITON_PTXAS_PATH": path, "PTXAS_OPTIONS": OPTIONS}
