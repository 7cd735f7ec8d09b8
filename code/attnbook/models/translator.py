"""A recurrent network that reads a text and writes another, with attention or without."""

import torch
from jaxtyping import Integer
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnbook.pytorch.operation import Float, check_shapes

WIDTH = 32  # of a letter's vector


class Reader(nn.Module):
    """Two recurrent networks read a text, one from each end, and their states are added.

        h_j = forward_j + backward_j

    The state of a letter knows what stands before it and behind it, and nothing of the padding.
    Source: Bahdanau, Cho and Bengio (2015), section 3.2, who put the two side by side; the network,
    a GRU: Cho et al. (2014).
    """

    def __init__(self, n_letters: int, hidden: int):
        super().__init__()
        self.vectors = nn.Embedding(n_letters, WIDTH)
        self.gru = nn.GRU(WIDTH, hidden, batch_first=True, bidirectional=True)

    @check_shapes
    def forward(
        self, letters: Integer[Tensor, "batch n_k"], lens: Integer[Tensor, "batch"]
    ) -> tuple[Float[Tensor, "batch n_k hidden"], Float[Tensor, "1 batch hidden"]]:
        """The state of each letter, 0 for padding, and the sum of the two last states."""
        packed = pack_padded_sequence(
            self.vectors(letters), lens, batch_first=True, enforce_sorted=False
        )
        states, last = self.gru(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=letters.shape[1])
        return states.unflatten(-1, (2, -1)).sum(dim=-2), last.sum(dim=0, keepdim=True)


class Translator(nn.Module):
    """Reads a text and writes another, symbol by symbol, with attention on the text or without.

        s_i = GRU(s_(i-1), y_(i-1)),    logits_i = W (s_i, attention(s_i, h, h))

    `attention` is a module that is called with queries, keys, values and valid lengths, such as
    `AdditiveAttention` and `DotProductAttention`; with None, the last state of the reader is all
    that is handed over. Symbol n_symbols is the one that begins every text.
    Source: Sutskever, Vinyals and Le (2014); attention as in Luong, Pham and Manning (2015),
    section 3.1, without their last tanh.
    """

    def __init__(self, n_letters: int, n_symbols: int, hidden: int, attention=None):
        super().__init__()
        self.reader = Reader(n_letters, hidden)
        self.vectors = nn.Embedding(n_symbols + 1, WIDTH)
        self.gru = nn.GRU(WIDTH, hidden, batch_first=True)
        self.attention = attention
        self.out = nn.Linear(hidden if attention is None else 2 * hidden, n_symbols)

    @check_shapes
    def forward(
        self,
        letters: Integer[Tensor, "batch n_k"],
        lens: Integer[Tensor, "batch"],
        given: Integer[Tensor, "batch n_q"],
    ) -> Float[Tensor, "batch n_q n_symbols"]:
        """The logits of each next symbol, after each symbol that is given."""
        written, states = self._states(letters, lens, given)
        if self.attention is not None:
            found = self.attention(written, states, states, lens)
            written = torch.cat([written, found], dim=-1)
        return self.out(written)

    @check_shapes
    def weights(
        self,
        letters: Integer[Tensor, "batch n_k"],
        lens: Integer[Tensor, "batch"],
        given: Integer[Tensor, "batch n_q"],
    ) -> Float[Tensor, "batch n_q n_k"]:
        """How much each symbol looks at each letter. Raises ValueError without attention."""
        if self.attention is None:
            raise ValueError("attention is None; expected a module, which has weights")
        written, states = self._states(letters, lens, given)
        return self.attention.weights(written, states, lens)

    def _states(self, letters, lens, given):
        """Those after each symbol that is given, and those of the letters."""
        states, last = self.reader(letters, lens)
        written, _ = self.gru(self.vectors(given), last)
        return written, states


def shifted(symbols: Integer[Tensor, "batch n"], start: int) -> Integer[Tensor, "batch n"]:
    """What has been written before each symbol: the start, and all but the last symbol."""
    return torch.cat([torch.full_like(symbols[:, :1], start), symbols[:, :-1]], dim=1)


@torch.no_grad()
def translate(model, letters, lens, length, start):
    """The symbols that the model writes, (batch, length), each time the one with the largest logit.

    What it has written is what it is given next.
    """
    symbols = torch.full((len(letters), 1), start)
    for _ in range(length):
        best = model(letters, lens, symbols)[:, -1:].argmax(dim=-1)
        symbols = torch.cat([symbols, best], dim=1)
    return symbols[:, 1:]
