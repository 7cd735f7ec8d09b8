"""What is measured: shapes, masks and directions, and what each of them counts as work.

As in the papers on FlashAttention, every batch has 16,384 tokens and a model is 2048 wide, whatever
the length and the width of a head; a causal mask counts half of the operations, the way back 2.5
times those of the way forward.
"""

from dataclasses import asdict, dataclass

import torch

TOKENS, D_MODEL = 2**14, 2048
LENGTHS = tuple(2**p for p in (12, 14, 10, 11, 13))  # what matters most is measured first
LONG_CACHE = 2**16
WINDOW, SOFTCAP = 1023, 50.0  # 1024 keys with the query's own; the soft cap of Gemma 2
SHARES = 1, 2, 4, 8  # lengths of a batch are n over these
FORWARD, BACKWARD, DECODE = "forward", "backward", "decode"
BACKWARD_WORK = 2.5  # five products instead of two


@dataclass(frozen=True)
class Case:
    """One comparison: its name, which way, its sizes and its mask."""

    name: str
    way: str
    width: int
    n_q: int
    n_k: int
    batch: int
    heads: int
    kv_heads: int
    causal: bool = False
    window: int | None = None
    softcap: float | None = None
    padded: bool = False

    @property
    def id(self):
        """What a record is found by."""
        shape = f"{self.heads}/{self.kv_heads} heads, batch {self.batch}"
        return f"{self.way}, {self.name}, width {self.width}, {self.n_k} keys, {shape}"

    @property
    def valid_lens(self):
        """The length of each sequence, as a list; None without padding."""
        if not self.padded:
            return None
        return [self.n_k // SHARES[i % len(SHARES)] for i in range(self.batch)]

    @property
    def pairs(self):
        """Pairs of a query and a key in all of the batch, for one head; causal ones are half."""
        if self.window is not None:
            seen = min(self.window + 1, self.n_k)
            return self.batch * (self.n_q * seen - seen * (seen - 1) // 2)
        keys = self.batch * self.n_k if self.valid_lens is None else sum(self.valid_lens)
        return self.n_q * keys // (2 if self.causal else 1)

    @property
    def flops(self):
        """Operations, as the papers count them: 4 · pairs · width in each head."""
        work = 4 * self.pairs * self.width * self.heads
        return work * BACKWARD_WORK if self.way == BACKWARD else work

    @property
    def kept_bytes(self):
        """The output and L of the way forward; gradients of q, k and v on the way back."""
        queries = self.batch * self.heads * self.n_q
        keys = self.batch * self.kv_heads * self.n_k
        if self.way == BACKWARD:
            return 2 * self.width * (queries + 2 * keys)
        return queries * (2 * self.width + 4)

    @property
    def read_bytes(self):
        """Keys and values that are valid, once, queries and output: what decoding waits for."""
        keys = self.batch * self.n_k if self.valid_lens is None else sum(self.valid_lens)
        rows = 2 * self.batch * self.heads * self.n_q + 2 * self.kv_heads * keys
        return 2 * self.width * rows

    def described(self):
        """The case as a dict, for a record."""
        return {"id": self.id, **asdict(self)}


def cases():
    """Every case, in the order in which they are measured."""
    found = []
    for n in LENGTHS:
        for way in (FORWARD, BACKWARD):
            for width in (64, 128):
                found += [_square("plain", way, width, n)]
                found += [_square("causal", way, width, n, causal=True)]
        if n == LENGTHS[0]:
            found += [*decoding(), *variants()]
    return found


def variants(n=LENGTHS[0]):
    """Grouped heads, a window, valid lengths and a soft cap, both ways."""
    return [
        case
        for way in (FORWARD, BACKWARD)
        for case in (
            _square("grouped, causal", way, 128, n, groups=4, causal=True),
            _square("window, causal", way, 128, 2 * n, window=WINDOW, causal=True),
            _square("lengths", way, 128, n, padded=True),
            _square("soft cap, causal", way, 128, n, softcap=SOFTCAP, causal=True),
        )
    ]


def decoding(n=LONG_CACHE):
    """One query for each head over a long cache."""
    sizes = {"way": DECODE, "n_q": 1, "n_k": n}
    return [
        Case("grouped", width=128, batch=1, heads=32, kv_heads=8, **sizes),
        Case("grouped", width=128, batch=16, heads=32, kv_heads=8, **sizes),
        Case("every head its own", width=128, batch=1, heads=32, kv_heads=32, **sizes),
        Case("one head of keys", width=128, batch=4, heads=32, kv_heads=1, **sizes),
        Case("grouped", width=64, batch=1, heads=32, kv_heads=8, **sizes),
        Case("lengths", width=128, batch=8, heads=32, kv_heads=8, padded=True, **sizes),
    ]


def _square(name, way, width, n, groups=1, **mask):
    heads = D_MODEL // width
    sizes = {"n_q": n, "n_k": n, "batch": TOKENS // n, "heads": heads}
    return Case(name, way, width, kv_heads=heads // groups, **sizes, **mask)


@dataclass(frozen=True)
class Inputs:
    """The tensors of a case: queries, keys, values, the gradient of the output, valid lengths."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    grad_out: torch.Tensor
    valid_lens: torch.Tensor | None


def drawn(case, device, dtype=torch.bfloat16, seed=0):
    """Normal numbers, the same for each seed."""
    random = torch.Generator(device).manual_seed(seed)
    queries = case.batch, case.heads, case.n_q, case.width
    keys = case.batch, case.kv_heads, case.n_k, case.width
    q, k, v, grad_out = (
        torch.randn(shape, generator=random, device=device, dtype=dtype)
        for shape in (queries, keys, keys, queries)
    )
    lens = case.valid_lens
    lens = None if lens is None else torch.tensor(lens, dtype=torch.int32, device=device)
    return Inputs(q, k, v, grad_out, lens)


def visible(case, lens, device, batch=slice(None)):
    """The mask, of shape (..., n_q, n_k), True where a query may look; None if it sees all."""
    keys = torch.arange(case.n_k, device=device)
    own = torch.arange(case.n_q, device=device)[:, None] + case.n_k - case.n_q
    mask = None
    if case.causal:
        mask = keys <= own
    if case.window is not None:
        near = keys >= own - case.window
        mask = near if mask is None else mask & near
    if lens is not None:
        valid = keys < lens[batch, None, None, None]
        mask = valid if mask is None else mask & valid
    return mask
