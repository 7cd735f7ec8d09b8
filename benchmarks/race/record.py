"""The record of a race: a file that grows with each case, and knows where it comes from."""

import contextlib
import hashlib
import json
import os
import re
from pathlib import Path

import attnbook
from attnbook.measure.record import PROVENANCE, RACE_COMMAND, RACE_ENVIRONMENT, RESULTS, written
from benchmarks.race.forms import OURS
from benchmarks.race.watch import LATE, watched

KEPT = "ceilings", "broken", "conditions"
MEASURED = {  # what a record depends on, by its place in the repository
    "code/attnbook": Path(attnbook.__file__).parent,
    "benchmarks": Path(__file__).parents[1],
}


def default_file(gpu):
    """Where a GPU's record is kept, by its name."""
    return RESULTS / f"{re.sub(r'[^a-z0-9]+', '-', gpu.lower()).strip('-')}.json"


def source(listing=None):
    """What the code of package and race is, as one number: every module, by git's own digests.

    Takes a dict of digests by path, such as `git ls-tree` lists them for a commit; by default, that
    of the files that are here. So a record can be traced to a commit on another machine.
    """
    if listing is None:
        listing = {
            f"{name}/{path.relative_to(folder).as_posix()}": blob(path.read_bytes())
            for name, folder in MEASURED.items()
            for path in folder.rglob("*.py")
        }
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
        self.parts = parts | {"command": RACE_COMMAND} | {name: [] for name in KEPT}
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
        if found.get("command") != RACE_COMMAND:
            raise ValueError(f"{file.name} holds no race on a GPU")
        was, now = found["environment"], self.parts["environment"]
        differ = [key for key in RACE_ENVIRONMENT if was.get(key) != now.get(key)]
        if differ:
            differ = [f"{key} {was.get(key)}, not {now.get(key)}" for key in differ]
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
        mark = self.mark.read_text(encoding="utf-8") if self.mark.exists() else ""
        self.mark.unlink(missing_ok=True)
        if not mark:
            return None
        at, form = json.loads(mark)
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
