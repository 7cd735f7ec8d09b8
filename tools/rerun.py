"""Run `tools.notebooks` as a process of its own, which an interrupt ends at any moment.

Its libraries take signals for themselves, and answer some of them with a traceback.
"""

import os
import sys
import tempfile

from tools.command import ending, started


def main():
    command = (sys.executable, "-m", "tools.notebooks", *sys.argv[1:])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with started(command, env=os.environ | {"TMPDIR": folder}) as process:
            sys.exit(process.wait())


if __name__ == "__main__":
    with ending("Stopped: the notebooks named above, but for the last, are done."):
        main()
