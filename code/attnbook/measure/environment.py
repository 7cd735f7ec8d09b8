"""Where a figure comes from."""

import datetime
import os
import platform
import re
import subprocess
from pathlib import Path

import numpy as np
import torch


def environment():
    """What a figure depends on: machine, system, versions, commit and date, as a dict of text."""
    found = {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else "none",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "commit": _commit(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }
    return found


def _processor():
    """The processor's name; Python's own answer is empty on Linux."""
    try:
        names = re.findall(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def _commit():
    """The commit that the package is at, with a + if it was changed since."""
    git = ("git", "-C", str(Path(__file__).parent))
    try:
        run = [
            subprocess.run([*git, *command], capture_output=True, text=True, check=True).stdout
            for command in (("rev-parse", "--short", "HEAD"), ("status", "--porcelain"))
        ]
    except (OSError, subprocess.CalledProcessError):
        return "none"
    return run[0].strip() + ("+" if run[1].strip() else "")
