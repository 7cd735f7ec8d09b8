"""What the figures accept: real numbers of a stated shape, a name for each row or column."""

import numpy as np

from attnbook.arguments import describe


def real_array(name, value, shape):
    """`value` in float64; a word in `shape` stands for any size above 0."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.empty(0, object)
    sizes = zip(array.shape, shape, strict=False)
    fits = array.ndim == len(shape) and all(n == m or (n and m == str(m)) for n, m in sizes)
    if array.dtype.kind not in "biuf" or not fits:
        expected = f"real numbers of shape {_written(shape)}"
        raise ValueError(f"{name} is {describe(value)}; expected {expected}")
    return array.astype(np.float64)


def boolean_array(name, value, shapes):
    array = np.asarray(value)
    if array.dtype != bool or array.shape not in shapes:
        expected = f"booleans of shape {' or '.join(map(_written, shapes))}"
        raise ValueError(f"{name} is {describe(value)}; expected {expected}")
    return array


def names_of(name, names, count):
    if names is not None and len(names) != count:
        raise ValueError(f"{name} has {len(names)} entries; expected {count}")
    return None if names is None else [str(each) for each in names]


def dictionary(name, value, most):
    if not isinstance(value, dict) or len(value) > most:
        raise ValueError(f"{name} is {describe(value)}; expected a dict of at most {most} entries")
    return value


def _written(shape):
    return f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"
