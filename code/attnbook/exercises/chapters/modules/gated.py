r"""Project, step 1: a module with gates · medium · 15 min

Hints
1. Begin with `super().__init__()`, and make five layers `nn.Linear(…, bias=False)` as attributes.
2. Without the gates it is the chapter's `Heads`. What each head found has the shape (batch, heads,
   n, d_head), and `self.w_g(x)` has (batch, n, heads): bring the gates' axes into the same order.
3. `gates.mT` exchanges the last two axes, and `[..., None]` appends one of length 1.

Why
A gate is one number for each word and each head. After `mT` and `[..., None]` the gates have the
shape (batch, heads, n, 1), so each multiplies all the features that its head found for its word.

Notice
Your module has a state, moves and learns, though you wrote no line for that: setting the five
attributes was enough.
"""

import numpy as np
import torch
from torch import nn

from attnbook import pytorch
from attnbook.exercises.engine import Unfit, case, draw, not_yet, write
from attnbook.exercises.engine.attempt import attempt
from attnbook.exercises.engine.compare import difference
from attnbook.exercises.engine.settings import plain_settings

NAMES = ("w_q", "w_k", "w_v", "w_o", "w_g")


class Gated(nn.Module):
    """Multi-head attention whose heads have gates."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)
        self.w_g = nn.Linear(d_model, n_heads, bias=False)

    def forward(self, x):
        layers = self.w_q, self.w_k, self.w_v
        q, k, v = (pytorch.split_heads(w(x), self.n_heads) for w in layers)
        found = pytorch.scaled_dot_product_attention(q, k, v)
        gates = torch.sigmoid(self.w_g(x)).mT[..., None]
        return self.w_o(pytorch.merge_heads(gates * found))


def with_matrices(made):
    """For `through`: a module as a function of its matrices, and their gradients."""

    def call(n_heads, x, *matrices):
        with plain_settings():
            module = made(x.shape[-1], n_heads)
            parameters = _filled(module, matrices)
            out = module(torch.tensor(x))
            if not isinstance(out, torch.Tensor):
                raise Unfit(f"forward returned a {type(out).__name__}; expected a tensor")
            factors = torch.cos(torch.arange(out.numel(), dtype=out.dtype)).reshape(out.shape)
            loss = torch.sum(factors * out)
            found = [None] * 5
            if loss.requires_grad:
                found = torch.autograd.grad(loss, parameters, allow_unused=True)
        zeros = map(torch.zeros_like, parameters)
        gradients = (z if g is None else g for z, g in zip(zeros, found, strict=True))
        return (out.detach().numpy(), *(g.numpy() for g in gradients))

    return call


def again(made, arguments):
    """For `refused`: a right module that keeps something from text to text, or needs float64."""
    n_heads, x, *matrices = arguments.values()
    text, other = torch.tensor(x), torch.tensor(np.concatenate([-x, x], axis=1))

    def last(*texts, dtype=torch.float64):
        def call():
            module = made(x.shape[-1], n_heads)
            _filled(module, matrices)
            outputs = [module.to(dtype)(each.to(dtype)) for each in texts]
            return outputs[-1].detach().numpy()

        return attempt(call, {})

    right, after_another, in_float32 = (
        last(other),
        last(text, other),
        last(other, dtype=torch.float),
    )
    if after_another.raised or difference(right.value, after_another.value):
        return not_yet(
            "after a first text your module returns something else for a second one than a new "
            "module does: it keeps something from call to call."
        )
    if in_float32.raised or in_float32.value.dtype != np.float32:
        what = in_float32.message if in_float32.raised else "float64 comes out"
        return not_yet(f"the numbers are right in float64, but not in float32: {what}")
    return None


def _filled(module, matrices):
    """The parameters of a module, in the order of `NAMES`, with these matrices in them."""
    if not isinstance(module, nn.Module):
        raise Unfit(f"a {type(module).__name__} was made; expected a module")
    wanted = {f"{name}.weight": w for name, w in zip(NAMES, matrices, strict=True)}
    state = module.double().state_dict()
    if set(state) != set(wanted):
        given = ", ".join(state) or "nothing"
        raise Unfit(f"the state of your module has {given}; expected {', '.join(wanted)}")
    for name, w in wanted.items():
        if tuple(state[name].shape) != w.shape:
            shape = tuple(state[name].shape)
            raise Unfit(f"{name} has the shape {shape}, and should have {w.shape}")
    module.load_state_dict({name: torch.tensor(w) for name, w in wanted.items()})
    return [module.get_parameter(name) for name in wanted]


def in_loops(n_heads, x, *matrices):
    """The output head by head, and each derivative by a step along the imaginary axis."""
    out = _output(n_heads, x, *matrices)
    c, gradients = np.cos(np.arange(out.size)).reshape(out.shape), []
    for i, w in enumerate(matrices):
        gradients.append(np.zeros_like(w))
        for at in np.ndindex(w.shape):
            moved = [m.astype(complex) for m in matrices]
            moved[i][at] += 1e-30j
            gradients[i][at] = np.sum(c * _output(n_heads, x, *moved)).imag / 1e-30
    return (out, *gradients)


def _output(n_heads, x, w_q, w_k, w_v, w_o, w_g):
    width, outputs = x.shape[-1] // n_heads, []
    for m in range(n_heads):
        rows = slice(m * width, (m + 1) * width)
        q, k, v = (x @ w[rows].T for w in (w_q, w_k, w_v))
        exponentials = np.exp(q @ k.swapaxes(-1, -2) / width**0.5)
        found = exponentials @ v / np.sum(exponentials, axis=-1, keepdims=True)
        outputs.append(found / (1 + np.exp(-x @ w_g[m]))[..., None])
    return np.concatenate(outputs, axis=-1) @ w_o.T


rng = np.random.default_rng(17)


def sizes(batch, n, d_model, n_heads):
    shapes = dict.fromkeys(NAMES, (d_model, d_model)) | {"w_g": (n_heads, d_model)}
    matrices = draw(rng, shapes)
    return {"n_heads": n_heads, "x": rng.standard_normal((batch, n, d_model))} | matrices


CASES = (
    case(**sizes(1, 1, 2, 1)),
    case(**sizes(1, 2, 2, 2)),
    case(**sizes(1, 2, 4, 2)),
    case(**sizes(1, 3, 4, 2)),
    case(**sizes(2, 2, 4, 2)),
    case(**sizes(2, 4, 4, 4)),
    case(**sizes(2, 3, 6, 2)),
    case(**sizes(3, 5, 6, 3)),
)

MISTAKES = """
the gates are not used: multiply what each head found by its gate, before the heads are merged.
    gates * found → found
a gate is a number between 0 and 1: torch.sigmoid makes it so.
    torch.sigmoid(self.w_g(x)) → self.w_g(x)
    torch.sigmoid(self.w_g(x)) → torch.tanh(self.w_g(x)) || torch.exp(self.w_g(x))
the gates of a word do not sum to 1: each head has a sigmoid of its own, and no softmax over heads.
    torch.sigmoid(self.w_g(x)) → torch.softmax(self.w_g(x), dim=-1)
the gate is upside down: σ(x W_g) = 1 opens a head.
    torch.sigmoid(self.w_g(x)) → torch.sigmoid(-self.w_g(x)) || (1 - torch.sigmoid(self.w_g(x)))
`self.w_g(x)` has a row for each word and a column for each head: exchange the two axes, as reshape
does not.
    .mT[..., None] → .reshape(*found.shape[:-1], 1)
the word that asks has the gate, not the word that is read: multiply what was found, not the values.
    attention(q, k, v) → attention(q, k, torch.sigmoid(self.w_g(x)).mT[..., None] * v) ; gates * found → found
the gate multiplies what a head found; a query, a key or a score is left as it is.
    attention(q, k, v) → attention(q * torch.sigmoid(self.w_g(x)).mT[..., None], k, v) ; gates * found → found
    attention(q, k, v) → attention(q, k * torch.sigmoid(self.w_g(x)).mT[..., None], v) ; gates * found → found
the numbers of a head stand side by side: each gate is repeated d_head times in a row.
    self.w_o(pytorch.merge_heads(gates * found)) → self.w_o(torch.sigmoid(self.w_g(x)).repeat(1, 1, found.shape[-1]) * pytorch.merge_heads(found))
the gates of the heads are in reverse order: column h of `self.w_g(x)` belongs to head h.
    .mT[..., None] → .flip(-1).mT[..., None]
the gate of a word comes from the word, x, and not from what the heads have found for it.
    self.w_g(x)) → self.w_g(pytorch.merge_heads(found)))
the weights of a query sum to 1: the softmax runs over the keys, the last axis of the scores.
    pytorch.scaled_dot_product_attention(q, k, v) → torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-2) @ v
each gate belongs to one head: here all heads have the same.
    .mT[..., None] → .mean(dim=-1)[:, None, :, None]
each gate belongs to one word: here all words have the same.
    .mT[..., None] → .mean(dim=-2)[..., None, None]
the output is right, but w_g gets no gradient: no `detach`, no `torch.no_grad()` and no `.data` may
stand between the gates and the output.
    self.w_g(x)) → self.w_g(x).detach()) || self.w_g(x).data)
the output is right, and no gradient arrives anywhere: do not detach what `forward` returns.
    = type("Detached", (Gated,), {"forward": lambda self, x: Gated.forward(self, x).detach()})(d_model, n_heads)
the heads are merged in another way: at each word they stand side by side.
    pytorch.merge_heads(gates * found) → (gates * found).reshape(x.shape)
the heads are cut from each word's features: reshape alone gives a head some of the words.
    pytorch.split_heads(w(x), self.n_heads) → w(x).reshape(len(x), self.n_heads, x.shape[1], -1)
the last layer, w_o, is missing.
    self.w_o(pytorch.merge_heads(gates * found)) → pytorch.merge_heads(gates * found)
w_q, w_k and w_v are used in another order.
    layers = self.w_q, self.w_k, self.w_v → layers = self.w_k, self.w_q, self.w_v
    layers = self.w_q, self.w_k, self.w_v → layers = self.w_q, self.w_v, self.w_k
    layers = self.w_q, self.w_k, self.w_v → layers = self.w_v, self.w_k, self.w_q
every word reads the whole text here: there is no causal mask.
    attention(q, k, v) → attention(q, k, v, mask=pytorch.causal_mask(q.shape[-2], q.shape[-2]))
the scores are divided by the root of the width of one head.
    attention(q, k, v) → attention(q, k, v, scale=1.0)
    attention(q, k, v) → attention(q, k, v, scale=x.shape[-1] ** -0.5)
"""

exercise = write(
    Gated,
    CASES,
    MISTAKES,
    through=with_matrices,
    refused=again,
    oracle=in_loops,
    results=("out", *(f"grad_{name}" for name in NAMES)),
)
