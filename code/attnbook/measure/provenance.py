"""Where a figure comes from."""

import datetime
import importlib.metadata
import importlib.util
import os
import platform
import re
import subprocess
from pathlib import Path

import numpy as np
import torch

# What is asked of nvidia-smi, by the name that it has here.
ASKED = {
    "driver": "driver_version",
    "highest clock": "clocks.max.sm",
    "highest memory clock": "clocks.max.memory",
    "power limit": "power.limit",
}


def environment():
    """What a figure depends on: machine, system, versions, commit and date, as a dict of text.

    Where there is a GPU, its driver, its highest clocks and its limit of power are there too. The
    commit is what ATTNBOOK_COMMIT holds, for a copy of the files without their git, or else git's.
    """
    found = {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else "none",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "triton": _version("triton"),
        "ptxas": _assembler(),
        "commit": commit(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }
    return found | (_gpu() if torch.cuda.is_available() else {})


def _version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _assembler():
    """The version of the assembler that Triton takes, its own unless another is named; or none."""
    spec = importlib.util.find_spec("triton")
    if spec is None:
        return "none"
    own = Path(spec.submodule_search_locations[0]) / "backends/nvidia/bin/ptxas"
    for path in filter(None, (os.environ.get("TRITON_PTXAS_PATH"), own)):
        try:
            run = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        if found := re.search(r"V([\d.]+)", run.stdout):
            return found[1]
    return "none"


def _gpu():
    """What a GPU's times depend on: as its driver says it, "none" where that cannot be asked."""
    properties = torch.cuda.get_device_properties()
    number = f"GPU-{getattr(properties, 'uuid', '')}"
    told = _driver_says("-i", number) or _driver_says()
    known = dict(zip(ASKED, told, strict=True)) if len(told) == len(ASKED) else {}
    return {
        **{name: known.get(name, "none") for name in ASKED},
        "cuda": torch.version.cuda or torch.version.hip or "none",
        "multiprocessors": str(properties.multi_processor_count),
        "gpu memory": f"{properties.total_memory / 2**30:.1f} GiB",
    }


def _driver_says(*which):
    """What nvidia-smi answers of one GPU, in the order of `ASKED`; [] if it does not."""
    asked = ("nvidia-smi", f"--query-gpu={','.join(ASKED.values())}", "--format=csv,noheader")
    try:
        run = subprocess.run([*asked, *which], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return [part.strip() for part in run.stdout.strip().split("\n")[0].split(",")]


def _processor():
    """The processor's name; Python's own answer is empty on Linux."""
    try:
        names = re.findall(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def commit():
    """The commit that the package is at, with a + if it was changed since."""
    if told := os.environ.get("ATTNBOOK_COMMIT"):
        return told
    git = ("git", "-C", str(Path(__file__).parent))
    try:
        run = [
            subprocess.run([*git, *command], capture_output=True, text=True, check=True).stdout
            for command in (("rev-parse", "--short", "HEAD"), ("status", "--porcelain"))
        ]
    except (OSError, subprocess.CalledProcessError):
        return "none"
    return run[0].strip() + ("+" if run[1].strip() else "")
