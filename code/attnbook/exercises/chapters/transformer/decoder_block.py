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
    factors,
    filled,
    kept_or_unlearned,
    normed,
    slopes,
)
from attnbook.exercises.engine import case, write
from attnbook.exercises.engine.attempt import attempt
from attnbook.exercises.engine.tensors import Differentiated, differentiated


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
    """For `through`: the block, with a state that is drawn anew, and its gradient."""

    def call(n_heads, x, seed_of_the_state):
        state = block_state(drawn(seed_of_the_state, x.shape[-1]))
        return differentiated(filled(made(x.shape[-1], n_heads), state))(x)

    return call


def drawn(seed, d_model):
    """The parameters of a case: one number for the reader, who can't compute with so many."""
    return block_arrays(np.random.default_rng(seed), d_model)


def between_texts(made, _):
    """For `refused`: called again, and with respect to its parameters."""
    block = attempt(lambda: made(4, 2).double(), {}).value
    x = torch.rand(2, 5, 4, dtype=torch.float64)
    return kept_or_unlearned(block, x[:, :3], x)


def token_by_token(n_heads, x, seed_of_the_state):
    """The block's equations, and their derivative text by text: no text reads another."""
    p = drawn(seed_of_the_state, x.shape[-1])
    out = np.array([of_text(text, n_heads, p) for text in x])
    pairs = zip(x, factors(out), strict=True)
    gradient = [
        slopes(lambda t, f=f: np.sum(f * of_text(t, n_heads, p)), text) for text, f in pairs
    ]
    return Differentiated(out, np.array(gradient))


def of_text(text, n_heads, p):
    """The block's equations, for one token, one head and one past token at a time."""
    out, width = np.empty_like(text), text.shape[-1] // n_heads
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
        out[i] = token + p["w_2"] @ (hidden * (hidden.real > 0)) + p["b_2"]
    return out


rng = np.random.default_rng(32)


def sizes(batch, n, d_model, n_heads, seed):
    x = rng.standard_normal((batch, n, d_model))
    return {"n_heads": n_heads, "x": x, "seed_of_the_state": seed}


CASES = (
    case(**sizes(1, 1, 4, 1, seed=1)),
    case(**sizes(1, 2, 4, 1, seed=2)),
    case(**sizes(1, 3, 4, 2, seed=3)),
    case(**sizes(2, 3, 4, 2, seed=4)),
    case(**sizes(2, 4, 6, 3, seed=5)),
    case(**sizes(1, 20, 4, 2, seed=6)),
)

MISTAKES = """
every token reads the future, too: pass the causal mask.
    z, z, z, mask=mask → z, z, z
the mask lets each token see the next one: it ends at the diagonal.
    mask = pytorch.causal_mask(x.shape[1], x.shape[1]) → mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril(1)
the mask has a row for each token of a text, and not for each text.
    causal_mask(x.shape[1], x.shape[1]) → causal_mask(x.shape[0], x.shape[0])
the mask is the wrong way round: True means "may look".
    mask=mask → mask=~mask || mask=mask.mT
n_heads has no effect: hand it to MultiHeadAttention.
    (d_model, n_heads)\\n        self.norm_2 → (d_model, 1)\\n        self.norm_2
each token sees itself, too: the mask of the package is causal as it is.
    mask=mask → mask=mask & ~torch.eye(len(mask), dtype=torch.bool)
what attention finds is added to x; here it replaces x.
    x = x + self.attention → x = self.attention
both sums are missing: what a part finds is added to x, and does not replace it.
    x = x + self.attention → x = self.attention ; return x + self.narrow → return self.narrow
what the dense layers find is added to x; here it replaces x.
    return x + self.narrow → return self.narrow
attention is added to the normed vectors; the stream itself passes through no norm.
    x = x + self.attention → x = z + self.attention
the dense layers are added to the normed vectors; the stream itself passes through no norm.
    return x + self.narrow(torch.relu(self.widen(self.norm_2(x)))) → z = self.norm_2(x); return z + self.narrow(torch.relu(self.widen(z)))
both parts are added to the normed vectors; the stream itself passes through no norm.
    x = x + self.attention → x = z + self.attention ; return x + self.narrow(torch.relu(self.widen(self.norm_2(x)))) → z = self.norm_2(x); return z + self.narrow(torch.relu(self.widen(z)))
this is post-norm, with a norm behind each sum; pre-norm has one in front of each part.
    z = self.norm_1(x) → z = x ; x = x + self.attention(z, z, z, mask=mask) → x = self.norm_1(x + self.attention(z, z, z, mask=mask)) ; return x + self.narrow(torch.relu(self.widen(self.norm_2(x)))) → return self.norm_2(x + self.narrow(torch.relu(self.widen(x))))
each norm stands in front of its part, and not behind it.
    z = self.norm_1(x) → z = x ; self.attention(z, z, z, mask=mask) → self.norm_1(self.attention(z, z, z, mask=mask)) ; self.narrow(torch.relu(self.widen(self.norm_2(x)))) → self.norm_2(self.narrow(torch.relu(self.widen(x))))
norm_2 stands in front of the dense layers, and not behind the last sum.
    return x + self.narrow(torch.relu(self.widen(self.norm_2(x)))) → return self.norm_2(x + self.narrow(torch.relu(self.widen(x))))
both norms are missing: each part has one in front.
    z = self.norm_1(x) → z = x ; self.widen(self.norm_2(x)) → self.widen(x)
each part has a norm of its own: norm_2 stands in front of the dense layers.
    self.widen(self.norm_2(x)) → self.widen(self.norm_1(x))
    self.norm_2 = nn.LayerNorm(d_model) → self.norm_2 = self.norm_1
the dense layers read norm_2 of what the stream has become, and not what attention has read.
    self.widen(self.norm_2(x)) → self.widen(z)
the norms have the ε that PyTorch gives them, 1e-5.
    self.norm_1 = nn.LayerNorm(d_model) → self.norm_1 = nn.LayerNorm(d_model, eps=1e-6) ; self.norm_2 = nn.LayerNorm(d_model) → self.norm_2 = nn.LayerNorm(d_model, eps=1e-6)
    self.norm_1 = nn.LayerNorm(d_model) → self.norm_1 = nn.LayerNorm(d_model, eps=1e-12) ; self.norm_2 = nn.LayerNorm(d_model) → self.norm_2 = nn.LayerNorm(d_model, eps=1e-12)
the norm in front of attention is missing.
    z = self.norm_1(x) → z = x
the norm in front of the dense layers is missing.
    self.widen(self.norm_2(x)) → self.widen(x)
queries, keys and values all come from the normed vectors.
    attention(z, z, z, → attention(z, x, x, || attention(z, z, x, || attention(x, z, z,
the bend is missing: a ReLU stands between the two dense layers.
    torch.relu(self.widen(self.norm_2(x))) → self.widen(self.norm_2(x))
the bend is a ReLU here.
    torch.relu → torch.tanh || nn.functional.gelu || nn.functional.silu || nn.functional.leaky_relu
    torch.relu(self.widen(self.norm_2(x))) → nn.functional.gelu(self.widen(self.norm_2(x)), approximate="tanh")
two things: every token reads the future, and this is post-norm, with a norm behind each sum.
    z = self.norm_1(x) → z = x ; x = x + self.attention(z, z, z, mask=mask) → x = self.norm_1(x + self.attention(z, z, z)) ; return x + self.narrow(torch.relu(self.widen(self.norm_2(x)))) → return self.norm_2(x + self.narrow(torch.relu(self.widen(x))))
two things: every token reads the future, and the bend is a ReLU here.
    z, z, z, mask=mask → z, z, z ; torch.relu → nn.functional.gelu
the ReLU stands between the dense layers, and not behind them.
    self.narrow(torch.relu(self.widen(self.norm_2(x)))) → torch.relu(self.narrow(self.widen(self.norm_2(x))))
    self.narrow(torch.relu(self.widen(self.norm_2(x)))) → torch.relu(self.narrow(torch.relu(self.widen(self.norm_2(x)))))
attention comes first, and then the dense layers.
    z = self.norm_1(x) → x = x + self.narrow(torch.relu(self.widen(self.norm_2(x)))) ; z, z, z → *[self.norm_1(x)] * 3 ; return x + self.narrow(torch.relu(self.widen(self.norm_2(x)))) → return x
the two norms are exchanged: norm_1 stands in front of attention.
    z = self.norm_1(x) → z = self.norm_2(x) ; self.widen(self.norm_2(x)) → self.widen(self.norm_1(x))
the dense layers read the stream as it was before attention; they should read what it has become.
    x = x + self.attention(z, z, z, mask=mask) → y = x + self.attention(z, z, z, mask=mask) ; return x + self → return y + self
the output is right, but the gradient along the stream is cut: no `detach`, and no `no_grad`.
    x = x + self.attention → x = x.detach() + self.attention
    return x + self.narrow → return x.detach() + self.narrow
the output is right, but no gradient passes a norm: no `detach`, and no `no_grad`.
    z = self.norm_1(x) → z = self.norm_1(x).detach()
    self.norm_2(x) → self.norm_2(x).detach() || self.norm_2(x.detach())
    z = self.norm_1(x) → z = self.norm_1(x).detach() ; self.norm_2(x) → self.norm_2(x).detach()
"""

exercise = write(
    DecoderBlock,
    CASES,
    MISTAKES,
    through=with_a_state,
    refused=between_texts,
    oracle=token_by_token,
)
