"""Slips that anybody makes in any exercise: one-step changes of its solution, each in words.

A sign, a function or an axis stands where another should; a term, a guard or a step is forgotten;
a number is off by one.
"""

import ast
import inspect
import warnings
from itertools import accumulate

from attnbook.exercises.engine.edits import made, source

CONFUSED = """
+ -, * /, / //, // %, ** *, + *, @ *, & |, and or, < <=, > >=, < >, <= >=, < >=, > <=, == !=,
sum mean, sum max, sum cumsum, sum prod, max min, mean max, amax amin, argmax argmin, any all,
maximum minimum, tril triu, floor ceil, floor round, exp exp2, log log2, log log10, sin cos,
zeros ones, zeros_like ones_like
"""
PAIRS = [pair.split() for pair in CONFUSED.replace("\n", " ").split(", ")]
FORGOTTEN = {"+": "a term", "-": "a subtraction", "*": "a factor", "/": "a division"}
FORGOTTEN |= {"//": "a division", "%": "a remainder", "**": "a power", "@": "a product"}
FORGOTTEN |= {"&": "a condition", "|": "a condition", "and": "a condition", "or": "a condition"}
COMMUTE = "+*&|"
NAMES = {ast.USub: "minus sign", ast.UAdd: "plus sign", ast.Invert: "~", ast.Not: "not"}
AXES = {-2, -1, 0, 1}


def _operator(sign):
    node = ast.parse(f"a {sign} b", mode="eval").body
    return node.ops[0] if isinstance(node, ast.Compare) else node.op


SIGNS = {type(_operator(s)): s for s in [*FORGOTTEN, "<", "<=", ">", ">=", "==", "!="]}


def mistaken(function):
    """Pairs: a slip in words, and the function with that slip in it."""
    if function.__name__ == "<lambda>":  # its text stands amid other code
        return
    text = source(function)
    nodes = [n for part in ast.parse(text).body[0].body for n in ast.walk(part)]
    called = {getattr(n.func, "id", None) for n in nodes if isinstance(n, ast.Call)}
    names = [name for name in inspect.signature(function).parameters if name not in called]
    starts = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    for node in nodes:
        for words, other in _changes(node, names):
            begin = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            changed = f"{text[:begin]}({ast.unparse(other)}){text[end:]}"
            with warnings.catch_warnings(action="ignore"):  # of 0[...] and the like
                slip = made(function.__name__, changed, function)
            yield words, slip


def _changes(node, parameters):
    """What a slip makes of a node: words, and another node."""
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.Compare):
        yield from _of_sign(node)
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute | ast.Name):
        yield from _of_index(node)
    elif (number := _whole(node)) is not None:
        yield from ((_for(n, number), ast.Constant(n)) for n in (number - 1, number + 1))
    elif isinstance(node, ast.UnaryOp):
        yield f"without a {NAMES[type(node.op)]}", node.operand
    elif isinstance(node, ast.IfExp):
        yield "without its if, as where that holds", node.body
        yield "without its if, as where that does not hold", node.orelse
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.Name) and node.id in parameters and isinstance(node.ctx, ast.Load):
        others = (name for name in parameters if name != node.id)
        yield from ((f"{_for(name, node.id)} once", _with(node, id=name)) for name in others)


def _of_sign(node):
    compares = isinstance(node, ast.Compare)
    sign = SIGNS.get(type(node.ops[0] if compares else node.op), "")
    if isinstance(node, ast.BoolOp):
        yield from ((f"without {FORGOTTEN[sign]}", value) for value in node.values)
    if isinstance(node, ast.BinOp) and sign:
        forgotten, alone = f"without {FORGOTTEN[sign]}", f"with the right side of a {sign} alone"
        yield forgotten, node.left
        yield forgotten if sign in COMMUTE else alone, node.right
        turned = _with(node, left=node.right, right=node.left)
        yield f"with the two sides of a {sign} exchanged", turned
    for other in _confused(sign):
        op = _operator(other)
        yield _for(other, sign), _with(node, op=op, ops=[op, *getattr(node, "ops", ())[1:]])


def _of_index(node):
    """Another axis of a shape, say, by what it is called: a number alone could stand anywhere."""
    if (number := _whole(node.slice)) is not None:
        for other in (number - 1, number + 1):
            another = _with(node, slice=ast.Constant(other))
            yield _for(ast.unparse(another), ast.unparse(node)), another


def _of_call(node):
    name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
    field = "attr" if isinstance(node.func, ast.Attribute) else "id"
    for other in _confused(name):
        yield _for(other, name), _with(node, func=_with(node.func, **{field: other}))
    if name == "where" and len(node.args) == 3:
        condition, *sides = node.args
        yield "with the sides of a where exchanged", _with(node, args=[condition, *sides[::-1]])
        yield "without a where, as if its condition held everywhere", sides[0]
        yield "without a where, as if its condition held nowhere", sides[1]
    else:
        whole = [part for part in node.args if not isinstance(part, ast.Starred)]
        yield f"without {name}", (whole or [getattr(node.func, "value", node)])[0]
    for option in node.keywords:
        rest = [other for other in node.keywords if other is not option]
        yield f"without {ast.unparse(option)} in {name}", _with(node, keywords=rest)
        if option.arg in ("axis", "dim") and (axis := _whole(option.value)) is not None:
            for other in sorted(AXES - {axis}):
                another = ast.keyword(option.arg, ast.Constant(other))
                words = _for(ast.unparse(another), ast.unparse(option))
                yield f"{words} in {name}", _with(node, keywords=[*rest, another])


def _confused(word):
    return [b if a == word else a for a, b in PAIRS if word in (a, b)]


def _whole(node):
    """The whole number that a node is, with its sign; None if it is something else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _whole(node.operand)
        return None if number is None else -number
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _for(other, right):
    return f"with {other} in the place of {right}"


def _with(node, **fields):
    known = {name: value for name, value in fields.items() if name in node._fields}
    return type(node)(**vars(node) | known)
