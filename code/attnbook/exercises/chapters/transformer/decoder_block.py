"""Project, step 2: the block · medium · 12 min

Hints
1. Two lines, each of the form x + part(norm(x)). Attention needs the normed vectors three times.
2. `pytorch.causal_mask(n, n)` goes in as `mask=`.
3. The second norm reads the stream after attention has added to it.

Why
Each part reads the stream through its norm, and the stream itself passes through sums alone. The
mask lets each token read itself and its past.

Notice
A block takes and returns the same shape, so blocks can be stacked, and one can be taken out again.
"""

import numpy as np
import torch
from torch import nn

from attnbook import pytorch
from attnbook.exercises.chapters.transformer._states import (
    block_arrays,
    block_state,
    filled,
    normed,
    output,
)
from attnbook.exercises.engine import case, write


class DecoderBlock(nn.Module):
    """Causal attention and dense layers, each added to what it read."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.norm_1 = nn.LayerNorm(d_model)
        self.attention = pytorch.MultiHeadAttention(d_model, n_heads)
        self.norm_2 = nn.LayerNorm(d_model)
        self.widen = nn.Linear(d_model, 4 * d_model)
        self.narrow = nn.Linear(4 * d_model, d_model)

    def forward(self, x):
        z = self.norm_1(x)
        mask = pytorch.causal_mask(x.shape[1], x.shape[1])
        x = x + self.attention(z, z, z, mask=mask)
        return x + self.narrow(torch.relu(self.widen(self.norm_2(x))))


def with_a_state(made):
    """For `through`: the block as a function of its arrays."""

    def call(n_heads, x, **arrays):
        return output(filled(made(x.shape[-1], n_heads), block_state(arrays)), torch.tensor(x))

    return lambda n_heads, x, *given: call(n_heads, x, **dict(zip(NAMES, given, strict=True)))


def token_by_token(n_heads, x, *given):
    """The block's equations, for one token, one head and one past token at a time."""
    p, out = dict(zip(NAMES, given, strict=True)), x.copy()
    width = x.shape[-1] // n_heads
    for b, text in enumerate(x):
        z = [normed(token, p["scale_1"], p["shift_1"]) for token in text]
        for i in range(len(text)):
            found = []
            for h in range(n_heads):
                rows = slice(h * width, (h + 1) * width)
                query, past = p["w_q"][rows] @ z[i], z[: i + 1]
                affinities = [np.exp(query @ (p["w_k"][rows] @ k) / width**0.5) for k in past]
                values = [a * (p["w_v"][rows] @ k) for a, k in zip(affinities, past, strict=True)]
                found.append(np.sum(values, axis=0) / np.sum(affinities))
            token = text[i] + p["w_o"] @ np.concatenate(found)
            hidden = p["w_1"] @ normed(token, p["scale_2"], p["shift_2"]) + p["b_1"]
            out[b, i] = token + p["w_2"] @ np.maximum(hidden, 0) + p["b_2"]
    return out


rng = np.random.default_rng(32)
NAMES = tuple(block_arrays(rng, 1))


def sizes(batch, n, d_model, n_heads):
    x = rng.standard_normal((batch, n, d_model))
    return {"n_heads": n_heads, "x": x} | block_arrays(rng, d_model)


CASES = (
    case(**sizes(1, 1, 2, 1)),
    case(**sizes(1, 2, 4, 1)),
    case(**sizes(1, 3, 4, 2)),
    case(**sizes(2, 3, 4, 2)),
    case(**sizes(3, 5, 6, 3)),
)

MISTAKES = """
every token reads the future, too: pass the causal mask.
    z, z, z, mask=mask → z, z, z
the mask is the wrong way round: True means "may look".
    mask=mask → mask=~mask
each token sees itself, too: the mask of the package is causal as it is.
    mask=mask → mask=mask & ~torch.eye(len(mask), dtype=torch.bool)
what attention finds is added to x; here it replaces x.
    x = x + self.attention → x = self.attention
what the dense layers find is added to x; here it replaces x.
    return x + self.narrow → return self.narrow
attention is added to the normed vectors; the stream itself passes through no norm.
    x = x + self.attention → x = z + self.attention
the dense layers are added to the normed vectors; the stream itself passes through no norm.
    return x + self.narrow(torch.relu(self.widen(self.norm_2(x)))) → z = self.norm_2(x); return z + self.narrow(torch.relu(self.widen(z)))
this is post-norm, with a norm behind each sum; pre-norm has one in front of each part.
    z = self.norm_1(x) → z = x ; x = x + self.attention(z, z, z, mask=mask) → x = self.norm_1(x + self.attention(z, z, z, mask=mask)) ; return x + self.narrow(torch.relu(self.widen(self.norm_2(x)))) → return self.norm_2(x + self.narrow(torch.relu(self.widen(x))))
the norm in front of attention is missing.
    z = self.norm_1(x) → z = x
the norm in front of the dense layers is missing.
    self.widen(self.norm_2(x)) → self.widen(x)
queries, keys and values all come from the normed vectors.
    attention(z, z, z, → attention(z, x, x, || attention(z, z, x, || attention(x, z, z,
the bend is missing: a ReLU stands between the two dense layers.
    torch.relu(self.widen(self.norm_2(x))) → self.widen(self.norm_2(x))
the bend is a ReLU here.
    torch.relu → torch.tanh || nn.functional.gelu
the ReLU stands between the dense layers, and not behind them.
    self.narrow(torch.relu(self.widen(self.norm_2(x)))) → torch.relu(self.narrow(self.widen(self.norm_2(x))))
the two norms are exchanged: norm_1 stands in front of attention.
    z = self.norm_1(x) → z = self.norm_2(x) ; self.widen(self.norm_2(x)) → self.widen(self.norm_1(x))
the dense layers read the stream as it was before attention; they should read what it has become.
    x = x + self.attention(z, z, z, mask=mask) → y = x + self.attention(z, z, z, mask=mask) ; return x + self → return y + self
"""

exercise = write(
    DecoderBlock,
    CASES,
    MISTAKES,
    through=with_a_state,
    oracle=token_by_token,
)
