"""Which products in 32 bits make an address, in the first form that Triton brings a kernel to."""

import re

DEFINED = re.compile(r"(%\w+) = ([\w.]+) (.+?) : (.+?)(?: loc\(|$)")
NUMBER = re.compile(r"(%\w+) = arith.constant")
STRIDE = re.compile(r"%\w*strides\w*$")
MOVED = {"tt.splat", "tt.broadcast", "tt.expand_dims"}
SUMS = MOVED | {"arith.addi", "arith.subi"}


def narrow_products(ttir):
    """Lines with a product of 32 bits in which a stride is a factor, or that an address is made of.

    A product with a constant is the place of a block, and no larger than the sizes that a kernel is
    given; one with a stride, or of two sizes, may be anything. Where a number is widened before it
    is added to a pointer, what it came from counts programs or heads, and is small.
    """
    numbers = set(NUMBER.findall(ttir))
    made = {}
    for line in ttir.splitlines():
        if found := DEFINED.search(line):
            name, operation, operands, kind = found.groups()
            made.setdefault(name, []).append((operation, re.findall(r"%\w+", operands), kind, line))
    steps = [each for several in made.values() for each in several]
    sources = [each[1][1] for each in steps if each[0] == "tt.addptr" and "i32" in each[2]]
    of_addresses = _made_of(sources, made)
    return sorted(
        {
            line.split(" loc(")[0].strip()
            for name, several in made.items()
            for operation, operands, kind, line in several
            if operation in ("arith.muli", "arith.shli") and re.search(r"\bi32|xi32", kind)
            if any(_is_stride(x, made) for x in operands)
            or (name in of_addresses and not numbers & set(operands))
        }
    )


def _made_of(names, made):
    """These numbers, and those that they are sums of."""
    found, left = set(), list(names)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += [x for op, operands, *_ in made.get(name, ()) if op in SUMS for x in operands]
    return found


def _is_stride(name, made):
    """Whether a number is an argument that says how far apart rows lie, or many of it."""
    if STRIDE.match(name) and name not in made:
        return True
    moved = [operands for op, operands, *_ in made.get(name, ()) if op in MOVED]
    return any(_is_stride(operands[0], made) for operands in moved)
