"""Which exercises a reader has tried and solved, kept between runs.

The file lies in the user's data folder, outside the package, so that upgrades leave it alone.
Nothing that goes wrong with it is an error: a reader loses at most a table.
"""

import contextlib
import datetime
import json
import os
from pathlib import Path

from platformdirs import user_data_path

RENAMED = {  # what an exercise was called when its chapter was still part of another
    "softmax.colder": "temperature.colder",
    "softmax.jacobian": "temperature.jacobian",
    "masks.renormalised": "museum.renormalised",
    "masks.mended": "museum.mended",
    "dot_product.spread": "scale.spread",
    "dot_product.value_width": "scale.value_width",
    "twins.result_bits": "precision.result_bits",
    "twins.fills": "precision.fills",
    "modules.visible": "libraries.visible",
    "modules.two_corners": "libraries.two_corners",
    "modules.polarity": "libraries.polarity",
}


def path():
    """Where progress is kept."""
    return user_data_path("attnbook", appauthor=False) / "progress.json"


def load():
    """What is kept: a dict from the exercise's name to its tries and the day it was solved."""
    try:
        kept = json.loads(path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, OSError, RecursionError) as error:
        _set_aside(error)
        return {}
    if isinstance(kept, dict) and all(isinstance(entry, dict) for entry in kept.values()):
        return {RENAMED.get(name, name): entry for name, entry in kept.items()}
    _set_aside("it does not hold a table of exercises")
    return {}


def add(name, solved):
    """Count one try of an exercise that is not solved yet, and keep the day if this solves it."""
    with _alone():
        kept = load()
        entry = kept.setdefault(name, {})
        if "solved" in entry:
            return
        tries = entry.get("tries", 0)
        entry["tries"] = (tries if isinstance(tries, int) else 0) + 1
        if solved:
            entry["solved"] = datetime.date.today().isoformat()
        _save(kept)


@contextlib.contextmanager
def _alone():
    """Let other kernels wait. Where files cannot be locked, two at once may lose a try."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError, OSError):  # Windows and browsers, a read-only folder
            import fcntl

            path().parent.mkdir(parents=True, exist_ok=True)
            lock = stack.enter_context(path().with_suffix(".lock").open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _save(kept):
    part = path().with_suffix(f".{os.getpid()}.part")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        part.replace(path())
    except OSError as error:
        print(f"(Progress could not be kept in {path()}: {error.strerror or error}.)")


def _set_aside(reason):
    for number in range(1, 1000):
        aside = Path(f"{path()}.unreadable-{number}")
        if not aside.exists():
            break
    try:
        path().replace(aside)
        print(f"(The record of progress could not be read, {reason}. It is now {aside.name}.)")
    except OSError as error:
        print(f"(The record of progress in {path()} could not be read: {error.strerror or error}.)")
