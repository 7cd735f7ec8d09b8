"""Run every check of the book, all of them even after a failure, and end with one summary.

python -m tools prove [--everywhere]
"""

import subprocess
import sys
import tempfile
import time

from tools import browser
from tools.command import ending, started
from tools.reproducible import ROOT, settings
from tools.results import Result, by_kind, table

PYTHON = sys.executable
STEPS = {
    "lint": (PYTHON, "-m", "ruff", "check", "."),
    "format": (PYTHON, "-m", "ruff", "format", "--check", "."),
    "notebooks' form": (PYTHON, "-m", "tools", "notebooks", "--check"),
    "site": (PYTHON, "-m", "tools", "build", "--fresh"),
}
# Once on each machine, Matplotlib says on stderr that it lists the fonts: not to do so in a cell.
FONTS = (PYTHON, "-c", "import matplotlib.font_manager")
PLACES = ("tests", "code", "book")
# In their order, since the notebooks fill the end; else files of few tests, the longest, come last.
ORDER = "--no-loadscope-reorder"
PYTEST = (
    *(PYTHON, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", ORDER),
    *("--durations", "20", "--durations-min", "5"),
    # A cell that trains for half a minute may take ten times as long beside other work.
    *("-p", "tools.kernels", "--nbval", "--nbval-current-env", "--nbval-cell-timeout", "600"),
)


def step(name, command, environ):
    print(f"\n=== {name}", flush=True)
    began = time.monotonic()
    with started(command, cwd=ROOT, env=environ) as process:
        status = process.wait()
    return Result(name, time.monotonic() - began, ok=status == 0)


def run_pytest(environ, folder, *options):
    junit = f"{folder}/junit.xml"
    whole = step("pytest", (*PYTEST, *options, f"--junitxml={junit}", *PLACES), environ)
    try:
        return [whole, *by_kind(junit)]
    except OSError:  # pytest broke before it could write the file
        return [whole]


def prove(folder, *options):
    environ = settings(folder)
    results = []
    try:
        environ["CHROMIUM"] = browser.find_or_install()
    except SystemExit as missing:
        print(missing)
        results.append(Result("browser", ok=False))
    results += [step(name, command, environ) for name, command in STEPS.items()]
    subprocess.run(FONTS, env=environ)
    return results + run_pytest(environ, folder, *options)


def main(*options):
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        results = prove(folder, *options)
    print("\n=== summary", *table(results), sep="\n")
    failed = [result.step.strip() for result in results if not result.ok]
    minutes, seconds = divmod(round(time.monotonic() - began), 60)
    passed = f"All {sum(result.passed for result in results)} checks passed"
    verdict = f"FAILED: {', '.join(failed)}" if failed else passed
    print(f"{verdict}, in {minutes} min {seconds} s")
    sys.exit(bool(failed))


if __name__ == "__main__":
    with ending("Stopped before all was proved."):
        main(*sys.argv[1:])
