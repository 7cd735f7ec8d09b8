"""The record of a race: a file that grows with each case, and knows where it comes from."""

import contextlib
import hashlib
import json
import os
import re
from pathlib import Path

from attnbook.measure.gpu.forms import OURS
from attnbook.measure.gpu.watch import LATE, watched
from attnbook.measure.record import PROVENANCE, RESULTS, recorded, written

COMMAND = "python -m attnbook.measure gpu"
PACKAGE = Path(__file__).parents[2]
KEPT = "ceilings", "broken", "conditions"
SAME = "gpu", "driver", "cuda", "torch", "triton", "ptxas", "python", "commit", "source"


def gpu_results(folder=None):
    """Every race that was recorded on a GPU, a list of dicts; [] where there is none.

    Each has "environment", "settings", "ceilings", "cases" and "rows". Raises ValueError if one
    does not say where it comes from, was taken from changes that no commit has, or from no GPU.
    """
    folder = folder or RESULTS
    files = [(path, json.loads(path.read_text(encoding="utf-8"))) for path in folder.glob("*.json")]
    names = sorted(path.stem for path, found in files if found.get("command") == COMMAND)
    races = [recorded(name, folder) for name in names]
    for record in races:
        _refuse(record)
    return races


def _refuse(record):
    where = record["environment"]
    name = where.get("gpu", "none")
    if missing := [part for part in ("ceilings", "cases", "rows") if not record.get(part)]:
        raise ValueError(f"the race on {name} lacks {', '.join(missing)}")
    if missing := [key for key in SAME if where.get(key, "none") == "none"]:
        raise ValueError(f"the race on {name} does not say its {', '.join(missing)}")
    known = {case["id"] for case in record["cases"]}
    if strange := [row["case"] for row in record["rows"] if row["case"] not in known]:
        raise ValueError(f"the race on {name} has rows of no case: {strange[0]}")


def default_file(gpu):
    """Where a GPU's record is kept, by its name.

    >>> default_file("NVIDIA H100 80GB HBM3").name
    'nvidia-h100-80gb-hbm3.json'
    """
    return RESULTS / f"{re.sub(r'[^a-z0-9]+', '-', gpu.lower()).strip('-')}.json"


def source(listing=None):
    """What the package's code is, as one number: that of every module, by git's own digests.

    Takes a dict of digests by path, such as `git ls-tree` lists them for a commit; by default, that
    of the files that are here. So a record can be traced to a commit on another machine.
    """
    if listing is None:
        files = {str(path.relative_to(PACKAGE)): path for path in PACKAGE.rglob("*.py")}
        listing = {name: blob(path.read_bytes()) for name, path in files.items()}
    lines = [f"{digest} {name}\n" for name, digest in sorted(listing.items())]
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]


def blob(content):
    """The name that git gives to a file with this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class Record:
    """A record that is being written: after each case the file is whole, whatever happens next."""

    def __init__(self, file, parts):
        self.file = Path(file)
        self.mark = self.file.with_suffix(".running")
        self.parts = parts | {"command": COMMAND} | {name: [] for name in KEPT}
        self.rows = []

    def resume(self, file=None):
        """Go on with what a file holds, by default its own, if it is there.

        Raises ValueError if that is no race, or was measured on another GPU, or with another
        driver, library, commit or setting: nothing is taken from it then.
        """
        file = Path(file or self.file)
        if not file.exists():
            return
        found = json.loads(file.read_text(encoding="utf-8"))
        if found.get("command") != COMMAND:
            raise ValueError(f"{file.name} holds no race on a GPU")
        was, now = found["environment"], self.parts["environment"]
        differ = [f"{k} {was.get(k)}, not {now.get(k)}" for k in SAME if was.get(k) != now.get(k)]
        if differ:
            raise ValueError(f"{file.name} was measured with {'; '.join(differ)}")
        if found["settings"] != self.parts["settings"]:
            raise ValueError(f"{file.name} was measured with other settings")
        self.parts |= {name: found[name] for name in KEPT}
        self.rows = found["rows"]

    def has(self, case):
        """Whether a case is done."""
        return any(row["case"] == case.id for row in self.rows)

    def begin(self, ceilings):
        """Note the ceilings of this run; the rows that follow are shares of them."""
        self.parts["ceilings"].append(ceilings)
        self.write()

    def add(self, rows, condition=None):
        """Keep the rows of a case, all or none, and the GPU's condition while they were timed."""
        run = len(self.parts["ceilings"]) - 1
        self.rows += [row | {"run": run} for row in rows]
        self.parts["conditions"] += [{"case": rows[0]["case"]} | condition] if condition else []
        self.write()

    def breaks(self, case, form, why):
        """Note a form after which the process must begin again, so that it is left out then."""
        self.parts["broken"].append([case.id, form, why])
        self.write()

    def broken(self, case):
        """The forms that are left out in a case, with the reason: a peer broke but once."""
        return {
            form: why if at == case.id else f"in the case {at}: {why}"
            for at, form, why in self.parts["broken"]
            if at == case.id or not form.startswith(OURS)
        }

    @contextlib.contextmanager
    def running(self, case, form, seconds=LATE):
        """Say in a file what runs now, before it does; note it as broken if it is not done in time.

        The file is gone when the block is left, in whatever way but the end of the process.
        """

        def late():
            self.breaks(case, form, f"it was not done after {seconds:g} s")
            self.mark.unlink()
            print(f"{case.id}, {form}: it was not done after {seconds:g} s", flush=True)

        self.mark.parent.mkdir(parents=True, exist_ok=True)
        self.mark.write_text(json.dumps([case.id, form]), encoding="utf-8")
        try:
            with watched(late, seconds):
                yield
        finally:
            self.mark.unlink(missing_ok=True)

    def after_an_end(self, cases):
        """Note as broken what ran when an earlier process was ended, if one was; its name."""
        said = self.mark.read_text(encoding="utf-8") if self.mark.exists() else ""
        self.mark.unlink(missing_ok=True)
        if not said:
            return None
        at, form = json.loads(said)
        for case in cases:
            if case.id == at:
                self.breaks(case, form, "its process was ended while it ran")
        return f"{at}, {form}"

    def write(self):
        order = [*PROVENANCE, "cases", *KEPT]
        text = written({key: self.parts[key] for key in order}, self.rows)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        begun = self.file.with_suffix(".tmp")
        begun.write_text(text, encoding="utf-8")
        os.replace(begun, self.file)
