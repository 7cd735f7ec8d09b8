"""Kernels that speak over sockets in a folder of their own: two programs do not get the same.

Over TCP, a kernel's ports are chosen before they are taken. As a pytest plugin (`-p tools.kernels`)
this holds for nbval, which has no setting for it, nor for what it is not to compare: figures.
"""

import atexit
import os
import shutil
import tempfile
from functools import partial

import nbval.kernel
import nbval.plugin

LONGEST = 103  # bytes in the path of a socket, on macOS; Linux allows 107


def speech(folder):
    """How kernels are to speak whose sockets lie in this folder, in Jupyter's settings."""
    ip = f"{folder}/kernel"
    fits = len(f"{ip}-00000".encode()) <= LONGEST
    return {"transport": "ipc", "ip": ip} if fits else {"transport": "tcp"}


FOLDER = tempfile.mkdtemp(prefix="kernels-", dir=os.environ.get("KERNELS"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
SPEECH = speech(FOLDER)
nbval.kernel.KernelManager = partial(nbval.kernel.KernelManager, **SPEECH)


def pytest_collectstart(collector):
    """Leave SVG images out of the comparison, as nbval does with others: processors differ."""
    if isinstance(collector, nbval.plugin.IPyNbFile):
        collector.skip_compare += ("image/svg+xml",)
