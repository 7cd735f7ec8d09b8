"""What the commands that train have in common: a row for each training, printed and written."""

import argparse
import sys
from pathlib import Path

from attnbook.measure import environment, one_thread
from attnbook.measure.record import written


def finished(training):
    """All losses of a training that has run to its end; the command ends if it is interrupted."""
    losses = training.run()
    if len(losses) < training.steps:
        sys.exit("Stopped: nothing is written.")
    return losses


def record(arguments, description, command, settings, rows):
    """Train on one thread, which `rows` does one by one; print each row, and write all to a file.

    `arguments` are those of the command line, at most a file. `description` is the docstring whose
    first line --help shows.
    """
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, help="JSON to write")
    args, found = parser.parse_args(arguments), []
    with one_thread():
        for row in rows:
            found.append(row)
            print(row, flush=True)
    if args.file:
        parts = {"command": command, "environment": environment(), "settings": settings}
        args.file.write_text(written(parts, found), encoding="utf-8")
