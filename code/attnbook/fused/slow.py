"""The warning where all scores are held in memory."""

import warnings

_said = {}  # reasons, and the most scores that they were said of


class SlowAttentionWarning(UserWarning):
    """All scores are held in memory: by the readable form, or by SDPA's backend MATH."""


def warn_once(reasons, scores, stacklevel):
    """Warns of so many scores, once for each tuple of reasons, and again of ten times as many.

    None says no number of them, and counts as none.
    Under `torch.compile` when the program is made: the compiler calls it, and keeps no call.
    """
    if reasons not in _said or (scores or 0) >= 10 * max(_said[reasons], 1):
        _said[reasons] = scores or 0
        held = "scores" if scores is None else f"{scores:,} scores"
        text = f"attention: all {held} are held in memory, since {'; '.join(reasons)}"
        warnings.warn(text, SlowAttentionWarning, stacklevel=stacklevel + 1)


# As torch.compiler.assume_constant_result does (2.13), which imports the compiler, and Triton with
# it, before anybody has compiled anything: attnbook.kernels could not be imported then.
warn_once._dynamo_marked_constant = True
