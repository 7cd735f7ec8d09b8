"""Fold the code that nobody need read to follow a page: imports, and cells that only draw.

The output of an exercise's untouched cell says nothing on a page that runs nothing: it is left out.
"""

import ast

from docutils import nodes

OPEN = "Not attempted yet."
SETTINGS = "np.set_printoptions", "np.random.default_rng", "torch.set_printoptions"


class code(nodes.General, nodes.Element):
    """A native disclosure, closed, with the input of a cell; its `title` is what it shows then."""


def title(source, later=""):
    """What stands in place of a cell's code while it is folded, or None where it has to be seen.

    `later` is the code of the cells after it: what they use has to be seen where it is made.
    """
    try:
        body, used = ast.parse(source).body, _names(ast.parse(later))
    except SyntaxError:  # a magic of the notebook's
        return None
    imports = [each for each in body if isinstance(each, (ast.Import, ast.ImportFrom))]
    if imports and all(_calls(each, SETTINGS) for each in body if each not in imports):
        return "Imports"
    if not body or not _calls(body[-1], ("plots.",)) or isinstance(body[-1], ast.Assign):
        return None
    made = all(isinstance(each, ast.Assign) for each in body[:-1])
    return "Code of this figure" if made and not used & _names(body, ast.Store) else None


def _calls(statement, begin):
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Call) and ast.unparse(value.func).startswith(begin)


def _names(tree, context=ast.expr_context):
    trees = tree if isinstance(tree, list) else [tree]
    found = (node for each in trees for node in ast.walk(each) if isinstance(node, ast.Name))
    return {name.id for name in found if isinstance(name.ctx, context)}


def _asked(cell):
    """Whether a prediction asks what this cell prints, so that its code is the question."""
    before = cell.parent.children[: cell.parent.index(cell)]
    return bool(before) and "predict" in before[-1].get("classes", [])


def _cells(document):
    cells = [c for c in document.findall(nodes.container) if "cell" in c.get("classes", [])]
    return [cell for cell in cells if "cell_input" in cell[0].get("classes", [])]


def _fold(app, document):
    cells = _cells(document)
    sources = [cell[0].astext() for cell in cells]
    for place, cell in enumerate(cells):
        shown, *outputs = cell.children
        if any(output.astext().strip() == OPEN for output in outputs):
            cell[:] = [shown]
        words = title(sources[place], "\n".join(sources[place + 1 :]))
        if words and not _asked(cell):
            shown[:] = [code("", *shown.children, title=words)]
            cell[:] = [*outputs, shown]
            cell["classes"].append("quiet")


def _visit(visitor, node):
    visitor.body.append(f'<details class="code"><summary>{node["title"]}</summary>\n')


def _depart(visitor, node):
    visitor.body.append("</details>\n")


def setup(app):
    app.add_node(code, html=(_visit, _depart))
    app.connect("doctree-read", _fold, priority=650)  # after the boxes of predictions
    return {"parallel_read_safe": True, "parallel_write_safe": True}
