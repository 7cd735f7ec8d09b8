"""On a machine with a GPU: the kernels agree, and then they race; one command, within 8 minutes.

    python3 -m tools.gpu_check [MINUTES]

It installs nothing and makes no environment: it takes the Python that runs it, which needs
PyTorch and Triton. What fails does not stop the rest. Logs and the record are written as they come,
into the folder that OUT names, or `gpu-check` here.
"""

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MINUTES = 8.0
AGREEMENT = 200  # seconds at most
WARMING = 60  # seconds at most that the race waits for what is being compiled
BROKEN = 3  # times the race goes on after a peer that broke the GPU for its process
ENDING = 15  # seconds for the last case of the race
ASKS = """import sys
try:
    import torch, triton
except ImportError as missing:
    sys.exit(f"gpu-check needs PyTorch and Triton: {missing}")
sys.exit(None if torch.cuda.is_available() else "gpu-check needs a GPU: PyTorch finds none")
"""


def main(minutes=MINUTES, python=sys.executable):
    """Run all steps, print a summary, and end with status 1 if one of them failed."""
    began, environ = time.monotonic(), surroundings()
    if subprocess.run([python, "-c", ASKS], env=environ, cwd=ROOT).returncode:
        sys.exit(1)
    out = Path(os.environ.get("OUT") or ROOT / "gpu-check").resolve()
    out.mkdir(parents=True, exist_ok=True)
    left = lambda: 60 * minutes - (time.monotonic() - began)  # noqa: E731
    with open(out / "warm.log", "ab") as log:
        few = environ | {"TORCHINDUCTOR_COMPILE_THREADS": "2"}  # in each of many processes
        warming = [started(command, few, log) for command in warm(python)]
    results = {"agreement": step(agreement(python), out / "agreement.log", environ, AGREEMENT)}
    until = time.monotonic() + min(left() / 4, WARMING)
    for process in warming:
        finish(process, until - time.monotonic())
    for _ in range(1 + BROKEN):
        race = racing(python, out, (left() - ENDING) / 60)
        results["race"] = step(race, out / "race.log", environ, left() + ENDING)
        if results["race"] != 2 or left() < 2 * ENDING:
            break
    print(f"\n=== summary, {(time.monotonic() - began) / 60:.1f} minutes, logs in {out.name}/")
    for name, status in results.items():
        print(f"{name:12}{'ok' if status == 0 else f'FAILED, status {status}'}")
    sys.exit(any(results.values()))


def surroundings():
    """The environment of every step: what is imported is here, and nothing is written beside it."""
    places = [str(ROOT / name) for name in ("code", "tests")] + [str(ROOT)]
    return os.environ | {"PYTHONPATH": os.pathsep.join(places), "PYTHONUNBUFFERED": "1"}


def warm(python):
    """Commands that compile, together, what the race will need: one for every other core."""
    n = max(1, min(8, (os.cpu_count() or 1) // 2))
    return [[python, "-m", "attnbook.measure", "gpu", "--warm", f"{i}/{n}"] for i in range(n)]


def agreement(python):
    """The tests that need a GPU, with no settings of ours: pytest may be an older one there."""
    more = (
        ["-n", str(max(1, min(8, (os.cpu_count() or 1) // 2)))]
        if importlib.util.find_spec("xdist")
        else []
    )
    plain = [
        "-c",
        os.devnull,
        "--rootdir",
        str(ROOT),
        "-p",
        "no:cacheprovider",
        "-q",
        "--tb=short",
        "-rsfE",
    ]
    return [python, "-m", "pytest", *plain, *more, str(ROOT / "tests/test_kernels_gpu.py")]


def racing(python, out, minutes):
    """The race, which goes on with the record that is kept, if that is of the same commit."""
    more = ["--earlier", "--minutes", f"{max(minutes, 0.1):.2f}", "--seconds", "1"]
    return [python, "-m", "attnbook.measure", "gpu", str(out), *more]


def started(command, environ, output):
    """A process in a group of its own, so that all that it starts can be ended with it."""
    more = {"cwd": ROOT, "env": environ, "stdout": output, "start_new_session": True}
    return subprocess.Popen(command, stderr=subprocess.STDOUT, **more)


def step(command, log, environ, seconds):
    """Run a command, show and keep what it says, and return its status; 124 if it ran late."""
    print(f"\n=== {log.stem}", flush=True)
    began = time.monotonic()
    with open(log, "ab") as file, started(command, environ, subprocess.PIPE) as process:
        late = threading.Timer(max(seconds, 0), end, [process])
        late.start()
        for line in process.stdout:
            sys.stdout.write(line.decode(errors="replace"))
            file.write(line)
            file.flush()
        status = process.wait()
        late.cancel()
    status = 124 if status == -signal.SIGKILL else status
    print(f"{log.stem}: status {status} after {time.monotonic() - began:.0f} s", flush=True)
    return status


def end(process):
    """End a process with all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def finish(process, seconds):
    """Wait for a process so long, then end it."""
    try:
        process.wait(timeout=max(seconds, 0))
    except subprocess.TimeoutExpired:
        end(process)
        process.wait()


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
