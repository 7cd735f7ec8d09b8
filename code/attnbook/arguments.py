"""How the package checks the arguments of a call, and refuses a wrong one in one sentence."""

import contextlib
import functools
import inspect
import math
import numbers
import operator
import re
import typing
from importlib import import_module

import numpy as np
from jaxtyping import jaxtyped

MOST_KINDS = 4096
WORDS = {numbers.Integral: "an integer", numbers.Real: "a number", np.ndarray: "an array"}
# What PyTorch calls it, and what it is here: by the arguments that a function may have for it.
ELSEWHERE = {
    "attn_mask": {"mask": "mask, in which True = may look", "bias": "bias, added to the scores"},
    "is_causal": {"causal": "causal=True", "mask": "mask=causal_mask(n_q, n_k)"},
    "key_padding_mask": {"valid_lens": "valid_lens", "mask": "mask=padding_mask(valid_lens, n_k)"},
    "mask": {
        "rule": "rule (and attnbook.fused.attention takes a mask)",
        "bias": "bias, -inf where a query may not look",
    },
}
# Arrays in which * is another product, or of which a part does not count; and what to pass instead.
SPECIAL = {np.ma.MaskedArray: "its data, and mask= for what to hide", np.matrix: "np.asarray of it"}


def checker(function):
    """A function of the same arguments that returns them by name, or refuses in one sentence.

    Whether arguments fit depends on their types, dtypes and shapes alone, and looking takes longer
    than a small attention: so what has fitted once is not looked at again.

    An integer of NumPy comes back as Python's: 100 + 100 is -56 in int8, and -2 is 254 in uint8.
    """
    signature = inspect.signature(function)
    kind = _kind_for(signature)
    fitting = set()

    def check(*args, **kwargs):
        arguments = dict(zip(signature.parameters, args, strict=False)) | kwargs
        known = tuple((name, kind(x)) for name, x in arguments.items())
        if len(arguments) < len(args) + len(kwargs) or not _is_in(known, fitting):
            look(function, signature, args, kwargs)
            _remember(known, fitting)
        return {name: int(x) if isinstance(x, np.integer) else x for name, x in arguments.items()}

    return check


def look(function, signature, args, kwargs):
    """Compare each argument with its annotation."""
    try:
        arguments = signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise TypeError(f"{function.__qualname__}: {error}{_ours(kwargs, signature)}") from None
    _refuse_unless_plain(function, arguments)
    wrong = _first_wrong(function)(*args, **kwargs)
    expected = _axes(arguments) if not wrong or _is_mask(wrong, arguments) else None
    if expected:
        was = describe(arguments["mask"])
        raise TypeError(f"{function.__qualname__}: mask is {was}; expected {expected}")
    if wrong:
        raise TypeError(_sentence(function, signature.parameters, arguments, wrong))


def _first_wrong(function):
    """The name of the first argument that does not fit, or None."""
    parameters = inspect.signature(function).parameters

    @jaxtyped(typechecker=None)  # a size has one value in one call
    @functools.wraps(function)
    def first_wrong(*args, **kwargs):
        arguments = dict(zip(parameters, args, strict=False)) | kwargs
        for name, p in parameters.items():
            unchecked = name not in arguments or p.annotation is p.empty
            if not unchecked and not isinstance(arguments[name], p.annotation):
                return name
        return None

    return first_wrong


def _is_mask(name, arguments):
    """Whether what does not fit is a boolean mask, so that its axes are wrong."""
    return name == "mask" and str(getattr(arguments[name], "dtype", "")).endswith("bool")


def _axes(arguments):
    """What the axes of a mask must be, if they are not: as many as q has, or two (and axes of 1).

    Where heads are made inside, a mask may have their axis too. So an axis has one meaning, where
    a batch is as large as there are heads too.
    """
    mask, q, k = (arguments.get(name) for name in ("mask", "q", "k"))
    if mask is None or q is None:
        return None
    n_heads = arguments.get("n_heads") or getattr(arguments.get("self"), "n_heads", None)
    rows, batch = (q.shape[-2], k.shape[-2]), q.shape[:-2]
    allowed = [rows, (*batch, *rows), *([(*batch, n_heads, *rows)] if n_heads else [])]
    for shape in allowed:
        sizes = list(zip(reversed(mask.shape), reversed(shape), strict=False))
        ones = mask.ndim > 2 and all(n == 1 for n in mask.shape[:-2])
        full = mask.ndim == len(shape) or ones
        if full and all(m in (1, n) for m, n in sizes):
            return None
    each = " or ".join(str(tuple(shape)) for shape in dict.fromkeys(allowed))
    return f"shape {each}, where any axis may be 1"


def _kind_for(signature):
    """What of an argument decides whether it fits."""
    text = " ".join(str(p.annotation) for p in signature.parameters.values())
    widths = sorted(set(re.findall(r"\{self\.([\w.]+)\}", text)))

    def kind(x):
        if hasattr(x, "dtype"):
            return type(x), x.dtype, x.shape
        if widths and hasattr(x, "forward"):  # the module itself
            return operator.attrgetter(*widths)(x)
        return (type(x), x) if isinstance(x, int) else type(x)

    return kind


def _is_in(known, fitting):
    try:
        return known in fitting
    except TypeError:  # a size that is a symbol
        return False


def _remember(known, fitting):
    if len(fitting) >= MOST_KINDS:
        fitting.clear()
    with contextlib.suppress(TypeError):
        fitting.add(known)


def _refuse_unless_plain(function, arguments):
    for name, x in arguments.items():
        kind = next((kind for kind in SPECIAL if isinstance(x, kind)), None)
        if kind is not None:
            was = f"{name} is a {kind.__name__} of shape {x.shape}"
            wanted = f"expected a plain array: {SPECIAL[kind]}"
            raise TypeError(f"{function.__qualname__}: {was}; {wanted}")


def _ours(names, signature):
    """How a function says what an argument that it has not says elsewhere."""
    found = []
    for name in set(names) & set(ELSEWHERE) - set(signature.parameters):
        ways = [way for ours, way in ELSEWHERE[name].items() if ours in signature.parameters]
        found += [f"{name} is here {', or '.join(ways)}"] if ways else []
    return f"; {', '.join(sorted(found))}" if found else ""


def _sentence(function, parameters, arguments, wrong):
    value, annotation = arguments[wrong], parameters[wrong].annotation
    sizes = _sizes(parameters, arguments, wrong)
    of_its_dtype = [
        kind for kind in _kinds(annotation) if isinstance(value, kind.dtype[kind.array_type, "..."])
    ]
    should = [_shape(kind, arguments, sizes) for kind in of_its_dtype] or [
        _should(kind, arguments, sizes) for kind in _alternatives(annotation)
    ]
    was = f"{wrong} is {describe(value)}{_entries(value)}"
    counterpart = _counterpart(function.__name__, value, _kinds(annotation))
    return f"{function.__qualname__}: {was}; expected {' or '.join(should)}{counterpart}"


def _counterpart(name, value, kinds):
    """Where the function for tensors is, if a tensor was given to one for arrays."""
    if not hasattr(value, "requires_grad") or all(
        kind.array_type is not np.ndarray for kind in kinds
    ):
        return ""
    for_tensors = import_module("attnbook.pytorch")
    return f"; attnbook.pytorch.{name} takes tensors" if hasattr(for_tensors, name) else ""


def _alternatives(annotation):
    """What an annotation allows beside None: the parts of a union, or itself."""
    parts = typing.get_args(annotation) or [annotation]
    return [part for part in parts if part is not type(None)]


def _kinds(annotation):
    """The arrays that an annotation allows, each with a dtype and a shape."""
    return [kind for kind in _alternatives(annotation) if hasattr(kind, "dim_str")]


def annotated(function, dtype):
    """The names of the arguments whose annotation asks for a dtype, such as `Real`."""
    parameters = inspect.signature(function).parameters.items()
    return [name for name, p in parameters if any(x.dtype is dtype for x in _kinds(p.annotation))]


def _sizes(parameters, arguments, wrong):
    """The sizes that the arguments before a wrong one give to the names of axes."""
    sizes = {}
    for name in list(parameters)[: list(parameters).index(wrong)]:
        kinds = _kinds(parameters[name].annotation)
        if len(kinds) == 1 and _is_array(arguments.get(name)):
            sizes |= _named(kinds[0].dim_str.split(), arguments[name].shape)
    return sizes


def _named(axes, shape):
    """The sizes of a shape by the names of its axes: a tuple where one name stands for several.

    An axis that may be 1 tells nothing.
    """
    several = next((i for i, axis in enumerate(axes) if axis == "..." or "*" in axis), None)
    if several is not None:
        behind = len(shape) - len(axes) + several + 1
        shape = *shape[:several], tuple(shape[several:behind]), *shape[behind:]
    pairs = zip(axes, shape, strict=True)
    return {axis.lstrip("*"): size for axis, size in pairs if re.match(r"\*?[a-z]", axis)}


def _shape(kind, arguments, sizes):
    """The shape that an annotation asks for, in numbers as far as they are known: (2, 5, d_v)."""
    found, ones = [], []
    axes = kind.dim_str.split()
    for axis in axes:
        name = axis.lstrip("*#")
        unknown = "..." if axis == "..." or "*" in axis else name.format(**arguments)
        size = sizes.get(name, unknown)
        found += size if isinstance(size, tuple) else [size]
        ones += [name] if "#" in axis else []
    which = "any axis" if len(ones) == len(axes) else " and ".join(ones)
    text = f"shape ({', '.join(map(str, found))}{',' * (len(found) == 1)})"
    return f"{text}, where {which} may be 1" if ones else text


def describe(value):
    """A value in a few words: dtype and shape of an array, type and repr of anything else."""
    if _is_array(value):
        return f"{str(value.dtype).rpartition('.')[2]} {_noun(value)} of shape {tuple(value.shape)}"
    if value is None:
        return "None"
    kind = type(value).__name__
    try:
        return f"{kind} {shortened(repr(value), 80)}"
    except Exception:  # its own, or an integer too long to print
        return kind


def shortened(text, width):
    """A text of at most so many characters: the words that fit, and a mark where some are left."""
    if len(text) <= width:
        return text
    whole = re.match(r"(?s).*(?=\s)", text[: width - 1])  # of a single long word its beginning
    return f"{(whole[0] if whole else text[: width - 2]).rstrip()} …"


def _is_array(value):
    """Whether it is an array or a tensor, without an import of what makes tensors."""
    return isinstance(value, np.ndarray) or type(getattr(value, "requires_grad", None)) is bool


def _noun(value):
    return "array" if isinstance(value, np.ndarray) else "tensor"


def _entries(value):
    """The entries of an array that is small enough to read in a sentence."""
    small = _is_array(value) and 0 < math.prod(value.shape) <= 8
    return f" {value.tolist()!r:.80}" if small else ""


def _should(kind, arguments, sizes):
    """One thing that an argument may be, in words."""
    if hasattr(kind, "dim_str"):
        dtype = re.sub(r"(?<=.)(?=[A-Z])", " ", kind.dtype.__name__).lower()
        noun = "array" if kind.array_type is np.ndarray else "tensor"
        return f"{dtype} {noun} of {_shape(kind, arguments, sizes)}"
    return WORDS.get(kind) or getattr(kind, "__name__", str(kind))
