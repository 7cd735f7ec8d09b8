"""Every one-step change of a solution: what a slip of its author would have made of it."""

import ast
import copy

from attnbook.exercises.engine.edits import made, source

OTHER = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


def changes(node):
    """What could stand in the place of a node."""
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is str:
        yield ast.Constant(node.value + "?")
    elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in OTHER:
        yield _with(node, op=OTHER[type(node.op)]())
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
        yield _with(node, ops=[OTHER[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)


def _with(node, **fields):
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def mutants(*functions):
    """Pairs of the changed line and the last of the functions, with that change in one of them."""
    tree = ast.parse(source(*functions))
    right = ast.unparse(tree).splitlines()
    bodies = [part for function in tree.body for part in function.body if not _is_text(part)]
    for node in [node for part in bodies for node in ast.walk(part)]:
        for other in changes(node):
            text = ast.unparse(_replaced(tree, node, other))
            lines = [line.strip() for line in text.splitlines() if line not in right]
            name = getattr(functions[-1], "__name__", None) or functions[-1].fn.__name__
            yield " ".join(lines) or "a line twice", made(name, text, functions[-1])


def _is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _replaced(tree, node, other):
    class Replace(ast.NodeTransformer):
        def visit(self, each):
            return other if each is node else self.generic_visit(each)

    memo = {id(each): each for each in (node, other)}  # the same objects in the copy
    return ast.fix_missing_locations(Replace().visit(copy.deepcopy(tree, memo)))
