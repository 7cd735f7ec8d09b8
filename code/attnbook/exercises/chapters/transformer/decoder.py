"""Project, step 3: the model · medium · 12 min

Hints
1. `nn.Embedding` twice, `nn.ModuleList(blocks)`, and one `nn.LayerNorm`.
2. `self.positions(torch.arange(n))` has the shape (n, d_model), which is added to each text.
3. The embedding's matrix, `self.embedding.weight`, has a row for each token: `x @ weight.mT`.

Why
A token is looked up in the matrix, and in the end every vector is compared with all of its rows. So
one matrix reads and writes, and what brings a vector nearer to a token's row makes that token more
likely.

Notice
`parameters()` lists the tied matrix once, and its gradient is the sum of what both uses ask for.
"""

import numpy as np
import torch
from torch import nn

from attnbook.exercises.chapters.transformer._states import (
    factors,
    filled,
    kept_or_unlearned,
    normed,
    slopes,
)
from attnbook.exercises.engine import case, draw, not_yet, write
from attnbook.exercises.engine.attempt import attempt
from attnbook.exercises.engine.tensors import Differentiated, with_gradients


class Decoder(nn.Module):
    """Blocks between embeddings and logits that share a matrix."""

    def __init__(self, vocabulary, length, d_model, blocks):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.positions = nn.Embedding(length, d_model)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.embedding.weight.mT


class Layer(nn.Module):
    """A block of the check's own: a token and those before it are added up, times w, plus w."""

    def __init__(self, d_model):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return torch.cumsum(x, dim=1) * self.w + self.w


def with_blocks(made):
    """For `through`: the model as a function of tokens and of its arrays; blocks_w has a row a block.

    The gradient is that of the tied matrix, from both its uses.
    """

    def call(vocabulary, tokens, embedding, positions, blocks_w, norm_weight, norm_bias):
        blocks = [Layer(blocks_w.shape[-1]) for _ in blocks_w]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)  # two calls begin alike, so that who uses that beginning is found
            model = made(vocabulary, len(positions), blocks_w.shape[-1], blocks)
        state = {"embedding.weight": embedding, "positions.weight": positions}
        state |= {f"blocks.{i}.w": row for i, row in enumerate(blocks_w)}
        state |= {"norm.weight": norm_weight, "norm.bias": norm_bias}
        tied = filled(model, state).get_parameter("embedding.weight")
        given = torch.tensor(tokens)
        return Differentiated(*with_gradients(lambda: model(given), "the embeddings", tied))

    return call


def between_texts(made, _):
    """For `refused`: called again, and with respect to its parameters and those of its blocks."""
    blocks = [Layer(4), Layer(4)]
    for block in blocks:
        torch.nn.init.ones_(block.w)
    listed = list(blocks)
    call = attempt(lambda: made(6, 8, 4, listed), {})
    if call.raised:
        return not_yet(f"Decoder(6, 8, 4, blocks) raises {call.message}.", where=call.where)
    if listed != blocks:
        return not_yet("your class changed the list of blocks; leave it as it was.")
    owned, given = call.value.blocks, [block.w for block in blocks]
    if [id(block.w) for block in owned] != list(map(id, given)):
        turned = {id(block.w) for block in owned} == set(map(id, given))
        return not_yet(IN_ANOTHER_ORDER if turned else COPIED)
    text = torch.tensor([[1, 2, 3, 4, 5, 0, 1, 2]])
    return kept_or_unlearned(call.value, text[:, :3], text)


COPIED = "the blocks are copied; use the ones that were given."
IN_ANOTHER_ORDER = "`self.blocks` has the blocks in another order than the list that was given."


def with_slopes(vocabulary, tokens, embedding, *others):
    """The logits in loops, and their derivative with respect to the tied matrix."""
    out = in_loops(tokens, embedding, *others)

    def summed(matrix):
        return np.sum(factors(out) * in_loops(tokens, matrix, *others))

    return Differentiated(out, slopes(summed, embedding))


def in_loops(tokens, embedding, positions, blocks_w, norm_weight, norm_bias):
    out = np.empty((*tokens.shape, len(embedding)), embedding.dtype)
    for b, text in enumerate(tokens):
        x = np.array([embedding[token] + positions[i] for i, token in enumerate(text)])
        for row in blocks_w:
            x = np.array([row * x[: i + 1].sum(axis=0) + row for i in range(len(x))])
        for i, token in enumerate(x):
            out[b, i] = [normed(token, norm_weight, norm_bias) @ sign for sign in embedding]
    return out


rng = np.random.default_rng(33)


def sizes(batch, n, vocabulary, length, d_model, n_blocks):
    shapes = {"embedding": (vocabulary, d_model), "positions": (length, d_model)}
    shapes |= {"blocks_w": (n_blocks, d_model), "norm_weight": (d_model,), "norm_bias": (d_model,)}
    tokens = rng.integers(0, vocabulary, (batch, n))
    return {"vocabulary": vocabulary, "tokens": tokens} | draw(rng, shapes)


CASES = (
    case(**sizes(1, 1, 3, 2, 4, 1)),
    case(**sizes(1, 2, 3, 2, 4, 1)),
    case(**sizes(2, 3, 4, 5, 5, 2)),
    case(**sizes(3, 4, 6, 4, 4, 3)),
)

MISTAKES = """
the positions are missing: each token's vector gets that of its position added.
    self.embedding(tokens) + self.positions(torch.arange(tokens.shape[1])) → self.embedding(tokens)
a position is counted within its text: it is not the number of the text.
    self.positions(torch.arange(tokens.shape[1])) → self.positions(torch.arange(tokens.shape[0]))[:, None]
the embeddings are added as they are: no √d stands in front of them here.
    self.embedding(tokens) + → self.embedding(tokens) * self.norm.weight.shape[0] ** 0.5 +
token 0 is one like any other, and `padding_idx` keeps its row from learning.
    nn.Embedding(vocabulary, d_model) → nn.Embedding(vocabulary, d_model, padding_idx=0)
the embeddings are missing: a vector is that of the token and that of its position.
    self.embedding(tokens) + → 0 * self.embedding(tokens) +
the positions are counted from the front of the text, 0, 1, 2, ….
    torch.arange(tokens.shape[1]) → torch.arange(tokens.shape[1]).flip(0)
    self.positions(torch.arange(tokens.shape[1])) → self.positions.weight[-tokens.shape[1]:]
    torch.arange(tokens.shape[1]) → torch.arange(1, tokens.shape[1] + 1)
    torch.arange(tokens.shape[1]) → (torch.arange(tokens.shape[1]) + 1) % len(self.positions.weight)
    torch.arange(tokens.shape[1]) → torch.zeros(tokens.shape[1], dtype=torch.long)
the last norm is missing: it stands in front of the logits.
    self.norm(x) @ → x @
the norm stands behind the blocks, once, and not within the loop.
    x = block(x) → x = self.norm(block(x)) ; self.norm(x) @ → x @
the norm stands behind all blocks, and not in front of the first.
    for block → x = self.norm(x)\\n        for block ; self.norm(x) @ → x @
there is one norm, behind all blocks, and it is used once.
    for block → x = self.norm(x)\\n        for block
    self.norm(x) @ → self.norm(self.norm(x)) @
the blocks are used in the order of the list.
    in self.blocks → in reversed(self.blocks)
each block is used, one after the other.
    in self.blocks → in self.blocks[:1] || in self.blocks[:-1]
    x = block(x) → x = self.blocks[0](x)
    x = block(x) → y = block(x) ; self.norm(x) @ → self.norm(y) @
    x = block(x) →  pass
the blocks are residual themselves, or not: the model adds nothing to what they return.
    x = block(x) → x = x + block(x)
return the logits, without a softmax: the loss takes its own.
    return self.norm(x) @ self.embedding.weight.mT → return torch.softmax(self.norm(x) @ self.embedding.weight.mT, dim=-1)
    return self.norm(x) @ self.embedding.weight.mT → return torch.log_softmax(self.norm(x) @ self.embedding.weight.mT, dim=-1)
the logits come from what `__init__` has kept of the matrix: use the parameter itself in each call.
    self.norm = nn.LayerNorm(d_model) → self.norm = nn.LayerNorm(d_model); self.kept = self.embedding.weight.mT ; @ self.embedding.weight.mT → @ self.kept
    self.norm = nn.LayerNorm(d_model) → self.norm = nn.LayerNorm(d_model); self.register_buffer("copy", self.embedding.weight.detach().clone()) ; @ self.embedding.weight.mT → @ self.copy.mT
the logits are right, but the tied matrix learns from one of its two uses alone: no `detach`, and no
`no_grad`.
    self.embedding.weight.mT → self.embedding.weight.detach().mT
    self.embedding(tokens) → self.embedding(tokens).detach()
"""

exercise = write(
    Decoder,
    CASES,
    MISTAKES,
    through=with_blocks,
    refused=between_texts,
    oracle=with_slopes,
)
