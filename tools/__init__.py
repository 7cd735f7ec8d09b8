"""What the Makefile runs: `python -m tools build` begins `tools/build.py` quietly."""

import sys


def quiet_start():
    """Have an interrupt end this program in one sentence from now on, its imports included.

    And leave out what jsonschema would import to ask about addresses beyond ASCII: it makes 39
    grammars, for 1.5 s.
    """
    sys.excepthook = _excepthook
    sys.modules["rfc3987_syntax"] = None  # which reads as: not installed


def _excepthook(kind, error, traceback):
    """Say as much of an interrupt as its reader needs; the work itself says more of its own."""
    if issubclass(kind, KeyboardInterrupt):
        print("\nStopped before the work began.", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, traceback)
