"""What the Makefile runs. An interrupt ends each tool in one sentence, from its first import on."""

import sys


def excepthook(kind, error, traceback):
    """Say as much of an interrupt as its reader needs; the work itself says more of its own."""
    if issubclass(kind, KeyboardInterrupt):
        print("\nStopped before the work began.", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, traceback)


sys.excepthook = excepthook

# jsonschema asks it about addresses beyond ASCII; it makes 39 grammars at its import, for 1.5 s.
sys.modules["rfc3987_syntax"] = None  # which reads as: not installed
