"""Begin one of the programs of this folder quietly: `python -m tools check FILE`."""

import runpy
import sys

from tools import quiet_start

if __name__ == "__main__":
    quiet_start()
    if not sys.argv[1:]:
        sys.exit("Say which program, as in: python -m tools check FILE")
    name = sys.argv.pop(1)
    runpy.run_module(f"tools.{name}", run_name="__main__", alter_sys=True)
