"""What `gpu-check` cannot do without, and what would be missed later: both are said at once."""

import sys
from pathlib import Path

PEERS = Path("peers")
NO_COMMIT = (
    "gpu-check must know the commit of these files, and finds no git here: say it, as in\n"
    "    ATTNBOOK_COMMIT=abc1234 python3 -m benchmarks.check\n"
    "`git rev-parse --short HEAD` answers it where the files come from."
)
CHANGED = "these files are not those of their commit: the record will be refused"


def refusal():
    """Why nothing can begin; None if all that is needed is here."""
    try:
        import torch

        import triton  # noqa: F401
    except ImportError as missing:
        return f"gpu-check needs PyTorch and Triton: {missing}"
    if not torch.cuda.is_available():
        return "gpu-check needs a GPU: PyTorch finds none"
    from attnbook.measure.provenance import commit

    return NO_COMMIT if commit() == "none" else None


def missed():
    """What the record will lack, a sentence each."""
    from attnbook.measure.provenance import commit
    from benchmarks.race.tutorial import FILE, fault

    tutorial = fault(PEERS / FILE)
    return ([CHANGED] if commit().endswith("+") else []) + ([tutorial] if tutorial else [])


def main():
    if why := refusal():
        sys.exit(why)
    for line in missed():
        print(f"\n{'!' * 80}\n!!! {line}\n{'!' * 80}\n", flush=True)


if __name__ == "__main__":
    main()
