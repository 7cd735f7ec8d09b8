"""Grade learners' notebooks: each runs in a process with limits, and no other hears of its end."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from attnbook import exercises

CHECK = re.compile(r"exercises\.(\w+\.\w+)\.check\(")
COMPUTING, WAITING = 300, 900  # seconds of the processor and of the clock, for one notebook
ENDED = {signal.SIGXCPU: "it computed for too long", signal.SIGKILL: "it was killed"}
BEST = "right", "wrong", "open"  # of several checks of one exercise


@dataclass
class Grade:
    """What a notebook's exercises came to.

    `exercises` has for each name a state, "right", "wrong", "open" (as it was) or "not judged", and
    what the check said. `errors` has the cells that raised. `ended` says what kept the notebook
    from its end, and is empty if nothing did.
    """

    notebook: str
    exercises: dict = field(default_factory=dict)
    errors: dict = field(default_factory=dict)
    ended: str = ""

    @property
    def right(self):
        return sum(found["state"] == "right" for found in self.exercises.values())


def grade(path, computing=COMPUTING, waiting=WAITING):
    """The `Grade` of one notebook; whatever is in the file, there is one.

    It may compute and wait for so many seconds.
    """
    graded = Grade(str(path))
    try:
        asked = _asked(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        graded.ended = f"it is not a notebook: {type(error).__name__}: {error}"[:200]
        return graded
    unjudged = {"state": "not judged", "said": ""}
    graded.exercises = {name: unjudged for name in asked}
    lines, graded.ended = _run(Path(path).resolve(), computing, waiting)
    for line in lines:
        _take(graded, line)
    return graded


def _asked(text):
    """The exercises of the chapters that a notebook checks, those too that it has lost."""
    notebook = json.loads(text)
    code = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    chapters = {name.partition(".")[0] for name in CHECK.findall("\n".join(code))}
    return exercises.names([each for each in exercises.CHAPTERS if each in chapters])


def _run(path, computing, waiting):
    """What the process of a notebook reports, and what kept it from its end."""
    child = "attnbook.exercises.engine.graded"
    command = [sys.executable, "-m", child, str(path), str(computing)]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as report:
        places = {"HOME": folder, "XDG_DATA_HOME": folder, "MPLBACKEND": "agg"}
        environ = os.environ | places | {"PYTHONPATH": str(Path(exercises.__file__).parents[2])}
        streams = {"stdin": subprocess.DEVNULL, "stdout": report, "stderr": subprocess.DEVNULL}
        options = {"cwd": folder, "env": environ, "start_new_session": True}
        with subprocess.Popen(command, **streams, **options) as process:
            try:
                process.wait(waiting)
                ended = ENDED.get(-process.returncode, "its process ended")
            except subprocess.TimeoutExpired:
                ended = f"it was stopped after {waiting} seconds"
            finally:
                with contextlib.suppress(ProcessLookupError):  # whatever it has begun ends, too
                    os.killpg(process.pid, signal.SIGKILL)
        report.seek(0)
        return report.read().decode(errors="replace").splitlines(), ended


def _take(graded, line):
    """Take over one line of a report; one that is none is left out."""
    try:
        found = json.loads(line)
    except ValueError:
        return
    match found:
        case {"ended": True}:
            graded.ended = ""
        case {"cell": int(number), "error": str(error)}:
            graded.errors[number] = error
        case {"exercise": str(name), "state": str(state), "said": str(said)}:
            before = graded.exercises.get(name, {}).get("state")
            if state in BEST and (before not in BEST or BEST.index(state) <= BEST.index(before)):
                graded.exercises[name] = {"state": state, "said": said}


def told(graded):
    """A grade as text: a line for each exercise, and the first of what a check said."""
    lines = [f"{graded.notebook}: {graded.right} of {len(graded.exercises)} right"]
    if graded.ended:
        lines[0] += f"; {graded.ended}"
    for name, found in graded.exercises.items():
        said = found["said"].split("\n")[0] if found["state"] == "wrong" else ""
        lines.append(f"  {name:40} {found['state']:11} {said}".rstrip())
    lines += [f"  cell {number} raised {error}" for number, error in graded.errors.items()]
    return "\n".join(lines)
