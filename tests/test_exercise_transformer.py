"""The project of the chapter on a Transformer: its end, and answers built otherwise than ours."""

import copy
import json
import math
import re

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from attnbook import exercises, pytorch
from attnbook.exercises.chapters.transformer._states import block_arrays
from attnbook.exercises.chapters.transformer.decoder import Decoder
from attnbook.exercises.chapters.transformer.decoder_block import DecoderBlock
from attnbook.exercises.chapters.transformer.write import write
from attnbook.exercises.engine import diagnose
from attnbook.exercises.engine.diagnose.arguments import substitutes
from attnbook.exercises.engine.edits import versions
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


MORE = [pytest.param(seed, marks=pytest.mark.everywhere) for seed in range(1, 5)]


@pytest.mark.parametrize("seed", [0, *MORE])
def test_the_project_ends_as_its_statement_says(seed, capsys):
    torch.manual_seed(seed)
    scope = ended(END)
    assert "right 100%" in capsys.readouterr().out
    texts = scope["texts"]
    assert torch.equal(write(scope["project"], texts[:, :4], 2, stop=12), texts)


@pytest.mark.everywhere
@pytest.mark.parametrize("seed", range(10))
def test_a_smaller_start_ends_so_with_smaller_steps_and_more_of_them(seed, capsys):
    torch.manual_seed(seed)
    ended(END.replace("1 / 8", "0.02").replace("steps=500, lr=0.001", "steps=1500, lr=0.0003"))
    assert "right 100%" in capsys.readouterr().out


def test_from_the_random_numbers_of_pytorch_it_does_not_end_so(capsys):
    """The same lines without the small start."""
    torch.manual_seed(1)
    ended(re.sub(r"for table.*?std=1 / 8\)\n", "", END, flags=re.DOTALL))
    assert "right 100%" not in capsys.readouterr().out


@pytest.mark.parametrize("seed", range(5))
def test_a_tied_matrix_of_size_1_is_certain_of_something_wrong(seed):
    """Of the token that it has read. Whoever knows nothing pays ln 13."""
    losses_of = chapter("signs = ", "torch.set_num_threads(1)")["losses_of"]
    torch.manual_seed(seed)
    model = Decoder(13, 5, 64, [DecoderBlock(64, 4)])
    assert losses_of(model).mean() > 10 * math.log(13)
    for table in (model.embedding, model.positions):
        nn.init.normal_(table.weight, std=1 / 8)
    assert losses_of(model).mean() < 2 * math.log(13)


class TiedLinear(Decoder):
    def __init__(self, vocabulary, length, d_model, blocks):
        super().__init__(vocabulary, length, d_model, blocks)
        self.logits = nn.Linear(d_model, vocabulary, bias=False)
        self.tie()

    def tie(self):
        self.logits.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens) + self.positions(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.logits(self.norm(x))


class TiedTheOtherWay(TiedLinear):
    def tie(self):
        self.embedding.weight = self.logits.weight


class Copied(TiedLinear):
    def tie(self):
        self.logits.weight = nn.Parameter(self.embedding.weight.detach().clone())


class Biased(TiedLinear):
    def tie(self):
        super().tie()
        self.logits.bias = nn.Parameter(torch.zeros(len(self.embedding.weight)))


class InASequential(DecoderBlock):
    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads)
        self.dense = nn.Sequential(self.widen, nn.ReLU(), self.narrow)

    def forward(self, x):
        z = self.norm_1(x)
        x = x + self.attention(z, z, z, mask=self.mask_for(x))
        return x + self.dense(self.norm_2(x))

    def mask_for(self, x):
        return pytorch.causal_mask(x.shape[1], x.shape[1])


class WithABuffer(InASequential):
    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads)
        self.register_buffer("mask", pytorch.causal_mask(64, 64))

    def mask_for(self, x):
        return self.mask[: x.shape[1], : x.shape[1]]


class Overwriting(InASequential):
    def forward(self, x):
        z = self.norm_1(x)
        x += self.attention(z, z, z, mask=self.mask_for(x))
        return x + self.dense(self.norm_2(x))


class OverwritingTheStream(InASequential):
    def forward(self, x):
        z = self.norm_1(x)
        x = x + self.attention(z, z, z, mask=self.mask_for(x))
        x += self.dense(self.norm_2(x))
        return x


@pytest.mark.parametrize("made", [TiedLinear, TiedTheOtherWay, InASequential, WithABuffer])
def test_a_second_name_and_a_buffer_are_no_parameters_more(made):
    name = "decoder" if issubclass(made, Decoder) else "decoder_block"
    verdict = exercises.find(f"transformer.{name}").verdict(made)
    assert verdict.state == "right", verdict.text


REFUSED = {
    Copied: "also owns logits.weight, which is a parameter of its own, and not embedding.weight",
    Biased: "also owns logits.bias, which is a parameter of its own, and not asked for",
    Overwriting: "your function writes into its argument",
    OverwritingTheStream: "a result that backward needs was written into",
    DecoderBlock(4, 2): "the check wants the class DecoderBlock itself",
}


@pytest.mark.parametrize(("made", "told"), REFUSED.items())
def test_what_is_not_tied_or_writes_into_the_stream_is_refused(made, told):
    decodes = isinstance(made, type) and issubclass(made, Decoder)
    verdict = exercises.find(f"transformer.{'decoder' if decodes else 'decoder_block'}").verdict(
        made
    )
    assert verdict.state == "wrong" and told in verdict.text


PASSED = []  # wrong answers that were right by what the checks once tried, and what they hear


def passed(name, told):
    """For an answer, or for a function that makes several, beside what they hear."""

    def enter(made):
        PASSED.append((name, made, told))
        return made

    return enter


BLOCK, MODEL = "transformer.decoder_block", "transformer.decoder"
AGAIN = "a second text, which is longer, raises "
KEPT = "it keeps something from call to call"


@passed(BLOCK, AGAIN)
class TheFirstMask(InASequential):
    mask = None

    def mask_for(self, x):
        if self.mask is None:
            self.mask = super().mask_for(x)
        return self.mask


@passed(BLOCK, "your function raised")
class ForEight(InASequential):
    def mask_for(self, x):
        return pytorch.causal_mask(8, 8)[: x.shape[1], : x.shape[1]]


@passed(BLOCK, KEPT)
class TheFirstOutput(DecoderBlock):
    out = None

    def forward(self, x):
        self.out = super().forward(x) if self.out is None else self.out
        return self.out


@passed(BLOCK, "attention.w_q.weight learns nothing")
class Frozen(DecoderBlock):
    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads)
        self.attention.w_q.weight.requires_grad_(False)


@passed(BLOCK, "widen.weight learns nothing")
class DetachedInside(InASequential):
    def forward(self, x):
        z = self.norm_1(x)
        x = x + self.attention(z, z, z, mask=self.mask_for(x))
        wide = F.linear(self.norm_2(x), self.widen.weight.detach(), self.widen.bias.detach())
        return x + self.narrow(torch.relu(wide))


class GrowingMask(InASequential):
    mask = pytorch.causal_mask(1, 1)

    def mask_for(self, x):
        if len(self.mask) < x.shape[1]:
            self.mask = super().mask_for(x)
        return self.mask[: x.shape[1], : x.shape[1]]


class ByPart(Decoder):
    """The model of the chapter, of which a part is exchanged."""

    def at(self, n):
        return self.positions(torch.arange(n))

    def through_blocks(self, x):
        for block in self.blocks:
            x = block(x)
        return x

    def logits(self, x):
        return self.norm(x) @ self.embedding.weight.mT

    def forward(self, tokens):
        x = self.embedding(tokens) + self.at(tokens.shape[1])
        return self.logits(self.through_blocks(x))


@passed(MODEL, AGAIN)
class TheFirstPositions(ByPart):
    numbers = None

    def at(self, n):
        self.numbers = torch.arange(n) if self.numbers is None else self.numbers
        return self.positions(self.numbers)


@passed(MODEL, "positions.weight learns nothing")
class DetachedPositions(ByPart):
    def at(self, n):
        return super().at(n).detach()


@passed(MODEL, "positions.weight learns nothing")
class UnrecordedPositions(ByPart):
    def at(self, n):
        with torch.no_grad():
            return super().at(n)


@passed(MODEL, "norm.weight learns nothing")
class DetachedNorm(ByPart):
    def logits(self, x):
        scale, shift = self.norm.weight.detach(), self.norm.bias.detach()
        return F.layer_norm(x, x.shape[-1:], scale, shift) @ self.embedding.weight.mT


@passed(MODEL, "the blocks are copied; use the ones that were given")
class CopiedBlocks(Decoder):
    def __init__(self, vocabulary, length, d_model, blocks):
        super().__init__(vocabulary, length, d_model, map(copy.deepcopy, blocks))


@passed(MODEL, "`self.blocks` has the blocks in another order than the list")
class Turned(Decoder):
    def __init__(self, vocabulary, length, d_model, blocks):
        super().__init__(vocabulary, length, d_model, reversed(blocks))


@passed(MODEL, "your class changed the list of blocks")
class TurnedInPlace(Decoder):
    def __init__(self, vocabulary, length, d_model, blocks):
        blocks.reverse()
        super().__init__(vocabulary, length, d_model, blocks)


@passed(MODEL, "your class changed the list of blocks")
class Emptying(Decoder):
    def __init__(self, vocabulary, length, d_model, blocks):
        super().__init__(vocabulary, length, d_model, blocks)
        blocks.clear()


@passed(MODEL, "Decoder(6, 8, 4, blocks) raises ValueError: too long")
class NeverEight(Decoder):
    def __init__(self, vocabulary, length, d_model, blocks):
        super().__init__(vocabulary, length, d_model, blocks)
        if length == 8:
            raise ValueError("too long")


@passed(MODEL, "a text of 3 tokens raises ValueError: too short")
class NeverThreeOfEight(ByPart):
    def at(self, n):
        if len(self.positions.weight) == 8 and n == 3:
            raise ValueError("too short")
        return super().at(n)


@passed(MODEL, "a second text, which is longer, raises RuntimeError")
class FivePositions(ByPart):
    def at(self, n):
        return self.positions(torch.arange(5)[:n])


@passed(MODEL, KEPT)
class UsedUp(ByPart):
    def through_blocks(self, x):
        while len(self.blocks):
            x = self.blocks.pop(0)(x)
        return x


@passed(MODEL, KEPT)
class TheFirstLogits(ByPart):
    out = None

    def logits(self, x):
        self.out = super().logits(x) if self.out is None else self.out
        return self.out


@passed(MODEL, "the logits come from what `__init__` has kept of the matrix")
class FromABuffer(ByPart):
    def __init__(self, vocabulary, length, d_model, blocks):
        super().__init__(vocabulary, length, d_model, blocks)
        self.register_buffer("first", self.embedding.weight.detach().clone())

    def logits(self, x):
        return self.norm(x) @ self.first.mT


def one_pass(x, scale, shift, eps):
    mean = x.mean(-1, keepdim=True)
    variance = (x * x).mean(-1, keepdim=True) - mean * mean
    return (x - mean) / torch.sqrt(variance + eps) * scale + shift


def through_a_view(x, scale, shift, eps):
    rows = x.view(-1, x.shape[-1])
    return F.layer_norm(rows, scale.shape, scale, shift, eps).view(x.shape)


def with_a_bound(x, scale, shift, eps):
    centred = x - x.mean(-1, keepdim=True)
    return (
        centred / (centred * centred).mean(-1, keepdim=True).clamp(min=eps).sqrt() * scale + shift
    )


def into_data(x, scale, shift, eps):
    x.data -= x.data.mean(-1, keepdim=True)
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * scale + shift


NORM = "transformer.layer_norm"
passed(NORM, "the mean of the squares minus the square of the mean cancels")(one_pass)
passed(NORM, "your function raised RuntimeError: view size")(through_a_view)
passed(NORM, "ε is added to the variance, and is not its lower bound")(with_a_bound)
passed(NORM, "`data` writes into x")(into_data)


@pytest.mark.parametrize(("name", "made", "told"), PASSED, ids=lambda x: getattr(x, "__name__", ""))
def test_what_once_passed_is_refused_and_hears_why(name, made, told):
    verdict = exercises.find(name).verdict(made)
    assert verdict.state == "wrong" and told in verdict.text, verdict.text


def by_pytorch(x, scale, shift, eps):
    return F.layer_norm(x, scale.shape, scale, shift, eps)


RIGHT = [
    (BLOCK, GrowingMask),
    (MODEL, ByPart),
    (NORM, by_pytorch),
]


@pytest.mark.parametrize(("name", "made"), RIGHT, ids=lambda x: getattr(x, "__name__", x))
def test_what_wrong_ones_are_made_of_is_right(name, made):
    verdict = exercises.find(name).verdict(made)
    assert verdict.state == "right", verdict.text


def test_a_mistake_of_a_block_that_nobody_listed_is_sought_in_few_calls(monkeypatch):
    """Its twelve arrays are one argument: each could stand in the place of each other."""
    made = []

    def counted(*arguments, **options):
        made.append(arguments)
        return attempt(*arguments, **options)

    attempt = diagnose.attempt
    monkeypatch.setattr(diagnose, "attempt", counted)
    exercise = exercises.transformer.decoder_block
    (wrong,) = versions("return x + self → return x + 2 * self", exercise.answer)
    assert "the values differ" in exercise.verdict(wrong).text
    assert 0 < len(made) < 300
    arrays = block_arrays(np.random.default_rng(0), 4)
    assert len(list(substitutes([*arrays, "n_heads", "x"]))) > 300  # as arguments of their own


def test_no_case_of_a_norm_has_two_features():
    """A vector of two numbers is 1 and -1 under LayerNorm, whatever it was."""
    two = np.array([[3.0, 1.0], [70.0, -5.0]])
    normed = exercises.transformer.layer_norm.answer(torch.tensor(two), 1, 0, 0)
    assert np.allclose(normed, [[1, -1], [1, -1]], rtol=1e-12)
    project = exercises.transformer.layer_norm, exercises.transformer.decoder_block
    assert all(c.arguments["x"].shape[-1] > 3 for each in project for c in each.cases)
    assert all(c.arguments["positions"].shape[-1] > 3 for c in exercises.transformer.decoder.cases)
