"""Which roof? · medium · 8 min

Hints
1. Compute three times for each, in ms: operations/10⁸, exponentials/(2·10⁶) and bytes/10⁷.
2. The first product reads 80 kB and writes 4 MB. How many operations does it take?
3. The fused form reads or writes four arrays of 1000 by 8 numbers; in the last one, a single query
   meets a million keys and as many values.

Why
The times of products, exponentials and bytes, in ms, are 0.2, 0 and 0.41 for the first; 2, 0 and
0.48 for the second; 0, 0.5 and 0.8 for the softmax; 0.32, 0.5 and 0.013 for fused attention; 4, 0.5
and 80 for the last. So a product can wait for its bytes, and attention for its exponentials.

Notice
Three divisions tell which part of the machine holds a program back.
"""

import numpy as np

from attnbook.exercises.engine import predict

OPERATIONS, EXPONENTIALS, BYTES = 1e11, 2e9, 1e10  # a second


def roofs():
    """The longest of three times: of each of a million scores, and so of them all."""
    work = [  # operations, exponentials and bytes for each of a million scores
        (20, 0, 4.08),
        (200, 0, 4.8),
        (0, 1, 8),
        (32, 1, 0.128),
        (400, 1, 800),
    ]
    times = np.divide(work, (OPERATIONS, EXPONENTIALS, BYTES))
    return np.argmax(times, axis=1).tolist()


MISTAKES = """
the first writes 4 MB for only 20 million operations, which is 0.4 ms of bytes against 0.2 ms.
    at 0: 0
the 200 million operations of the second take 2 ms, and its 4.8 MB take less than half of one.
    at 1: 2
the softmax takes 0.5 ms for its exponentials but 0.8 ms for its bytes, since it reads 4 MB and
writes 4 MB.
    at 2: 1
at width 8 a score takes 32 operations, which is 0.32 ns, and one exponential, which is 0.5 ns.
    at 3: 0
the fused form moves only 0.13 MB, which takes 0.013 ms.
    at 3: 2
each key and each value of the last is used only once: 0.8 GB travel, which takes 80 ms, for 4 ms of
products.
    at 4: 0 || 1
the answers are numbered from 0: products are 0, exponentials 1, bytes 2.
    [3, 1, 3, 2, 3]
the first two are products, and take no exponential at all.
    at 0: 1
    at 1: 1
the softmax multiplies no matrices; it has exponentials and bytes.
    at 2: 0
"""

exercise = predict(roofs, MISTAKES, stated=[2, 0, 2, 1, 2])
