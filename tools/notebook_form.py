"""The one form in which notebooks are kept, and what is wrong with a notebook that is not in it."""

import hashlib
import json
import re

import nbformat

KEPT = {"tags", "mystnb"}
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
VARIES = "nbval-ignore-output"
RAISES = "raises-exception"
MACHINE = re.compile(r"/(home|Users|root|tmp|work)/|ipykernel_\d|site-packages")
SCRIPT = re.compile(r"<script|javascript:|<[^>]*\son\w+\s*=", re.IGNORECASE)
RUNS = ("text/html", "text/markdown", "image/svg+xml")  # what a page takes over as it is


def tags(cell):
    return cell.metadata.get("tags", [])


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def title(cell):
    return f"cell {cell.id} ({cell.source.strip().partition(chr(10))[0]})"


def identify(cells):
    """Give each cell without an id of its own one made of its place and content."""
    taken = set()
    for place, cell in enumerate(cells):
        if cell.get("id", "") in taken | {""}:
            content = f"{place}\n{''.join(cell['source'])}"
            cell["id"] = hashlib.sha256(content.encode()).hexdigest()[:8]
        taken.add(cell["id"])


def parse(text):
    raw = json.loads(text)
    identify(raw["cells"])
    raw["nbformat_minor"] = 5  # the first with ids
    return nbformat.reads(json.dumps(raw), as_version=4)


def joined(outputs):
    """The outputs with neighbouring pieces of one stream joined: where they break is chance."""
    whole = []
    for output in outputs:
        if whole and output.get("name") and output.name == whole[-1].get("name"):
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole


def normalise(notebook):
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        kept = {name: value for name, value in cell.metadata.items() if name in KEPT}
        cell.metadata = nbformat.from_dict(kept)
        cell.source = "\n".join(line.rstrip() for line in cell.source.strip("\n").split("\n"))
    for cell in code_cells(notebook):
        cell.outputs = joined(cell.outputs)
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = cell.execution_count
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n"


def words(output):
    """All that an output says, without its images."""
    data = output.get("data", {})
    texts = [data[kind] for kind in data if not kind.startswith("image/")]
    return json.dumps([texts, output.get("text"), output.get("evalue"), output.get("traceback")])


def scripts(output):
    """The beginning of whatever in an output would run in a reader's browser."""
    data = output.get("data", {})
    found = [found[0] for kind in RUNS if (found := SCRIPT.search(data.get(kind, "")))]
    return [*found, *(kind for kind in data if "javascript" in kind)]


def complaints(cell, count):
    """What keeps nbval from comparing this cell, or a reader from seeing the same as its author."""
    errors = [output for output in cell.outputs if output.output_type == "error"]
    stderr = [output.text for output in cell.outputs if output.get("name") == "stderr"]
    place = MACHINE.search(" ".join(map(words, cell.outputs)))
    script = [found for output in cell.outputs for found in scripts(output)]
    if not cell.source.strip():
        yield "it is empty"
    if cell.execution_count != count:
        yield f"its execution count is {cell.execution_count}, it should be {count}"
    if VARIES in tags(cell) and not cell.outputs:
        yield f"it is tagged {VARIES} but has no output"
    if RAISES in tags(cell) and not errors:
        yield f"it is tagged {RAISES} but shows no error"
    if errors and RAISES not in tags(cell):
        yield f"it shows an error but is not tagged {RAISES}"
    if "NBVAL_" in cell.source:
        yield "it has an NBVAL comment: use a tag"
    if cell.source.rstrip().endswith(";"):
        yield "it ends in a semicolon, which nbval does not obey: give the value to a name"
    if stderr:
        yield f"it writes to stderr: {stderr[-1].strip().splitlines()[-1]}"
    if place:
        yield f"its output names a place on one machine: {place[0]}"
    if script:
        yield f"its output would run a script on the page: {script[0]}"


def problems(notebook):
    return [
        f"{title(cell)}: {complaint}"
        for count, cell in enumerate(code_cells(notebook), 1)
        for complaint in complaints(cell, count)
    ]
