"""Five dtypes · easy · 4 min

Hints
1. Which float does PyTorch make of Python's 4.0? And which float does NumPy make of it?
2. A number of Python has no dtype of its own. Between float16 and bfloat16 neither is the wider: one
   has more digits, the other more range.
3. The package's functions return the dtype that came in.

Why
torch.tensor makes float32 of Python's floats, and from_numpy keeps NumPy's float64. A number of
Python takes the tensor's dtype. Neither 16-bit type holds the other, so their sum is float32. The
package computes a float16 softmax in float32 and rounds it back.

Notice
Arrays from NumPy bring float64 along: say .to(torch.float32) where that is too much.
"""

import numpy as np
import torch

from attnbook import pytorch
from attnbook.exercises.engine import predict


def result_bits():
    """How many bits the numbers of five results have."""
    half = torch.tensor([0.0, 4.0], dtype=torch.float16)
    results = (
        torch.tensor([0.0, 4.0]),
        torch.from_numpy(np.array([0.0, 4.0])),
        half * 0.5,
        half + half.to(torch.bfloat16),
        pytorch.softmax(half),
    )
    return [torch.finfo(x.dtype).bits for x in results]


MISTAKES = """
these are bytes: a byte has 8 bits.
    [4, 8, 2, 4, 2]
a list of floats becomes float32: PyTorch chooses 16 bits for nobody.
    [16, 64, 16, 32, 16]
PyTorch makes float32 of Python's floats, and NumPy float64.
    [64, 64, 16, 32, 16]
from_numpy shares the memory of the array, so it has to keep its dtype.
    [32, 32, 16, 32, 16]
a number of Python takes on the tensor's dtype, float16.
    [32, 64, 32, 32, 16] || [32, 64, 64, 32, 16]
float32 holds both 16-bit types: no more is needed.
    [32, 64, 16, 64, 16]
float16 has more digits and bfloat16 more range: their sum needs a type with both.
    [32, 64, 16, 16, 16]
the package computes float16 in float32, and rounds the result to what came in.
    [32, 64, 16, 32, 32]
"""

exercise = predict(result_bits, MISTAKES, stated=[32, 64, 16, 32, 16])
