"""Measurements that are kept with the package."""

import json
import statistics
from pathlib import Path

from attnbook.measure.roofline import Ceilings

RESULTS = Path(__file__).parent / "results"
PROVENANCE = "command", "environment", "settings"
LENGTHS_COMMAND = "python -m attnbook.measure lengths"
RACE_COMMAND = "python -m benchmarks.race"  # in the repository, and not part of the package
# What a race must say of its machine; one that differs in any of it is another race.
RACE_ENVIRONMENT = (
    *("gpu", "driver", "cuda", "torch", "triton", "ptxas", "python", "commit", "source"),
)


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


def length_results(device="cpu"):
    """What `python -m attnbook.measure lengths` recorded of a device: a list, [] if nothing.

    Each is (name of the device, form → (lengths, milliseconds), `Ceilings` of its rows).
    """
    names = sorted(path.stem for path in RESULTS.glob("*.json"))
    runs = [run for run in map(recorded, names) if run["command"] == LENGTHS_COMMAND]
    kind = "processor" if device == "cpu" else "gpu"
    tables = [(run["environment"][kind], _of_device(run["rows"], device)) for run in runs]
    return [(name, _by_form(rows), _ceilings(rows)) for name, rows in tables if rows]


def gpu_results(folder=None):
    """Every race that was recorded on a GPU, a list of dicts; [] where there is none.

    Each has "environment", "settings", "ceilings", "cases" and "rows". Raises ValueError if one
    does not say where it comes from, was taken from changes that no commit has, or from no GPU.
    """
    folder = folder or RESULTS
    files = [(path, json.loads(path.read_text(encoding="utf-8"))) for path in folder.glob("*.json")]
    names = sorted(path.stem for path, found in files if found.get("command") == RACE_COMMAND)
    races = [recorded(name, folder) for name in names]
    for race in races:
        _refuse_race(race)
    return races


def race_rows(race, **case):
    """What each form did in one case of a race from `gpu_results`: its row, a dict, by its name.

    `case` has as many of the case's fields as tell it from the others: way, name, width, n_k and so
    on. Raises ValueError if no case of the race has them, or several have, or it was not measured.
    """
    found = [each["id"] for each in race["cases"] if case.items() <= each.items()]
    if len(found) != 1:
        raise ValueError(f"{len(found)} cases of the race have {case}; expected one")
    rows = {row["form"]: row for row in race["rows"] if row["case"] == found[0]}
    if not rows:
        raise ValueError(f"the race on {race['environment']['gpu']} did not come to {found[0]}")
    return rows


def _refuse_race(race):
    where = race["environment"]
    name = where.get("gpu", "none")
    if missing := [part for part in ("ceilings", "cases", "rows") if not race.get(part)]:
        raise ValueError(f"the race on {name} lacks {', '.join(missing)}")
    if missing := [key for key in RACE_ENVIRONMENT if where.get(key, "none") == "none"]:
        raise ValueError(f"the race on {name} does not say its {', '.join(missing)}")
    known = {case["id"] for case in race["cases"]}
    if strange := [row["case"] for row in race["rows"] if row["case"] not in known]:
        raise ValueError(f"the race on {name} has rows of no case: {strange[0]}")


def _of_device(rows, device):
    return [row for row in rows if row["form"].endswith(", cuda") == (device == "cuda")]


def _by_form(rows):
    forms = {}
    for row in rows:
        lengths, milliseconds = forms.setdefault(row["form"], ([], []))
        lengths.append(row["n"])
        milliseconds.append(row["milliseconds"])
    return forms


def _ceilings(rows):
    rates = [row["ceilings"] for row in rows]
    return Ceilings(*(statistics.median(r[name] for r in rates) for name in Ceilings._fields))


def written(parts, rows):
    """A measurement as JSON: its parts, a line for each, and its rows, which are dicts."""
    lines = [f"{json.dumps(key)}: {json.dumps(part)}" for key, part in parts.items()]
    table = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    return "{\n" + ",\n".join(lines) + ',\n"rows": [\n' + table + "\n]\n}\n"
