"""2. Which roof? · medium · 8 min

Hints
1. For each compute three times, in ms: operations/10⁸, exponentials/(2·10⁶), bytes/10⁷.
2. The first product reads 80 kB and writes 4 MB; how many operations has it?
3. The fused form reads and writes four arrays of 1000 by 8; the query of the last meets a million
   keys and as many values.

Why
In ms, for products, exponentials and bytes: 0.2, 0, 0.41; 2, 0, 0.48; 0, 0.5, 0.8; 0.32, 0.5,
0.013; 4, 0.5, 80. A product may be limited by its bytes, and attention by its exponentials.

Notice
Three divisions tell which part of a machine a faster program would have to spare.
"""

import numpy as np

from attnbook.exercises.engine.module import predict

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
    return np.argmax(np.divide(work, (OPERATIONS, EXPONENTIALS, BYTES)), axis=1).tolist()


MISTAKES = """
4 MB are written for only 20 million operations: 0.4 ms of bytes against 0.2 ms.
    at 0: 0
200 million operations take 2 ms, and 4.8 MB less than half of one.
    at 1: 2
softmax has 0.5 ms of exponentials, and 0.8 ms of bytes: it reads and writes 4 MB.
    at 2: 1
at width 8 a score has 32 operations, 0.32 ns, and an exponential, 0.5 ns.
    at 3: 0
the fused form moves only 0.13 MB: 0.013 ms.
    at 3: 2
each key and value is used once: 0.8 GB travel, 80 ms, for 4 ms of products.
    at 4: 0 || 1
numbered from 0: products 0, exponentials 1, bytes 2.
    [3, 1, 3, 2, 3]
the first two are products: they take no exponential.
    at 0: 1
    at 1: 1
softmax is no product: it has exponentials and bytes.
    at 2: 0
"""

exercise = predict(roofs, MISTAKES, stated=[2, 0, 2, 1, 2])
