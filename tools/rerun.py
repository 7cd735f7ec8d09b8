"""Run `tools.notebooks` as a process of its own, which an interrupt ends at any moment.

Its libraries take signals for themselves, and answer some with a traceback. A kernel that is left
behind ends within a second or two; nothing that it says then is heard.
"""

import os
import subprocess
import sys
import tempfile

from tools.command import ending, started


def main():
    command = (sys.executable, "-m", "tools", "notebooks", *sys.argv[1:])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environ = os.environ | {"TMPDIR": folder}
        pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        with started(command, env=environ, **pipe) as process:
            for line in process.stdout:
                print(line, end="", flush=True)
    sys.exit(process.returncode)


if __name__ == "__main__":
    with ending("Stopped: the notebooks named above, but for the last, are done."):
        main()
