"""The text of a kernel and of everything that it names, as a module of its own.

A process that interprets kernels holds no compiler for them: under TRITON_INTERPRET=1 Triton's own
`tl.sum` is interpreted too. The text of the kernel goes to another process, which compiles it; so a
kernel written in a notebook is treated as one in a module.
"""

import ast
import inspect
import math
import re
import textwrap
from types import ModuleType

_JITTED = {"JITFunction": "triton.jit", "InterpretedFunction": "triton.jit"}
_JITTED |= {"GluonJITFunction": "gluon.jit"}
_JITTED["ConstexprFunction"] = "triton.constexpr_function"


def python_function(kernel):
    """The Python function under a kernel's decorators, an autotuner's among them."""
    while not inspect.isfunction(kernel):
        if not hasattr(kernel, "fn"):
            raise TypeError(f"kernel is {kernel!r}; expected a function under @triton.jit")
        kernel = kernel.fn
    return kernel


def module_text(kernel, constants):
    """The source of a module with the kernel, what it calls, and CONSTANTS, a dict of its own.

    Raises ValueError if two functions give one name to different things, or if a constant or a
    name of the kernel is nothing that can be written down.
    """
    writer = _Writer()
    writer.name(python_function(kernel).__name__, kernel)
    for key, value in constants.items():
        writer.constants[key] = writer.expression(key, value)
    items = ", ".join(f"{key!r}: {text}" for key, text in writer.constants.items())
    head = "import triton\nimport triton.language as tl\n"
    if _JITTED.get(type(kernel).__name__) == "gluon.jit":
        head += "from triton.experimental import gluon\n"
    return "\n".join([head, *writer.lines, f"CONSTANTS = {{{items}}}", ""])


class _Writer:
    def __init__(self):
        self.lines, self.constants, self.values = [], {}, {}

    def name(self, name, value):
        """Write what makes this name stand for this value, after what it needs itself."""
        if name in self.values:
            if self.values[name] is value or self.values[name] == value:
                return
            raise ValueError(f"{name} is two different things in what the kernel calls")
        self.values[name] = value
        if type(value).__name__ in _JITTED or hasattr(value, "fn"):
            self.lines.append(self.function(name, value))
        elif isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
            self.lines.append(f"{name} = __import__('collections').namedtuple{name, value._fields}")
        elif isinstance(value, ModuleType):
            self.lines.append(f"import {value.__name__} as {name}")
        else:
            self.lines.append(f"{name} = {self.expression(name, value)}")

    def function(self, name, value):
        function = python_function(value)
        if function.__module__.startswith("triton."):
            return f"from {function.__module__} import {function.__name__} as {name}"
        source = textwrap.dedent(inspect.getsource(function))
        source = source[re.search(r"^def ", source, re.MULTILINE).start() :]
        known = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
        own = {*function.__code__.co_varnames, function.__name__}
        for used in _names(source):
            if used in known and used not in own:
                self.name(used, known[used])
        kind = _JITTED.get(type(value).__name__, "triton.jit")
        alias = "" if name == function.__name__ else f"\n{name} = {function.__name__}"
        return f"@{kind}\n{source.rstrip()}{alias}\n"

    def expression(self, name, value):
        """A value as Python writes it."""
        if type(value).__name__ == "constexpr":
            return f"tl.constexpr({self.expression(name, value.value)})"
        if value is None or isinstance(value, bool | int | str):
            return repr(value)
        if isinstance(value, float):
            return repr(value) if math.isfinite(value) else f'float("{value}")'
        if isinstance(value, tuple | list):
            return "(" + "".join(f"{self.expression(name, item)}, " for item in value) + ")"
        if type(value).__module__ == "triton.language.core" and type(value).__name__ == "dtype":
            return f"tl.dtype({value.name!r})"
        if type(value).__name__ in _JITTED:
            self.name(python_function(value).__name__, value)
            return python_function(value).__name__
        if str(getattr(value, "__module__", "")).startswith("triton."):
            return f"__import__({value.__module__!r}, fromlist=['_']).{value.__name__}"
        raise ValueError(f"{name} is {value!r}; expected a number, a string or a Triton function")


def _names(source):
    loads = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name))
    return dict.fromkeys(node.id for node in loads)
