"""Models that learn from examples that they are shown: data, networks, training, checkpoints.

A model here is a module made of the book's own parts. It trains on one thread of a CPU in seconds,
can be interrupted between two steps, and goes on where it was.
"""

from attnbook.models.blocks import Block, SelfAttention
from attnbook.models.checkpoints import load, save
from attnbook.models.dates import SYMBOLS, date_pairs, day_split, letters_of, symbols_of, text_of
from attnbook.models.encoder_decoder import EncoderDecoder
from attnbook.models.training import Training, one_cycle
from attnbook.models.transformer import Transformer
from attnbook.models.translator import Reader, Translator, shifted, translate

__all__ = [
    "SYMBOLS",
    "Block",
    "EncoderDecoder",
    "Reader",
    "SelfAttention",
    "Training",
    "Transformer",
    "Translator",
    "date_pairs",
    "day_split",
    "letters_of",
    "load",
    "one_cycle",
    "save",
    "shifted",
    "symbols_of",
    "text_of",
    "translate",
]
