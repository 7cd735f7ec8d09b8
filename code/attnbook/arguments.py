"""How the package checks the arguments of a call, and refuses a wrong one in one sentence."""

import contextlib
import functools
import inspect
import io
import math
import operator
import re

import numpy as np
from jaxtyping import jaxtyped, print_bindings

MOST_KINDS = 4096
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
    expected = _axes(arguments) if not wrong or _is_mask(wrong[0], arguments) else None
    if expected:
        was = describe(arguments["mask"])
        raise TypeError(f"{function.__qualname__}: mask is {was}; expected {expected}")
    if wrong:
        raise TypeError(_sentence(function, arguments, *wrong))


def _first_wrong(function):
    """The name of the first argument that does not fit, and the sizes known by then."""
    parameters = inspect.signature(function).parameters

    @jaxtyped(typechecker=None)  # a size has one value in one call
    @functools.wraps(function)
    def first_wrong(*args, **kwargs):
        arguments = dict(zip(parameters, args, strict=False)) | kwargs
        for name, p in parameters.items():
            unchecked = name not in arguments or p.annotation is p.empty
            if not unchecked and not isinstance(arguments[name], p.annotation):
                return name, _sizes()
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


def _sizes():
    """The sizes that the arguments so far have given to the names of axes."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        print_bindings()
    return ", ".join(re.findall(r"^\w+=.+$", said.getvalue(), re.MULTILINE))


def _sentence(function, arguments, name, sizes):
    annotation = inspect.signature(function).parameters[name].annotation
    where = f" where {sizes}" if sizes else ""
    was = describe(arguments[name]) + _entries(arguments[name])
    should = _should(annotation, arguments) + where
    return f"{function.__qualname__}: {name} is {was}; expected {should}"


def describe(value):
    """A value in a few words: dtype and shape of an array, type and repr of anything else."""
    if _is_array(value):
        return f"{str(value.dtype).rpartition('.')[2]} {_noun(value)} of shape {tuple(value.shape)}"
    if value is None:
        return "None"
    return f"{type(value).__name__} {value!r:.80}"


def _is_array(value):
    """Whether it is an array or a tensor, without an import of what makes tensors."""
    return isinstance(value, np.ndarray) or hasattr(value, "requires_grad")


def _noun(value):
    return "array" if isinstance(value, np.ndarray) else "tensor"


def _entries(value):
    """The entries of an array that is small enough to read in a sentence."""
    small = _is_array(value) and 0 < math.prod(value.shape) <= 8
    return f" {value.tolist()!r:.80}" if small else ""


def _should(annotation, arguments):
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    text = re.sub(r"\{(self\.[^}]+|n_heads)\}", lambda found: found[0].format(**arguments), text)
    text = re.sub(r"(numbers\.)?Integral\b", "an integer", text)
    text = re.sub(r"numbers\.Real\b|^Real$", "a number", text)
    return re.sub(r"\b(\w+\.)+|#", "", text).replace("ndarray", "array")
