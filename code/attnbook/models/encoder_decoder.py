"""An encoder that reads one text, and a decoder that reads what it found and writes another."""

import torch
from jaxtyping import Integer
from torch import Tensor, nn

from attnbook.checks import at_least
from attnbook.models.blocks import Block, known_tokens
from attnbook.pytorch.masks import causal_mask, padding_mask
from attnbook.pytorch.operation import Float, check_shapes
from attnbook.pytorch.positions import sinusoidal


class EncoderDecoder(nn.Module):
    """Two texts in; at each position of the target the logits of its next token out.

        memory = norm(blocks(embedding(source) + sinusoids)),    each token reads all of the source
        logits = norm(blocks(embedding(target) + sinusoids, memory)) W,    each reads its past

    The blocks are those of `Block`, pre-norm, the decoder's with cross-attention.
    Raises ValueError if a number is too small, or n_heads does not divide d_model.
    Source: Vaswani et al. (2017), section 3.
    """

    def __init__(
        self,
        source_vocabulary: int,
        vocabulary: int,
        d_model: int,
        n_layers: int,
        n_heads: int,
        d_hidden: int | None = None,
    ):
        super().__init__()
        at_least(1, source_vocabulary=source_vocabulary, vocabulary=vocabulary)
        at_least(0, n_layers=n_layers)
        self.source_embedding = nn.Embedding(source_vocabulary, d_model)
        self.embedding = nn.Embedding(vocabulary, d_model)
        layers, given = range(n_layers), (d_model, n_heads, d_hidden)
        self.encoder = nn.ModuleList(Block(*given) for _ in layers)
        self.source_norm = nn.LayerNorm(d_model)
        self.decoder = nn.ModuleList(Block(*given, cross=True) for _ in layers)
        self.norm = nn.LayerNorm(d_model)
        self.logits = nn.Linear(d_model, vocabulary, bias=False)

    @check_shapes
    def encode(
        self,
        source: Integer[Tensor, "batch n_k"],
        source_lens: Integer[Tensor, "batch"] | None = None,
    ) -> Float[Tensor, "batch n_k d_model"]:
        """What the decoder reads, of shape (batch, n_k, d_model); padding is read by nobody.

        Raises ValueError for a token that is none, or a length out of range.
        """
        mask = None if source_lens is None else padding_mask(source_lens, source.shape[-1])
        x = _placed(self.source_embedding, source)
        for block in self.encoder:
            x = block(x, mask)
        return self.source_norm(x)

    @check_shapes
    def decode(
        self,
        target: Integer[Tensor, "batch n"],
        memory: Float[Tensor, "batch n_k d_model"],
        source_lens: Integer[Tensor, "batch"] | None = None,
    ) -> Float[Tensor, "batch n {self.logits.out_features}"]:
        """The logits of the token after each of the target's, of shape (batch, n, vocabulary)."""
        n = target.shape[-1]
        x, mask = _placed(self.embedding, target), causal_mask(n, n, device=target.device)
        for block in self.decoder:
            x = block(x, mask, source=memory, source_lens=source_lens)
        return self.logits(self.norm(x))

    def forward(self, source, target, source_lens=None):
        """`decode` of the target with what `encode` makes of the source."""
        return self.decode(target, self.encode(source, source_lens), source_lens)


def _placed(embedding, tokens):
    known_tokens(tokens, embedding.num_embeddings)
    x, positions = embedding(tokens), torch.arange(tokens.shape[-1], device=tokens.device)
    return x + sinusoidal(positions, x.shape[-1], dtype=x.dtype)
