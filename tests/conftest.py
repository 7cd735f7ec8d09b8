"""What holds for all tests, whoever begins them, and whatever they import first.

Tests of the kernels need Triton's interpreter. A shell that begins a command behind others lets it
ignore Ctrl-C, and so would each program that a test starts: here it is heard again.
"""

import importlib.util
import os
import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

if importlib.util.find_spec("torch"):
    import torch

    if not torch.cuda.is_available():
        os.environ.setdefault("TRITON_INTERPRET", "1")
