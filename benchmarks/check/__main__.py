"""On a machine with a GPU: python3 -m benchmarks.check [MINUTES]."""

import sys

from benchmarks.check.command import main

if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
