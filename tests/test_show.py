"""The source that a chapter shows is a function's own, without its docstring."""

from attnbook.show import loop, source_text


def documented(x):
    """Twice x."""
    return 2 * x


def bare(x):
    return 2 * x


def docstring_alone(x):
    """All that this function has."""


def nested(x):
    """A function of y."""

    def inner(y):
        return x + y

    return inner


def bare_nested(x):
    def inner(y):
        return x + y

    return inner


def test_a_docstring_is_left_out_where_something_else_is_left():
    assert source_text(documented) == source_text(bare).replace("bare", "documented")
    assert source_text(docstring_alone).endswith('"""All that this function has."""')


def test_no_empty_line_is_left_where_a_docstring_stood_before_a_nested_function():
    assert source_text(nested) == source_text(bare_nested).replace("bare_nested", "nested")


def with_two_loops(n):
    """Its docstring has: for k in ()."""
    if n:
        for i in range(n):
            n += i  # the first
    for j in range(n):
        n -= j
    return n


def test_the_first_loop_is_shown_alone():
    shown = loop(with_two_loops)
    assert shown == "```python\nfor i in range(n):\n    n += i  # the first\n```"
