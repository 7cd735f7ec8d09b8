"""A decoder-only Transformer: what reads a text from its beginning, and guesses each next token."""

import torch
from jaxtyping import Integer
from torch import Tensor, nn

from attnbook.checks import at_least
from attnbook.models.blocks import Block, known_tokens
from attnbook.pytorch.masks import causal_mask
from attnbook.pytorch.operation import Float, check_shapes


class Transformer(nn.Module):
    """Tokens in; at each position the logits of the next token out.

        x = embedding(tokens) (+ positions);  x = block(x) for each block;  logits = norm(x) W

    Without `max_length` queries and keys are turned by their positions (RoPE), in texts of any
    length; with it a learned vector for each of so many positions is added to the embeddings.
    `d_hidden` is that of `Block`: 0 for attention alone. Raises ValueError if a number is too
    small, or n_heads does not divide d_model.

    Source: Xiong et al. (2020), section 3.1, for the order of the parts; Su et al. (2021) for RoPE.

    >>> Transformer(12, d_model=8, n_layers=2, n_heads=2)(torch.tensor([[7, 10, 3, 11]])).shape
    torch.Size([1, 4, 12])
    """

    def __init__(
        self,
        vocabulary: int,
        d_model: int,
        n_layers: int,
        n_heads: int,
        d_hidden: int | None = None,
        max_length: int | None = None,
    ):
        super().__init__()
        at_least(1, vocabulary=vocabulary, max_length=1 if max_length is None else max_length)
        at_least(0, n_layers=n_layers)
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.positions = None if max_length is None else nn.Embedding(max_length, d_model)
        blocks = (Block(d_model, n_heads, d_hidden) for _ in range(n_layers))
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(d_model)
        self.logits = nn.Linear(d_model, vocabulary, bias=False)

    @check_shapes
    def forward(
        self, tokens: Integer[Tensor, "batch n"]
    ) -> Float[Tensor, "batch n {self.logits.out_features}"]:
        """The logits of the token after each, of shape (batch, n, vocabulary).

        Raises ValueError for a token that is none, or more than `max_length` of them.
        """
        x, mask, positions = self.start(tokens)
        for block in self.blocks:
            x = block(x, mask, positions)
        return self.logits(self.norm(x))

    @check_shapes
    def weights(
        self, tokens: Integer[Tensor, "batch n"]
    ) -> Float[Tensor, "n_layers batch n_heads n n"]:
        """The weights of each block's heads, of shape (n_layers, batch, n_heads, n, n)."""
        x, mask, positions = self.start(tokens)
        found = []
        for block in self.blocks:
            found.append(block.attention.weights(block.norm_attention(x), mask, positions))
            x = block(x, mask, positions)
        return torch.stack(found)

    def start(self, tokens):
        """What the first block gets: the stream, the causal mask, and positions for RoPE."""
        known_tokens(tokens, self.embedding.num_embeddings)
        n = tokens.shape[-1]
        x, positions = self.embedding(tokens), torch.arange(n, device=tokens.device)
        mask = causal_mask(n, n, device=tokens.device)
        if self.positions is None:
            return x, mask, positions
        if n > self.positions.num_embeddings:
            most = self.positions.num_embeddings
            raise ValueError(f"tokens has the length {n}; expected at most max_length = {most}")
        return x + self.positions(positions), mask, None
