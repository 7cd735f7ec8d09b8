"""On a machine with a GPU: the kernels agree, and then they race; one command, within 8 minutes.

    python3 -m benchmarks.check [MINUTES]

It installs nothing and makes no environment: it takes the Python that runs it, which needs
PyTorch and Triton. What fails, hangs or is killed does not stop the rest, and is tried again with
another assembler if there is one. Logs and the record are written as they come, into the folder
that OUT names, or `gpu-check` here.
"""

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.check import assembler, inspection, outcomes

ROOT = Path(__file__).resolve().parents[2]
MINUTES = 8.0
AGREEMENT = 200  # seconds at most
WARMING = 60  # seconds at most that the race waits for what is being compiled
AGAIN = 8  # times at most that a step goes on after its process came to an end
ENDING = 15  # seconds for the last case of the race
INSPECTING = 90  # seconds at most for each tool at the end
DONE = 0, 1, 5  # a step's own statuses; 5: no test is left
MOST = 40  # tests that are tried again
READY = "-m", "benchmarks.check.ready"
TESTS = str(ROOT / "tests/test_kernels_gpu.py")
CACHE = ROOT / "gpu-check/cache"  # never in OUT, of which only a few files may come back


def main(minutes=MINUTES, python=sys.executable):
    """Run all steps, print a summary, and end with status 1 if one of them failed."""
    began, environ = time.monotonic(), surroundings()
    if subprocess.run([python, *READY], env=environ, cwd=ROOT).returncode:
        sys.exit(1)
    out = Path(os.environ.get("OUT") or ROOT / "gpu-check").resolve()
    out.mkdir(parents=True, exist_ok=True)
    left = lambda: 60 * minutes - (time.monotonic() - began)  # noqa: E731
    with open(out / "warm.log", "ab") as log, tempfile.TemporaryDirectory() as folder:
        few = environ | {"TORCHINDUCTOR_COMPILE_THREADS": "2"}  # in each of many processes
        warming = [started(command, few, log) for command in warm(python)]
        results, broken = agreed(python, out, Path(folder), environ, AGREEMENT)
        until = time.monotonic() + min(left() / 4, WARMING)
        for process in warming:
            finish(process, until - time.monotonic())
        results["race"] = raced(python, out, environ, left)
        results |= tried_again(python, out, Path(folder), environ, broken, left)
    for name, command in inspection.commands(python).items():
        if left() > ENDING:
            status = step(command, out / f"{name}.log", environ, min(left(), INSPECTING))
            results |= {name: status} if name == inspection.CHECK else {}
    print(f"\n=== summary, {(time.monotonic() - began) / 60:.1f} minutes, logs in {out.name}/")
    for name, status in results.items():
        print(f"{name:20}{'ok' if status == 0 else f'FAILED, status {status}'}")
    for test in broken:
        print(f"FAILED {test}")
    sys.exit(any(results.values()))


def agreed(python, out, folder, environ, seconds, tests=(), name="agreement"):
    """Run tests, and go on behind each that ended its process; the status, and what is broken."""
    began, files = time.monotonic(), []
    for i in range(1 + AGAIN):
        files.append(folder / f"{name}-{i}")
        files[-1].touch()
        noting, limit = environ | {"TEST_LOG": str(files[-1])}, began + seconds - time.monotonic()
        status = step(agreement(python, tests), out / f"{name}.log", noting, limit)
        if status in DONE or time.monotonic() - began > seconds - ENDING:
            break
    broken = outcomes.broken(files)
    status = 0 if status == 5 and files[1:] else status
    return {name: status or int(bool(broken))}, broken


def raced(python, out, environ, left, only=()):
    """Race, and go on without what hung, was killed or broke the GPU; the status of the last."""
    out.mkdir(exist_ok=True)
    for _ in range(1 + AGAIN):
        race = racing(python, out, (left() - ENDING) / 60, only)
        status = step(race, out / "race.log", environ, left() + ENDING)
        for mark in out.glob("*.running") if status == 124 else []:
            print(f"race: its time was over while this ran: {mark.read_text()}")
            mark.unlink()  # no fault of its own
        if status in DONE or left() < 2 * ENDING:
            break
    return status


def tried_again(python, out, folder, environ, broken, left):
    """What failed, with another assembler: which of the two was wrong? A status for each step."""
    cases = disagreeing(out)
    if not (broken or cases) or left() < 2 * ENDING:
        return {}
    found = assembler.another()
    if found is None:
        print("\nThere is no other assembler to try what failed again with.")
        return {}
    path, version = found
    print(f"\n=== what failed, again, with the assembler {version}: {path}", flush=True)
    (other := folder / version).mkdir()
    environ, results = environ | assembler.settings(path), {}
    if broken:
        most = left() / 2 if cases else left()
        again = agreed(python, out, other, environ, most, broken[:MOST], "agreement-again")
        results |= again[0]
    if cases and left() > ENDING:
        results["race again"] = raced(python, out / "again", environ, left, cases)
    return results


def disagreeing(out):
    """The cases in which a form of ours is wrong, by the records in a folder."""
    files = [json.loads(file.read_text(encoding="utf-8")) for file in out.glob("*.json")]
    rows = [row for file in files for row in file["rows"] if "refused" in row]
    mine = [row for row in rows if row["form"].startswith("ours")]
    wrong = [row for row in mine if row["form"] == "ours" or row.keys() & {"error", "broken"}]
    return list(dict.fromkeys(row["case"] for row in wrong))


def surroundings():
    """The environment of every step: what is imported is here, and nothing is written beside it.

    What was compiled is kept here from one run to the next, unless it is kept elsewhere already.
    """
    places = [str(ROOT / name) for name in ("code", "tests")] + [str(ROOT)]
    kept = {f"{name}_CACHE_DIR": str(CACHE / name.lower()) for name in ("TRITON", "TORCHINDUCTOR")}
    kept |= {"KINETO_LOG_LEVEL": "99"}  # or PyTorch's profiler writes two lines each time
    ours = {"PYTHONPATH": os.pathsep.join(places), "PYTHONUNBUFFERED": "1"}
    return kept | os.environ | ours


def warm(python):
    """Commands that compile, together, what the race will need: one for every other core."""
    return [[python, "-m", "benchmarks.race", "--warm", f"{i}/{cores()}"] for i in range(cores())]


def cores():
    """Every other core, eight at most."""
    return max(1, min(8, (os.cpu_count() or 1) // 2))


def agreement(python, tests=()):
    """The tests that need a GPU, with no settings of ours: pytest may be an older one there."""
    more = ["-n", str(cores())] if importlib.util.find_spec("xdist") else []
    plain = ["-c", os.devnull, "--rootdir", str(ROOT), "-p", "no:cacheprovider"]
    plain += ["-p", "benchmarks.check.watchdog", "-v", "--tb=short", "-rsfE"]
    return [python, "-m", "pytest", *plain, *more, *(tests or [TESTS])]


def racing(python, out, minutes, only=()):
    """The race, which goes on with the record that is kept, if that is of the same commit."""
    more = ["--earlier", "--minutes", f"{max(minutes, 0.1):.2f}", "--seconds", "1"]
    more += [word for case in only for word in ("--only", case)]
    return [python, "-m", "benchmarks.race", str(out), *more]


def started(command, environ, output):
    """A process in a group of its own, so that all that it starts can be ended with it."""
    more = {"cwd": ROOT, "env": environ, "stdout": output, "start_new_session": True}
    return subprocess.Popen(command, stderr=subprocess.STDOUT, **more)


def step(command, log, environ, seconds):
    """Run a command, show and keep what it says, and return its status; 124 if it ran late."""
    print(f"\n=== {log.stem}", flush=True)
    began = time.monotonic()
    with open(log, "ab") as file, started(command, environ, subprocess.PIPE) as process:
        says = threading.Thread(target=shown, args=(process.stdout, file), daemon=True)
        says.start()
        try:
            status = process.wait(timeout=max(seconds, 0))
        except subprocess.TimeoutExpired:
            status = 124
        finally:
            end(process)  # what it started may live on, and hold its output open
        says.join(timeout=ENDING)
    print(f"{log.stem}: status {status} after {time.monotonic() - began:.0f} s", flush=True)
    return status


def shown(lines, file):
    """Write lines here and into a file, as they come."""
    with contextlib.suppress(ValueError):  # the file was closed, and somebody still speaks
        for line in lines:
            sys.stdout.write(line.decode(errors="replace"))
            file.write(line)
            file.flush()


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
