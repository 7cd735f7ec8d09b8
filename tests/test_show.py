"""The source that a chapter shows is a function's own, without its docstring."""

from attnbook.show import source_text


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
