"""Triton, interpreted where there is no GPU. (A stand-in until the branch `kernels` is merged.)"""

import os

import torch

if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")  # before the import

import triton
import triton.language as tl

__all__ = ["tl", "triton"]
