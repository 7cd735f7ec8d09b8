"""What a chapter shows of its own code: the source of a function, the shapes of arrays."""

import ast
import inspect
import textwrap


class Markdown(str):
    """Text that a notebook renders as Markdown."""

    def _repr_markdown_(self):
        return str(self)

    def __repr__(self):
        return str(self)


def source(*functions):
    """The source of functions as the package has it, without docstrings."""
    return Markdown("```python\n" + "\n\n\n".join(map(source_text, functions)) + "\n```")


def loop(function):
    """The source of a function's first loop, as the package has it."""
    tree = ast.parse(text := source_text(function))
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)]
    first = min(loops, key=lambda node: node.lineno)
    lines = text.split("\n")[first.lineno - 1 : first.end_lineno]
    return Markdown("```python\n" + textwrap.dedent("\n".join(lines)) + "\n```")


def source_text(function):
    """The source of one function, or of one of Triton's kernels, without its docstring."""
    function = getattr(function, "fn", function)
    text = textwrap.dedent(inspect.getsource(function))
    body = ast.parse(text).body[0].body
    lines = text.rstrip().split("\n")
    if len(body) > 1 and ast.get_docstring(ast.parse(text).body[0]) is not None:
        del lines[body[0].lineno - 1 : body[0].end_lineno]
        if not lines[body[0].lineno - 1]:  # before a nested function
            del lines[body[0].lineno - 1]
    return "\n".join(lines)


def shapes(**arrays):
    """Print each array's name, shape and dtype, one a line."""
    width = max(map(len, arrays), default=0)
    for name, array in arrays.items():
        print(f"{name:{width}}  {tuple(array.shape)!s:14} {array.dtype}")
