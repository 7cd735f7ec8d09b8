"""Beside each signature a link to its lines, once the address of the repository is known.

`sphinx.ext.linkcode` would spare five lines of this. It makes the links as a page is read, so that
they would stay as they were when only the address or the branch changes.
"""

import sys
from inspect import getsourcefile, getsourcelines, isclass, isfunction, ismethod, unwrap
from operator import attrgetter
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.ext.autodoc.mock import undecorate

ROOT = Path(__file__).parents[2]


def place(module, name):
    """The file and the line where a function or a class begins; a field's are its class's.

    A function that a mock decorates, as `torch.no_grad` on pages built without PyTorch, is one
    call of that mock, which keeps the function.
    """
    found = unwrap(undecorate(attrgetter(name)(sys.modules[module])))
    if not (isclass(found) or isfunction(found) or ismethod(found)):
        return place(module, name.rpartition(".")[0])
    return f"{Path(getsourcefile(found)).relative_to(ROOT).as_posix()}#L{getsourcelines(found)[1]}"


def _link(app, document, page):
    options = app.config.html_theme_options
    if not options.get("repository_url"):
        return
    files = f"{options['repository_url']}/blob/{options['repository_branch']}"
    for signature in document.findall(addnodes.desc_signature):
        uri = f"{files}/{place(signature['module'], signature['fullname'])}"
        signature += nodes.reference("", "source", refuri=uri, classes=["source"])


def setup(app):
    app.connect("doctree-resolved", _link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
