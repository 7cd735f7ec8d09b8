"""Wrong versions of a function, each written as a line that says what is changed in its source.

A line is one of

    old → new            the source with this change; `old` stands in it exactly once
    old ⇒ new            the source with `new` wherever `old` stands
    old → new ; b → c    several changes, one after the other
    = expression         another body, of the same arguments
    is expression        a function, made of what the function's module has

In a change, \\n is the end of a line.
"""

import inspect
import linecache
import re
from zlib import crc32

CHANGE = re.compile(r" ?([→⇒]) ?")


class Misfit(ValueError):
    """A change whose old text does not stand in the source as it should."""


def versions(line, function, *more):
    """The wrong functions that a line stands for: the changed function, and others that it fits.

    Each of `function` and `more` is the function to be changed, or a tuple that begins with the
    helpers which are changed with it. Raises ValueError if a change fits none of them.
    """
    several = [each if isinstance(each, tuple) else (each,) for each in (function, *more)]
    right = several[0][-1]
    if line.startswith("is "):
        return [value(line[3:], right)]
    if line.startswith("= "):
        text = f"def wrong{inspect.signature(right)}:\n    return {line[2:]}\n"
        return [made("wrong", text, right)]
    fitting, misfits = [], []
    for each in several:
        try:
            fitting.append(made(each[-1].__name__, edited(each, line), right))
        except Misfit as misfit:
            misfits.append(f"{misfit} of {each[-1].__name__}")
    if not fitting:
        raise ValueError(f"{line!r} fits nothing: {'; '.join(misfits)}")
    return fitting


def value(expression, function):
    """What an expression is where a function was written."""
    return eval(expression, vars(inspect.getmodule(function)))


def source(*functions):
    """The source of functions, of Triton's kernels too."""
    return "\n\n".join(inspect.getsource(getattr(f, "fn", f)) for f in functions)


def edited(functions, line):
    """The source of functions with each change of a line. Raises Misfit where one does not fit."""
    return changed(source(*functions), line)


def changed(text, line):
    """The text with each change of a line. Raises Misfit where one does not fit."""
    for change in line.split(" ; "):
        old, arrow, new = CHANGE.split(change.replace("\\n", "\n"), maxsplit=1)
        text = exchanged(text, old, new, everywhere=arrow == "⇒")
    return text


def exchanged(text, old, new, everywhere=False):
    """The text with `new` for `old`. Raises Misfit unless that stands in it once, or at all."""
    times = text.count(old)
    if times != 1 and not (everywhere and times):
        raise Misfit(f"{old!r} stands {times} times in the text")
    return text.replace(old, new)


def made(name, text, function):
    """The function `name` that a text defines, beside what the module of a function has."""
    return run(name, text, inspect.getmodule(function))[name]


def run(name, text, module):
    """All that there is once a text, under a name, has run beside what a module has."""
    file, scope = f"<{name} {crc32(text.encode()):x}>", dict(vars(module))
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file  # Triton reads it
    exec(compile(text, file, "exec"), scope)
    return scope
