"""Measurements that are kept with the package."""

import json
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
PROVENANCE = "command", "environment", "settings"


def recorded(name, folder=None):
    """A measurement that `python -m attnbook.measure` wrote: where it comes from, and its rows.

    Returns a dict with "command", "environment", "settings" and "rows". Raises ValueError if it
    does not say where it comes from, or was taken from changes that no commit has.
    """
    found = json.loads(((folder or RESULTS) / f"{name}.json").read_text(encoding="utf-8"))
    if missing := [part for part in PROVENANCE if not found.get(part)]:
        raise ValueError(f"the measurement {name} lacks {', '.join(missing)}")
    commit = found["environment"].get("commit", "none")
    if commit == "none" or commit.endswith("+"):
        raise ValueError(f"the measurement {name} has the commit {commit}; expected one without +")
    return found


def written(parts, rows):
    """A measurement as JSON: its parts, a line for each, and its rows, which are dicts."""
    lines = [f"{json.dumps(key)}: {json.dumps(part)}" for key, part in parts.items()]
    table = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    return "{\n" + ",\n".join(lines) + ',\n"rows": [\n' + table + "\n]\n}\n"
