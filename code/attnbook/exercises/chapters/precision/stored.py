"""What is stored? · medium · 6 min

Hints
1. How far apart are the numbers of the format where this one stands? Take the power of two below
   it, and halve it as often as the format has digits.
2. Is the number nearer to one of its two neighbours? If not, write each neighbour as a whole number
   of steps: a tie goes to the even one.
3. Between 0 and 2⁻⁹ e4m3 has no number. Which of the two lies nearer to 0.001? And which numbers
   are there beside 65510, if the range went on above 65504?

Why
514 lies halfway between 512 and 516, which are 128 and 129 steps of 4: the tie goes to 512. 518 lies
halfway between 516 and 520, 129 and 130 steps, and goes to 520. Between 2048 and 4096 the step of
float16 is 2, and 2049 goes to 2048, which is 1024 steps. Between 16 and 32 the step of e4m3 is 2,
and 19 goes to 20, which is 10 steps. 0.001 is more than half of 2⁻⁹ = 0.00195, so that it is rounded
up to it. The step of float16 below 65504 is 32. 65510 lies beyond the largest number by less than
half a step, so it is rounded back to it; ∞ begins at 65520.

Notice
None of these is an error of the format: each result is the nearest that it has. Below its smallest
number a rounding can still be off by a factor of two, as with 0.001.
"""

import numpy as np
import torch

from attnbook.exercises.engine import predict


def stored():
    """What three formats store for six numbers."""
    kept = (
        torch.tensor([514.0, 518.0]).to(torch.bfloat16),
        torch.tensor([2049.0]).to(torch.float16),
        torch.tensor([19.0, 0.001]).to(torch.float8_e4m3fn),
        torch.tensor([65510.0]).to(torch.float16),
    )
    return [number.item() for part in kept for number in part.float()]


MISTAKES = """
this number is a tie, halfway between two floats: it goes to the neighbour whose last digit is 0.
    at 0: 516
    at 1: 516
    at 2: 2050
    at 3: 18
bfloat16 has 7 digits after the point: from 512 to 1024 its step is 512 / 128 = 4.
    at 0: 514
    at 1: 518
float16 has 10 digits after the point: from 2048 on its step is 2048 / 1024 = 2.
    at 2: 2049
e4m3 has 3 digits after the point: from 16 to 32 its step is 16 / 8 = 2.
    at 3: 19
    at 3: 16
    at 3: 24
the smallest positive e4m3 is 2⁻⁹ = 0.00195, and 0.001 is more than half of it.
    at 4: 0
    at 4: 0.001
the largest float16 is 65504, and 65510 lies beyond it by less than half a step of 32: the nearest
float16 is the largest one.
    at 5: np.inf
    at 5: 65510
    at 5: 65536
    at 5: 65535
"""

exercise = predict(stored, MISTAKES, atol=1e-5, stated=[512, 520, 2048, 20, 0.001953125, 65504])
