"""Which exercises a reader has tried and solved, kept between runs.

The file lies in the user's data folder, outside the package, so that upgrades leave it alone.
Nothing that goes wrong with it is an error: a reader loses at most a table.
"""

import datetime
import json
import os

from platformdirs import user_data_path


def path():
    """Where progress is kept."""
    return user_data_path("attnbook", appauthor=False) / "progress.json"


def load():
    """What is kept: a dict from the exercise's name to its tries and the day it was solved."""
    try:
        records = json.loads(path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, OSError, RecursionError) as error:
        return _set_aside(error)
    if isinstance(records, dict) and all(isinstance(entry, dict) for entry in records.values()):
        return records
    return _set_aside("it does not hold a table of exercises")


def add(name, solved):
    """Count one try of an exercise that is not solved yet, and keep the day if this solves it."""
    records = load()
    entry = records.setdefault(name, {})
    if "solved" in entry:
        return
    tries = entry.get("tries", 0)
    entry["tries"] = (tries if isinstance(tries, int) else 0) + 1
    if solved:
        entry["solved"] = datetime.date.today().isoformat()
    _save(records)


def join(other):
    """Keep what either record knows: the earlier day of the two, and the more tries."""
    records = load()
    for name, entry in other.items():
        own = records.get(name, {})
        days = [day for day in (own.get("solved"), entry.get("solved")) if day]
        tries = max(own.get("tries", 0), entry.get("tries", 0))
        records[name] = {"tries": tries} | ({"solved": min(days)} if days else {})
    _save(records)


def parsed(text):
    """The record that a file holds. Raises ValueError if it holds none."""
    records = json.loads(text)
    if not isinstance(records, dict) or not all(map(_is_entry, records.values())):
        raise ValueError("it does not hold a table of exercises")
    return records


def _is_entry(entry):
    known = {"tries": int, "solved": str}
    return isinstance(entry, dict) and all(
        isinstance(entry[field], known.get(field, ())) for field in entry
    )


def _save(records):
    part = path().with_suffix(f".{os.getpid()}.part")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(records, indent=1), encoding="utf-8")
        part.replace(path())
    except OSError as error:
        print(f"(Progress could not be kept in {path()}: {error.strerror or error}.)")


def _set_aside(reason):
    """Begin afresh, and keep what could not be read beside it."""
    aside = path().with_suffix(".unreadable")
    try:
        path().replace(aside)
        print(f"(The record of progress could not be read, {reason}. It is now {aside.name}.)")
    except OSError as error:
        print(f"(The record of progress in {path()} could not be read: {error.strerror or error}.)")
    return {}
