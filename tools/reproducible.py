"""The settings under which two runs of a notebook print the same, on any machine."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def settings(folder):
    """The environment of kernels and tests; what they keep for their user goes to `folder`."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return outside | {
        "PYTHONPATH": str(ROOT / "code"),
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": "0",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "XDG_DATA_HOME": f"{folder}/data",  # a reader's progress stays as it is
        "IPYTHONDIR": f"{folder}/ipython",
        "TQDM_DISABLE": "1",  # a bar of progress is for whoever waits, and says how long
        "KERNELS": str(folder),  # where tools.kernels puts their sockets
    }
