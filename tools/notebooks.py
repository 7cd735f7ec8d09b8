"""Run the book's notebooks and write them in their one form, or check that they are in it.

    python -m tools notebooks [--fresh] [paths]     run them, write their outputs
    python -m tools notebooks --check [paths]       change nothing, say what is wrong

A cell tagged `nbval-ignore-output` (a time, a training curve) keeps the output that it has, and any
other cell a figure that looks as before, so that running twice changes nothing; `--fresh` takes new
ones.
"""

import argparse
import asyncio
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal
from traitlets.config import Config

from tools.exercise_headers import head
from tools.figures import keep
from tools.install_cell import address, place
from tools.kernels import SPEECH
from tools.notebook_form import VARIES, code_cells, normalise, parse, problems, tags, title
from tools.reproducible import settings


def execute(notebook, folder):
    """Run the cells in order; return what stopped them, if anything did."""
    started = []
    options = {
        "kernel_name": "python3",
        "record_timing": False,
        "timeout": 600,
        "shutdown_kernel": "immediate",
    }
    config = Config({"KernelManager": SPEECH})
    client = NotebookClient(notebook, config=config, **options)
    client.resources = {"metadata": {"path": str(folder)}}
    client.on_cell_start = lambda cell, cell_index: started.append(cell)
    # Outside the main thread, nbclient leaves signals as they are.
    with tempfile.TemporaryDirectory() as home, ThreadPoolExecutor(1) as thread:
        try:
            thread.submit(asyncio.run, client.async_execute(env=settings(home))).result()
        except CellControlSignal as error:
            return [f"{title(started[-1])}: {error}"]
    return []


def retain(cell, earlier):
    """Have a cell that varies keep its earlier outputs, and any other its figures that look so."""
    if VARIES in tags(cell):
        cell.outputs = earlier or cell.outputs
    elif len(earlier) == len(cell.outputs):
        for output, before in zip(cell.outputs, earlier, strict=True):
            keep(output, before)


def run(path, fresh):
    before = path.read_text(encoding="utf-8")
    notebook = parse(before)
    place(notebook, address())
    try:
        head(notebook)
    except KeyError as missing:
        return [missing.args[0]]
    earlier = {} if fresh else {cell.id: cell.outputs for cell in code_cells(notebook)}
    if stopped := execute(notebook, path.resolve().parent):
        return stopped
    for cell in code_cells(notebook):
        retain(cell, earlier.get(cell.id, []))
    after = normalise(notebook)
    found = problems(notebook)
    if not found and after != before:
        path.write_text(after, encoding="utf-8")
    return found


def check(path):
    before = path.read_text(encoding="utf-8")
    try:
        notebook = parse(before)
        place(notebook, address())
        after = normalise(notebook)
    except Exception as error:  # whatever a broken file makes json and nbformat raise
        return [f"it is not a notebook: {error}"]
    unkept = [] if after == before else ["it is not in the form that `make notebooks` writes"]
    return unkept + problems(notebook)


def chapters():
    """The book's notebooks, without the copies that JupyterLab keeps in hidden folders."""
    return sorted(Path("book").glob("[!.]*/*.ipynb"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("paths", nargs="*", type=Path)
    chosen = parser.parse_args()
    paths = chosen.paths or chapters()
    if missing := [str(path) for path in paths if not path.is_file()]:
        parser.error(f"there is no notebook {missing[0]}")
    wrong = 0
    for path in paths:
        print(path, flush=True)
        for problem in check(path) if chosen.check else run(path, chosen.fresh):
            print(f"  {problem}", flush=True)
            wrong += 1
    done = "checked" if chosen.check else "run"
    print(f"{len(paths)} notebooks {done}, {wrong} problems")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
