"""What attention costs, counted: operations of products, exponentials, bytes of main memory.

A multiplication and the addition after it are two operations, as in every data sheet. Bytes are
those that must travel if each array is read or written once; what a cache spares is not known here.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """Operations of matrix products, exponentials, and bytes to and from main memory."""

    flops: float = 0
    exps: float = 0
    bytes: float = 0

    def __add__(self, other):
        """Both, one after the other."""
        sums = self.flops + other.flops, self.exps + other.exps, self.bytes + other.bytes
        return Cost(*sums)

    def __mul__(self, times):
        """The same, so many times."""
        return Cost(times * self.flops, times * self.exps, times * self.bytes)

    __rmul__ = __mul__

    @property
    def intensity(self):
        """Operations of products for each byte that travels."""
        return self.flops / self.bytes


@dataclass(frozen=True)
class Sizes:
    """How large the arrays of attention are: queries, keys, widths, heads, sequences, bytes.

    `d_v` is `d_k` and `kv_heads` is `heads` where they are not given. `itemsize` counts the bytes
    of a number. `pairs` counts the pairs of a query and a key that a form computes in each head,
    if it leaves out what a mask hides; all n_q · n_k if it is not given.

    Raises
    ------
    ValueError
        If a size is no whole number above 0, `heads` is no multiple of `kv_heads`, or there are
        more pairs than n_q · n_k.
    """

    n_q: int
    n_k: int
    d_k: int
    d_v: int | None = None
    heads: int = 1
    kv_heads: int | None = None
    batch: int = 1
    itemsize: int = 4
    pairs: int | None = None

    def __post_init__(self):
        others = {"d_v": self.d_k, "kv_heads": self.heads, "pairs": self.n_q * self.n_k}
        for name, other in others.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, other)
        for name, size in vars(self).items():
            whole = isinstance(size, int) and not isinstance(size, bool)
            if not whole or size < (name != "pairs"):
                raise ValueError(f"{name} is {size!r}; expected a whole number above 0")
        if self.heads % self.kv_heads:
            raise ValueError(
                f"heads is {self.heads}; expected a multiple of kv_heads, {self.kv_heads}"
            )
        if self.pairs > self.n_q * self.n_k:
            raise ValueError(f"pairs is {self.pairs}; expected at most {self.n_q * self.n_k}")

    @classmethod
    def of(cls, q, k, v, pairs=None):
        """The sizes of arrays or tensors (…, heads, n_q, d_k), (…, kv_heads, n_k, d_k), and v's."""
        *batch, heads, n_q, d_k = q.shape
        *_, kv_heads, n_k, d_v = v.shape
        many = 1
        for size in batch:
            many *= size
        named = {"heads": heads, "kv_heads": kv_heads, "batch": many, "pairs": pairs}
        return cls(n_q, n_k, d_k, d_v, itemsize=q.dtype.itemsize, **named)

    @property
    def _matrices(self):
        """Numbers in all matrices of scores, and in q, k, v and out."""
        queries, keys = (
            self.batch * self.heads * self.n_q,
            self.batch * self.kv_heads * self.n_k,
        )
        widths = queries * self.d_k, keys * self.d_k, keys * self.d_v, queries * self.d_v
        return queries * self.n_k, *widths


def causal_pairs(n_q, n_k):
    """How many pairs a causal mask shows, where the last query sees the last key.

    Σ_i max(0, min(n_k, n_k − n_q + 1 + i)); n(n + 1)/2 for n_q = n_k = n.
    """
    hidden = max(0, n_q - n_k)  # queries before the first key
    seen = n_q - hidden
    return seen * (n_k - seen) + seen * (seen + 1) // 2


def whole_cost(sizes):
    """The three phases of attention with the whole matrix in memory: scores, softmax, mixing.

    scores  S = Q Kᵀ        2 n_q n_k d_k operations   reads Q and K, writes S
    softmax A = softmax(S)  n_q n_k exponentials       reads S, writes A
    mixing  O = A V         2 n_q n_k d_v operations   reads A and V, writes O

    for each head. It computes what a mask hides, so `pairs` does not count. Returns a dict of
    `Cost`.
    """
    s, (matrix, q, k, v, out) = sizes.itemsize, sizes._matrices
    return {
        "scores": Cost(flops=2 * matrix * sizes.d_k, bytes=s * (q + k + matrix)),
        "softmax": Cost(exps=matrix, bytes=s * 2 * matrix),
        "mixing": Cost(flops=2 * matrix * sizes.d_v, bytes=s * (matrix + v + out)),
    }


def fused_cost(sizes, rows=None):
    """Attention in one pass, whose scores never leave the chip.

    2 · pairs · (d_k + d_v) operations and as many exponentials as pairs; Q, K and V are read once,
    O is written, and the log-sum-exp of each query, in float32. With `rows`, K and V are read once
    for every so many queries. Decoding is the case n_q = 1. Returns a `Cost`.

    Source: Dao et al. (2022), algorithm 1 and theorem 2.
    """
    s, (matrix, q, k, v, out) = sizes.itemsize, sizes._matrices
    pairs = sizes.batch * sizes.heads * sizes.pairs
    turns = 1 if rows is None else -(-sizes.n_q // rows)
    return Cost(
        flops=2 * pairs * (sizes.d_k + sizes.d_v),
        exps=pairs,
        bytes=s * (q + turns * (k + v) + out) + 4 * matrix // sizes.n_k,
    )


def whole_backward_cost(sizes):
    """The way back with the whole matrix of weights A kept: four products, twice the way forward.

    G_V = Aᵀ G_O, G_A = G_O Vᵀ, G_S = A ∘ (G_A − rowsum(G_O ∘ O)), G_Q = G_S K, G_K = G_Sᵀ Q.
    Returns a dict of `Cost`, one for each of these five.
    """
    s, (matrix, q, k, v, out) = sizes.itemsize, sizes._matrices
    of_keys, of_values = 2 * matrix * sizes.d_k, 2 * matrix * sizes.d_v
    return {
        "values": Cost(flops=of_values, bytes=s * (matrix + out + v)),
        "weights": Cost(flops=of_values, bytes=s * (out + v + matrix)),
        "scores": Cost(bytes=s * (3 * matrix + 2 * out)),
        "queries": Cost(flops=of_keys, bytes=s * (matrix + k + q)),
        "keys": Cost(flops=of_keys, bytes=s * (matrix + q + k)),
    }


def fused_backward_cost(sizes):
    """The way back in one pass, from O and the log-sum-exp: scores are computed again.

    Five products, 2 · pairs · (3 d_k + 2 d_v) operations, which is 2.5 times the way forward where
    d_k = d_v; as many exponentials as pairs. Q, K, V, O, G_O and L are read once, and G_Q, G_K and
    G_V written. Returns a `Cost`.

    Source: Dao (2023), section 3.1.2.
    """
    s, (matrix, q, k, v, out) = sizes.itemsize, sizes._matrices
    pairs = sizes.batch * sizes.heads * sizes.pairs
    return Cost(
        flops=2 * pairs * (3 * sizes.d_k + 2 * sizes.d_v),
        exps=pairs,
        bytes=s * 2 * (q + k + v + out) + 4 * matrix // sizes.n_k,
    )


def layer_cost(
    n_q, n_k, d_model, heads, *, kv_heads=None, d_ff=None, batch=1, itemsize=4, pairs=None
):
    """A Transformer layer's parts: projections, fused attention, and the two dense layers.

    projections  Q, K, V and O  8 n d² operations    (K and V narrower with fewer `kv_heads`)
    attention                   4 n² d operations    (n_q queries meet n_k keys; see `Sizes`)
    dense        d → d_ff → d   16 n d² operations   with d_ff = 4 d, as it is if not given

    for n_q = n_k = n and each sequence of the batch: so attention has as many as the rest at
    n = 6 d. Only n_q positions are projected, so that n_q = 1 is a step of decoding; weights are
    read once for the whole batch. Returns a dict of `Cost`.
    """
    kv_heads, d_ff = kv_heads or heads, d_ff or 4 * d_model
    width = d_model // heads
    sizes = Sizes(
        n_q, n_k, width, heads=heads, kv_heads=kv_heads, batch=batch, itemsize=itemsize, pairs=pairs
    )
    rows, d_kv = batch * n_q, kv_heads * width
    narrow = 2 * d_model + 2 * d_kv  # the columns of all four matrices
    return {
        "projections": Cost(
            flops=2 * rows * d_model * narrow,
            bytes=itemsize * (d_model * narrow + rows * (2 * d_model + narrow)),
        ),
        "attention": fused_cost(sizes),
        "dense": Cost(
            flops=4 * rows * d_model * d_ff,
            bytes=itemsize * (2 * d_model * d_ff + rows * (2 * d_model + 2 * d_ff)),
        ),
    }
