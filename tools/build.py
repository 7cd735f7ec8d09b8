"""Build the site into `_build/html`, warnings as errors. `--fresh` forgets earlier builds."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / "_build"


def build():
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [jupyter_book, "build", ".", "-W", "-n", "--keep-going"]
    if subprocess.run(command, cwd=ROOT).returncode:
        # Sphinx warns about a page only when it reads it, so it must read all of them again.
        shutil.rmtree(BUILT / ".doctrees", ignore_errors=True)
        sys.exit("The book was not built: each warning and error is listed above.")


if __name__ == "__main__":
    if "--fresh" in sys.argv:
        shutil.rmtree(BUILT, ignore_errors=True)
    build()
