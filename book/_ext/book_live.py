"""Let the pages of the first part run in the browser: number their cells, and give them Python.

The files of Python lie in `.runtime` (tools/runtime.py). Where they do not, pages run nothing.
"""

import functools
import hashlib
import io
import json
import shutil
import zipfile
from pathlib import Path

from book_notebooks import CHECK
from book_package import ON_TENSORS
from docutils import nodes

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / ".runtime"
PINNED = ROOT / "tools" / "runtime.json"
LIVE = "book/numpy/"
CORE = "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"
PACKAGES = "numpy", "jaxtyping", "markdown-it-py", "platformdirs"  # loaded before the first cell
LEFT_OUT = "kernels", "distributed", "fused", "pytorch", "measure", "models"  # they need PyTorch
PAGE_BAR = """<div class="live-page" role="group" aria-label="Run this page">
<p>Run, change and check everything on this page, here in your browser. The first run loads Python
({mega} MB, once); the first figure takes 10 MB more. A cell runs those above it first; in an
editor, Shift+Enter runs the cell and Esc takes you out.</p>
<p class="from-file">Opened from a file, a page runs nothing: <code>make book</code> serves it.</p>
<button type="button" class="run-all">Run all</button>
<button type="button" class="restart">Restart</button>
<button type="button" class="download">Download with my edits</button>
<span role="status"></span></div>"""
ANSWERS = """<div class="live-page"><p>On this page you need none of the calls that are named below:
write your answer into the cell under an exercise, and press Check, Hint or Solution below
it.</p></div>"""
ELSEWHERE = """<div class="live-page"><p>This chapter needs PyTorch, which runs in no browser. To
run its cells, open it {places}.</p></div>"""
LAB = "in JupyterLab, with <code>make lab</code>"
HOSTS = "in Colab or on Binder, by the button with the rocket above, or on your own machine "
CELL_BAR = """<div class="live-bar"><span>cell {number}</span>
{buttons}<span role="status"></span></div>"""
BUTTON = '<button type="button" class="{}" aria-label="{} {}"{}>{}</button>'
FROM_FILE = "if (location.protocol === 'file:') document.documentElement.classList.add('from-file')"
LOST = """document.querySelector('.live-page [role=status]').textContent =
'The script of this page could not be loaded: look at the network, then reload the page.'"""
EPOCH = 1980, 1, 1, 0, 0, 0


@functools.cache
def _package():
    """Our package as a zip, the same bytes for the same sources."""
    packed = io.BytesIO()
    code = ROOT / "code"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((code / "attnbook").rglob("*")):
            _, folder, *_ = parts = path.relative_to(code).parts
            if path.is_file() and folder not in LEFT_OUT and "__pycache__" not in parts:
                name = zipfile.ZipInfo("/".join(parts), EPOCH)
                archive.writestr(name, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _begin(app, config):
    config.add("runs", RUNTIME.is_dir(), "env", bool)
    if not config.runs:
        return
    packages = json.loads(PINNED.read_text(encoding="utf-8"))["lock"]["packages"]
    files = [*CORE, *(packages[name]["file_name"] for name in _with_needs(PACKAGES, packages))]
    loaded = sum((RUNTIME / name).stat().st_size for name in files)
    config.add("loaded", round((loaded + len(_package())) / 1e6), "env", int)


def _with_needs(names, packages):
    """The packages and all that they depend on."""
    found = set(names)
    for name in names:
        found |= _with_needs(packages[name]["depends"], packages)
    return found


def _mark(app, document):
    """Give each cell that runs its number and buttons; say above the first what the page can."""
    if not app.config.runs:
        return
    cells = [c for c in document.findall(nodes.container) if c.get("nb_element") == "cell_code"]
    if cells and app.env.docname.startswith(LIVE):
        for cell in cells:
            _number(cell)
        _above(cells[0], PAGE_BAR.format(mega=app.config.loaded))
        checks = (cell for cell in cells if CHECK.search(cell.astext()))
        if first := next(checks, None):
            exercises = first.parent.parent
            _above(exercises[1], ANSWERS)  # below the title, before anything tells of calls
    elif cells and app.env.docname.startswith(ON_TENSORS):
        hosts = HOSTS if app.config.html_theme_options.get("repository_url") else ""
        _above(cells[0], ELSEWHERE.format(places=hosts + LAB))


def _above(cell, html):
    cell.parent.insert(cell.parent.index(cell), nodes.raw("", html, format="html"))


def _number(cell):
    number = cell["exec_count"]
    cell["ids"].append(f"cell-{number}")
    place = next(part for part in cell if "cell_input" in part.get("classes", []))
    folded = next(place.findall(lambda node: node.tagname == "code"), place)
    folded += nodes.raw("", _buttons(place.astext(), number), format="html")


def _buttons(source, number):
    checks = CHECK.search(source)
    named = {"run": "Check" if checks else "Run", "edit": "Edit"}
    if checks:
        named |= {"hint": "Hint", "solution": "Solution"}
    shown = [BUTTON.format(name, word, f"cell {number}", "", word) for name, word in named.items()]
    reset = BUTTON.format("reset", "Reset", f"cell {number}", " hidden", "Reset")
    return CELL_BAR.format(number=number, buttons="".join([*shown, reset]))


def _load(app, pagename, templatename, context, doctree):
    if 'class="live-page"' in context.get("body", ""):
        app.add_css_file("live/live.css", priority=900)
    if pagename.startswith(LIVE) and app.config.runs:
        app.add_js_file(None, body=FROM_FILE, priority=100)
        app.add_js_file("live/page.mjs", type="module", onerror=LOST)


def _write(app, error):
    if error or app.builder.name != "html" or not app.config.runs:
        return
    place = Path(app.outdir, "python")
    shutil.copytree(RUNTIME, place, dirs_exist_ok=True)
    pinned = json.loads(PINNED.read_text(encoding="utf-8"))
    (place / "pyodide-lock.json").write_text(json.dumps(pinned["lock"]), encoding="utf-8")
    (place / "first.json").write_text(json.dumps({"first": PACKAGES}), encoding="utf-8")
    (place / "attnbook.zip").write_bytes(_package())
    static = Path(app.outdir, "_static", "live")
    shutil.move(static / "kernel.py", place / "kernel.py")
    held = hashlib.sha256(b"".join(p.read_bytes() for p in sorted(place.iterdir()))).hexdigest()
    worker = (static / "offline.mjs").read_text(encoding="utf-8").replace("@", held[:12])
    Path(app.outdir, "offline.js").write_text(worker, encoding="utf-8")
    (static / "offline.mjs").unlink()


def setup(app):
    app.connect("config-inited", _begin)
    app.connect("doctree-read", _mark, priority=700)  # after what folds code
    app.connect("html-page-context", _load)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
