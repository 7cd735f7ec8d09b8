"""The project of the chapter on a Transformer ends as its statement says."""

import json
import math
import re

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from attnbook.exercises.chapters.transformer.decoder import Decoder
from attnbook.exercises.chapters.transformer.decoder_block import DecoderBlock
from attnbook.exercises.chapters.transformer.write import write
from tools.reproducible import ROOT

CELLS = json.loads((ROOT / "book/learning/transformer.ipynb").read_text(encoding="utf-8"))["cells"]
SOURCES = ["".join(cell["source"]) for cell in CELLS]
(END,) = re.findall(r"```python\n(project = .*?)```", "\n".join(SOURCES), re.DOTALL)


def chapter(*beginnings):
    """The names of the chapter's cells that begin so, and the classes of the project."""
    scope = {"torch": torch, "nn": nn, "F": F, "Decoder": Decoder, "DecoderBlock": DecoderBlock}
    for beginning in beginnings:
        (source,) = (text for text in SOURCES if text.startswith(beginning))
        exec(source, scope)
    return scope


def ended(text):
    """What the chapter has after the lines at the project's end."""
    scope = chapter("signs = ", "torch.set_num_threads(1)", "def report")
    exec(text, scope)
    return scope


@pytest.mark.parametrize("seed", range(5))
def test_the_project_ends_as_its_statement_says(seed, capsys):
    torch.manual_seed(seed)
    scope = ended(END)
    assert "right 100%" in capsys.readouterr().out
    texts = scope["texts"]
    assert torch.equal(write(scope["project"], texts[:, :4], 2, stop=12), texts)


def test_from_the_random_numbers_of_pytorch_it_does_not_end_so(capsys):
    """The same lines without the small start."""
    torch.manual_seed(1)
    ended(re.sub(r"for table.*?std=1 / 8\)\n", "", END, flags=re.DOTALL))
    assert "right 100%" not in capsys.readouterr().out


@pytest.mark.parametrize("seed", range(5))
def test_a_tied_matrix_of_size_1_is_certain_of_something_wrong(seed):
    """Of the sign that it has read. Who knows nothing pays ln 13."""
    losses_of = chapter("signs = ", "torch.set_num_threads(1)")["losses_of"]
    torch.manual_seed(seed)
    model = Decoder(13, 5, 64, [DecoderBlock(64, 4)])
    assert losses_of(model).mean() > 10 * math.log(13)
    for table in (model.embedding, model.places):
        nn.init.normal_(table.weight, std=1 / 8)
    assert losses_of(model).mean() < 2 * math.log(13)
