"""An offset in 32 bits · medium · 5 min

Hints
1. The largest integer of 32 bits, one of which is the sign, is 2³¹ − 1.
2. How many numbers are more than that? In float16, how many GiB are they?
3. batch · heads · n must exceed 2³¹/128 = 2²⁴.

Why
Offsets count numbers, not bytes. $2^{31}$ numbers in float16 are 4 GiB, a twentieth of the memory
of an H100; the first offset beyond wraps around to $-2^{31}$, and the kernel reads 4 GiB in front
of the array. `tl.program_id(1).to(tl.int64)` makes the product one of 64 bits.

Notice
A kernel that nobody runs on 4 GiB passes every test, and then reads elsewhere.
"""

from attnbook.exercises.engine import break_it, whole_numbers


def offset():
    """Sizes of an array that fits into a GPU, and whose last offset does not fit into 32 bits."""
    return 16, 32, 65536


def last_offset(batch, heads, n):
    """The place of the last number of an array (batch, heads, n, 128)."""
    return batch * heads * n * 128 - 1


def last_offset_in_32_bits(batch, heads, n):
    """The same place, computed as a kernel does by default."""
    return (batch * heads * n * 128 - 1 + 2**31) % 2**32 - 2**31


def are_sizes_that_fit(batch, heads, n):
    if refusal := whole_numbers(1, 10**12, batch=batch, heads=heads, n=n):
        return refusal
    size = 2 * 128 * batch * heads * n
    if size > 80 * 2**30:
        little = f"{size - 80 * 2**30} bytes more than 80 GiB"
        much = f"{min(size, 2**60) >> 30} GiB"
        return f"the array takes {little if size < 81 * 2**30 else much}, and the GPU has 80 GiB."
    return None


MISTAKES = """
2³¹ numbers have the offsets 0 to 2³¹ − 1, and that fits: one row more does not.
    16, 16, 65536
    if batch * heads * n * 128 == 2**31
an offset counts numbers, not bytes: this array has 2³¹ bytes or more, but fewer numbers.
    8, 16, 65536
    if batch * heads * n * 128 * 2 >= 2**31
the last offset is below 2³¹, and fits: take more.
    2, 8, 1024
    if True
"""

exercise = break_it(
    offset,
    MISTAKES,
    broken=last_offset_in_32_bits,
    right=last_offset,
    allowed=are_sizes_that_fit,
    stated=(2**32 - 1, -1),
)
