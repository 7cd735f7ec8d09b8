"""Tests of the kernels need Triton's interpreter, whoever imports Triton first in their process."""

import importlib.util
import os

if importlib.util.find_spec("torch"):
    import torch

    if not torch.cuda.is_available():
        os.environ.setdefault("TRITON_INTERPRET", "1")
