"""Models that learn from examples that they are shown: data, networks, training, checkpoints.

A model here is a module made of the book's own parts. It trains on one thread of a CPU in seconds,
can be interrupted between two steps, and goes on where it was. A model that writes with caches can
let a smaller one write ahead of it, which is speculative decoding.
"""

from attnbook.models.blocks import Block, SelfAttention
from attnbook.models.cached import CachedModel
from attnbook.models.checkpoints import load, save
from attnbook.models.circuits import head_matrices, heads_of, logits_with
from attnbook.models.counterfactual import other_weights
from attnbook.models.dates import (
    SYMBOLS,
    date_pairs,
    day_split,
    letters_of,
    other_digit,
    symbols_of,
    text_of,
)
from attnbook.models.divergences import jensen_shannon, total_variation
from attnbook.models.encoder_decoder import EncoderDecoder
from attnbook.models.gospels import bits_per_token, gospels, tokens_of, windows
from attnbook.models.outcomes import outcomes
from attnbook.models.recall import RECALL_LETTERS, after_same, recall_texts
from attnbook.models.speculative import (
    acceptance,
    residual,
    speculative_decode,
    speculative_round,
    verify,
)
from attnbook.models.tasks import (
    IGNORED,
    SUM_SIGNS,
    WORD_SIGNS,
    answer_targets,
    exact_match,
    reversals,
    sums,
)
from attnbook.models.training import Training, one_cycle
from attnbook.models.transformer import Transformer
from attnbook.models.translator import Reader, Translator, shifted, translate

__all__ = [
    "IGNORED",
    "RECALL_LETTERS",
    "SUM_SIGNS",
    "SYMBOLS",
    "WORD_SIGNS",
    "Block",
    "CachedModel",
    "EncoderDecoder",
    "Reader",
    "SelfAttention",
    "Training",
    "Transformer",
    "Translator",
    "acceptance",
    "after_same",
    "answer_targets",
    "bits_per_token",
    "date_pairs",
    "day_split",
    "exact_match",
    "gospels",
    "head_matrices",
    "heads_of",
    "jensen_shannon",
    "letters_of",
    "load",
    "logits_with",
    "one_cycle",
    "other_digit",
    "other_weights",
    "outcomes",
    "recall_texts",
    "residual",
    "reversals",
    "save",
    "shifted",
    "speculative_decode",
    "speculative_round",
    "sums",
    "symbols_of",
    "text_of",
    "tokens_of",
    "total_variation",
    "translate",
    "verify",
    "windows",
]
