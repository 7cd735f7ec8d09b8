"""One step with a loss scale · medium · 10 min

Hints
1. By the chain rule the gradient of S times the loss is S times the gradient. Write that array
   first, and round it with `.astype(np.float16)`.
2. `np.isfinite` says of each number whether it is neither ∞ nor NaN. What makes one answer of so
   many?
3. What the factor has saved is saved in the stored array. Convert it to float64 before anything
   makes it small again.
4. A step can end in three ways: skipped, good, or good and the last of `interval`. What are S and
   the count after each of them?

Why
What float16 stores is S times the gradient. It keeps a number of the gradient above about 2⁻²⁵/S,
and one from 65520/S on becomes ∞: the factor moves the range of float16, and widens it at neither
end. Whatever was stored is finite, or the step is skipped, and w never sees an ∞. The division takes
place in float64, by the S with which the gradient was made, so that w moves as far as it would
without a factor. Only then is the next S chosen.

Notice
If the gradients keep their size, S climbs until they overflow, is halved, and tries again 2000 good
steps later: one step in 2001 is lost.
"""

import math
import struct

import numpy as np

from attnbook.exercises.engine import case, stress, write


def scaled_step(w, gradient, scale, good, interval):
    """The next weights, the next factor, and its count of good steps in a row."""
    stored = (scale * gradient).astype(np.float16)
    if not np.isfinite(stored).all():
        return w, scale / 2, 0
    w = w - stored.astype(np.float64) / scale
    if good + 1 == interval:
        return w, 2 * scale, 0
    return w, scale, good + 1


def counted(w, gradient, scale, good, interval):
    stored = np.float16(scale * gradient)
    if np.all(np.isfinite(stored)):
        good += 1
        w = w - np.float64(stored) / scale
        if good == interval:
            scale, good = 2 * scale, 0
    else:
        scale, good = scale / 2, 0
    return w, scale, good


def packed(w, gradient, scale, good, interval):
    """One number after another, packed as Python packs a float16: it refuses what is too large."""
    try:
        stored = [struct.unpack("e", struct.pack("e", scale * x))[0] for x in gradient.tolist()]
    except OverflowError:
        stored = [math.inf]
    if not all(map(math.isfinite, stored)):
        return w, scale * 0.5, 0
    count = (good + 1) % interval
    moved = [x - y / scale for x, y in zip(w.tolist(), stored, strict=True)]
    return np.array(moved), scale * 2.0 ** (count == 0), count


rng = np.random.default_rng(18)


def at(w, gradient, scale, good, interval, gives=None, to=case):
    w, gradient = np.array(w, dtype=float), np.array(gradient, dtype=float)
    if gives:
        gives = np.array(gives[0], dtype=float), *gives[1:]
    return to(w=w, gradient=gradient, scale=scale, good=good, interval=interval, gives=gives)


def some(n, size, scale, good, interval):
    return at(rng.normal(size=n), size * rng.normal(size=n), scale, good, interval)


SMALL = 2.0**-27  # a typical gradient of the chapter
BESIDE_MIDDLE = 1 + 2.0**-11 + 2.0**-30  # float32 has it in the middle of two float16 numbers

CASES = (
    at([1.0], [0.25], 1024.0, 0, 2000, gives=([0.75], 1024.0, 1)),
    at([0.0], [SMALL], 1024.0, 1, 2000, gives=([-SMALL], 1024.0, 2)),
    at([1.0], [3.0], 65536.0, 0, 2000, gives=([1.0], 32768.0, 0)),
    at([1.0], [-0.5], 1024.0, 2, 3, gives=([1.5], 2048.0, 0)),
    at([1.0], [-128.0], 1024.0, 2, 3, gives=([1.0], 512.0, 0)),
    at([0.0], [2.0**-40], 1024.0, 1, 3, gives=([0.0], 1024.0, 2)),
    at([1.0, 2.0], [0.25, 3.0], 65536.0, 1, 2000, gives=([1.0, 2.0], 32768.0, 0)),
    at([1.0, 2.0], [0.5, np.nan], 1024.0, 5, 2000, gives=([1.0, 2.0], 512.0, 0)),
    at([1.0, 2.0], [-np.inf, 0.5], 1024.0, 5, 6, gives=([1.0, 2.0], 512.0, 0)),
    at([1.0], [2.0], 256.0, 0, 1, gives=([-1.0], 512.0, 0)),
    at([0.0], [257.0 / 1024], 8.0, 3, 5, gives=([-257.0 / 1024], 8.0, 4)),
    at([0.0], [2049.0], 2.0, 0, 2, gives=([-2048.0], 2.0, 1)),
    at([0.0, 0.0], [SMALL, -SMALL / 4], 2.0**16, 7, 8, gives=([-SMALL, SMALL / 4], 2.0**17, 0)),
    at([0.0, 0.0], [50000.0, 1.0], 1.0, 1, 3, gives=([-49984.0, -1.0], 1.0, 2)),
    at([0.0, 0.0], [4e4, 4e4], 1.0, 0, 5, gives=([-4e4, -4e4], 1.0, 1)),
    at([0.0, 0.0], [4e4, -4e4], 1.0, 3, 5, gives=([-4e4, 4e4], 1.0, 4)),
    some(4, 1e-3, 2.0**12, 10, 2000),
    some(5, 1e-7, 2.0**16, 1999, 2000),
    some(6, 1e3, 2.0**8, 30, 2000),
    stress(**at([0.0], [65519.0], 1.0, 0, 9).arguments, gives=(np.array([-65504.0]), 1.0, 1)),
    stress(**at([0.0], [65520.0], 1.0, 8, 9).arguments, gives=(np.array([0.0]), 0.5, 0)),
    stress(**at([0.0], [1e5], 0.5, 3, 4).arguments, gives=(np.array([-1e5 + 32]), 1.0, 0)),
    at([0.0], [BESIDE_MIDDLE], 1.0, 0, 5, gives=([-1 - 2.0**-10], 1.0, 1), to=stress),
    some(300, 1e-6, 2.0**14, 3, 7),
)

MISTAKES = """
the gradient is rounded before it is multiplied: what has become 0 in float16 stays 0 under any factor.
    (scale * gradient).astype(np.float16) → scale * gradient.astype(np.float16)
    (scale * gradient).astype(np.float16) → (scale * gradient.astype(np.float16).astype(float)).astype(np.float16)
    (scale * gradient).astype(np.float16) → scale * gradient.astype(np.float16).astype(float)
the product is rounded twice here, to float32 and then to float16.
    (scale * gradient).astype(np.float16) → (scale * gradient).astype(np.float32).astype(np.float16)
    (scale * gradient).astype(np.float16) → (scale * gradient.astype(np.float32)).astype(np.float16)
the quotient is a float16 here, and most of what the factor has saved is lost again.
    stored.astype(np.float64) / scale → stored / scale || (stored / scale).astype(np.float64)
    stored.astype(np.float64) / scale → (stored.astype(np.float64) / scale).astype(np.float16).astype(np.float64)
    np.float64(stored) / scale → np.float64(stored / scale)
the exact gradient is finite where float16 has stored ∞: it is the stored one that has to be asked.
    np.isfinite(stored) → np.isfinite(gradient) || np.isfinite(scale * gradient)
finite numbers may have a sum, a product or a difference that is not: ask each number.
    np.isfinite(stored).all() → np.isfinite(stored.sum()) || np.isfinite(np.abs(stored).sum())
    np.isfinite(stored).all() → np.isfinite(stored.prod()) || np.isfinite(stored @ stored) || np.isfinite(stored.max() - stored.min())
nothing here asks whether a stored number is ∞ or NaN: then the step is skipped, and S is halved.
    not np.isfinite(stored).all() → False
one ∞ or NaN among the gradients is enough: the whole step is skipped.
    np.isfinite(stored).all() → np.isfinite(stored).any()
a skipped step moves no weight, not even one whose own gradient is finite.
    return w, scale / 2, 0 → return w - np.where(np.isfinite(stored), stored.astype(np.float64) / scale, 0), scale / 2, 0
an ∞ of either sign and a NaN are all reasons to skip the step.
    not np.isfinite(stored).all() → np.isinf(stored).any() || np.isnan(stored).any()
    not np.isfinite(stored).all() → (stored == np.inf).any() || stored.max() == np.inf
    not np.isfinite(stored).all() → np.isnan(stored).any() or stored.max() == np.inf
after an overflow w stays as it was; here the ∞ is subtracted from it.
    return w, scale / 2, 0 → return w - stored.astype(np.float64) / scale, scale / 2, 0
float16 stores ∞ for what lies beyond its range; here this is cut off at 65504, and no step is skipped.
    (scale * gradient).astype → np.clip(scale * gradient, -65504, 65504).astype
    (scale * gradient).astype(np.float16) → np.nan_to_num((scale * gradient).astype(np.float16))
what lies between 65504 and 65520 is stored as 65504, which is finite.
    not np.isfinite(stored).all() → not (np.abs(scale * gradient) <= 65504).all()
    not np.isfinite(stored).all() → not (np.abs(scale * gradient) < 65504).all()
each change of S, up or down, starts the count from 0 again.
    2 * scale, 0 → 2 * scale, good + 1 ; scale / 2, 0 → scale / 2, good
    2 * scale, 0 → 2 * scale, good + 1 ; scale / 2, 0 → scale / 2, good + 1
a skipped step ends the row of good ones: the count is 0 again.
    scale / 2, 0 → scale / 2, good || scale / 2, good + 1 || scale / 2, 1
a doubled S has seen no good step yet: the count is 0 again.
    2 * scale, 0 → 2 * scale, good + 1 || 2 * scale, 1 || 2 * scale, good
S is never doubled here: this step counts, too, as one of the `interval`.
    if good + 1 == interval → if False || if good == interval || if good >= interval || if good + 1 > interval
this step is a good one, too: with it there are good + 1 in a row.
    scale, good + 1 → scale, good
S is doubled one step too early: it takes `interval` good steps, this one included.
    if good + 1 == interval → if good + 2 >= interval
`interval` says how many good steps it takes; one is not enough, and 2000 is only what PyTorch starts with.
    if good + 1 == interval → if True || if good + 1 == 2000
S is halved because it was too large, and doubled when it has done no harm for long enough.
    scale / 2, 0 → 2 * scale, 0
    2 * scale, 0 → scale / 2, 0
    scale / 2, 0 → 2 * scale, 0 ; return w, 2 * scale, 0\\n    return → return w, scale / 2, 0\\n    return
after an overflow S is halved: with the same S the next step would overflow, too.
    scale / 2, 0 → scale, 0
after `interval` good steps S is doubled: a larger one may save more gradients.
    2 * scale, 0 → scale, 0
this gradient was made with the old S, and must be divided by that: choose the next S afterwards.
    / scale\\n → / (2 * scale if good + 1 == interval else scale)\\n
what is stored is S times the gradient: it has to be divided by S.
    .astype(np.float64) / scale → .astype(np.float64) || .astype(np.float64) * scale
a step goes against the gradient, which is subtracted.
    w = w - stored → w = w + stored
nothing is rounded to float16 here, so that no gradient becomes 0 or ∞.
    .astype(np.float16) →
    .astype(np.float16) → .astype(np.float32)
that is the exact gradient, which nobody has: float16 has rounded it.
    stored.astype(np.float64) / scale → gradient
the weights are kept in float64: only the gradient is stored in 16 bits.
    w = w - stored.astype(np.float64) / scale → w = (w - stored.astype(np.float64) / scale).astype(np.float16).astype(np.float64)
    w = w - stored.astype(np.float64) / scale → w = w.astype(np.float16).astype(np.float64) - stored.astype(np.float64) / scale
    w = w - stored.astype(np.float64) / scale → w = (w - stored.astype(np.float64) / scale).astype(np.float16)
a gradient of 0 is a loss, but no overflow: the step counts as good.
    not np.isfinite(stored).all() → not (np.isfinite(stored) & (stored != 0)).all()
    not np.isfinite(stored).all() → not np.isfinite(stored).all() or not stored.any()
S may be any power of two: 65536 is where PyTorch starts, and 1 is no limit either.
    (scale * gradient) → (65536 * gradient) ; / scale\\n → / 65536\\n
    return w, 2 * scale, 0 → return w, min(2 * scale, 65536.0), 0
    return w, scale / 2, 0 → return w, max(scale / 2, 1.0), 0
the order of the three results is another one: the weights, then S, then the count.
    = scaled_step(w, gradient, scale, good, interval)[::-1]
    return w, scale / 2, 0 → return w, 0, scale / 2 ; return w, 2 * scale, 0 → return w, 0, 2 * scale ; return w, scale, good + 1 → return w, good + 1, scale
what is asked for are the weights after the step, not what is subtracted from them.
    w = w - stored → w = stored ; return w, scale / 2, 0 → return np.zeros_like(w), scale / 2, 0
"""

exercise = write(
    scaled_step,
    CASES,
    MISTAKES,
    drafts=(counted,),
    to_the_bit=True,
    results=("w", "scale", "good"),
    oracle=packed,
)
