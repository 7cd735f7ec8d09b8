"""Which cells of a notebook could not run again after all of it, since a later cell took a name."""

import ast
import re
from itertools import chain
from typing import NamedTuple

FUNCTIONS = ast.FunctionDef, ast.Lambda
COMPREHENSIONS = ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp
IMPORTS = ast.Import, ast.ImportFrom
PARTS = "body", "handlers", "orelse", "finalbody"


class Cell(NamedTuple):
    """What a cell takes from others, what it binds and as what, and what its functions read."""

    reads: set
    binds: dict
    functions: dict


def taken(sources):
    """For each name that a cell reads and itself or a later one rebinds: cell, name and taker.

    Of a function, also of one in a variable, all that it reads counts as read by its caller.
    """
    cells = list(map(cell, sources))
    bound, functions = {}, {}
    for i, one in enumerate(cells):
        known = functions | one.functions
        for name in sorted(_reached(one.reads, known) & set(bound)):
            for j, later in enumerate(cells[i:], i):
                if later.binds.get(name, bound[name]) != bound[name]:
                    yield i, name, j
                    break
        functions = {name: read for name, read in known.items() if name not in one.binds}
        functions |= one.functions
        bound |= one.binds


def _reached(names, functions):
    """The names, and those that functions among them read, and so on."""
    names, todo = set(names), list(names)
    while todo:
        more = functions.get(todo.pop(), set()) - names
        names |= more
        todo += more
    return names


def cell(source):
    """The names of a cell; lines that only a notebook understands do nothing."""
    tree = ast.parse(re.sub(r"(?m)^( *)[%!].*", r"\1pass", source))
    found = Cell(set(), {}, {})
    late = set()  # what functions read is there when they are called, at the end of the cell
    for statement in _in_order(tree):
        late |= _of_functions(statement)
        found.reads.update(loads(statement) - set(found.binds) - _of_functions(statement))
        for name, value in _bound(statement).items():
            found.binds[name] = value if value else (source, name)
            if read := _of_functions(statement):
                found.functions[name] = read
    found.reads.update(late - set(found.binds))
    return found


def _in_order(node):
    """Statements one after the other, those of loops and blocks without what stands in these."""
    for statement in getattr(node, "body", []):
        inner = [part for name in PARTS for part in getattr(statement, name, [])]
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) or not inner:
            yield statement
            continue
        yield from (_Head(statement),)
        yield from _in_order(ast.Module(inner, []))


class _Head(ast.AST):
    """What a loop, a condition or a block reads and binds before its body."""

    _fields = ("parts",)

    def __init__(self, node):
        self.parts = [part for name, part in ast.iter_fields(node) if name not in PARTS]
        self.parts = list(chain(*(p if isinstance(p, list) else [p] for p in self.parts)))
        self.parts = [part for part in self.parts if isinstance(part, ast.AST)]
        self.name = getattr(node, "name", None)


def loads(node):
    """The names that a statement or an expression takes from around it."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    inner = set().union(*map(loads, ast.iter_child_nodes(node)))
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        inner |= {node.target.id}
    if isinstance(node, FUNCTIONS):
        return inner - {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)} - _own(node)
    return inner - _own(node) if isinstance(node, COMPREHENSIONS) else inner


def _own(function):
    """What a function or a comprehension binds for itself."""
    body = function.body if isinstance(getattr(function, "body", None), list) else []
    parts = body or [g.target for g in getattr(function, "generators", [])]
    return set().union(*(_bound(part) for part in parts))


def _bound(node):
    """The names that a statement binds: imports as what they import, others as None."""
    if isinstance(node, IMPORTS):
        origin = getattr(node, "module", None)
        return {(a.asname or a.name).split(".")[0]: (origin, a.name) for a in node.names}
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name: None}
    if isinstance(node, (ast.Lambda, *COMPREHENSIONS)):
        return {}
    own = [node.id] if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) else []
    own += [node.name] if isinstance(node, (_Head, ast.ExceptHandler)) and node.name else []
    inner = map(_bound, ast.iter_child_nodes(node))
    return dict.fromkeys(own) | {name: value for part in inner for name, value in part.items()}


def _of_functions(node):
    """What the functions in a statement read when they are called."""
    found = [n for n in ast.walk(node) if isinstance(n, (*FUNCTIONS, ast.ClassDef))]
    return set().union(*map(loads, found))
