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


def roofs():
    """The longest of three times, in milliseconds: products, exponentials, bytes."""
    times = [
        (0.2, 0, 0.408),
        (2, 0, 0.48),
        (0, 0.5, 0.8),
        (0.32, 0.5, 0.0128),
        (4, 0.5, 80),
    ]
    return [int(np.argmax(each)) for each in times]


MISTAKES = """
4 MB are written for only 20 million operations: 0.4 ms of bytes against 0.2 ms.
    [0, 0, 2, 1, 2]
200 million operations take 2 ms, and 4.8 MB less than half of one.
    [2, 2, 2, 1, 2]
softmax has 0.5 ms of exponentials, and 0.8 ms of bytes: it reads and writes 4 MB.
    [2, 0, 1, 1, 2]
at width 8 a score has 32 operations, 0.32 ns, and an exponential, 0.5 ns.
    [2, 0, 2, 0, 2]
the fused form moves only 0.13 MB: 0.013 ms.
    [2, 0, 2, 2, 2]
each key and value is used once: 0.8 GB travel, 80 ms, for 4 ms of products.
    [2, 0, 2, 1, 0]
    [2, 0, 2, 1, 1]
numbered from 0: products 0, exponentials 1, bytes 2.
    [3, 1, 3, 2, 3]
the first two are products: they take no exponential.
    [1, 0, 2, 1, 2]
    [2, 1, 2, 1, 2]
softmax is no product: it has exponentials and bytes.
    [2, 0, 0, 1, 2]
"""

exercise = predict(roofs, MISTAKES, stated=[2, 0, 2, 1, 2])
