"""What the project's `write` does to a model, and with one: what is refused, and what isn't."""

import pytest
import torch

from attnbook import exercises
from attnbook.exercises.chapters.transformer.write import write


def writing(before=lambda model: None, after=lambda model, kept: None, read=lambda tokens: tokens):
    """The answer, with something done to the model, and a model that reads something else."""

    def write_so(model, tokens, steps, stop):
        kept = before(model)
        out = write(lambda tokens: model(read(tokens)), tokens, steps, stop)
        after(model, kept)
        return out

    return write_so


def grown(model):
    for parameter in model.parameters():
        parameter.data *= 1.0001


def with_gradients(model):
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)


def frozen(model):
    model.requires_grad_(False)


def hooked(model):
    model.register_forward_hook(lambda *_: None)


def without_0(model, tokens, steps, stop):
    return write(model, tokens, steps, stop or -1)


def by_the_first(model, tokens, steps, stop):
    done = False
    with torch.no_grad():
        for _ in range(steps):
            new = model(tokens)[:, -1].argmax(dim=1)
            new = torch.full_like(new, stop) if done else new
            done = done or new[0] == stop
            tokens = torch.cat([tokens, new[:, None]], dim=1)
    return tokens


def by_its_forward(model, tokens, steps, stop):
    return write(model.forward, tokens, steps, stop)


MODE = "changed the mode, which `train` and `eval` set, of the model"
OTHERWISE = "in another mode than the one it came in"
WRONG = [
    (writing(lambda model: model.eval()), MODE),
    (writing(lambda model: model.train()), MODE),
    (writing(lambda model: model.eval(), lambda model, _: model.train()), OTHERWISE),
    (
        writing(
            lambda model: (model.training, model.eval())[0], lambda model, was: model.train(was)
        ),
        OTHERWISE,
    ),
    (writing(grown), "changed the numbers of the model"),
    (writing(with_gradients), "changed the gradient of the model"),
    (writing(frozen), "changed the `requires_grad` of the model"),
    (writing(hooked), "changed the hooks of the model"),
    (without_0, "`stop` may be 0"),
    (by_the_first, "one text that is finished does not finish the others"),
    (writing(read=lambda tokens: tokens[:, -8:]), "the model reads the whole text"),
]


@pytest.mark.parametrize(("answer", "told"), WRONG)
def test_what_changes_the_model_or_reads_less_is_refused_and_hears_why(answer, told):
    verdict = exercises.transformer.write.verdict(answer)
    assert verdict.state == "wrong" and told in verdict.text, verdict.text


@pytest.mark.parametrize("answer", [writing(), by_its_forward])
def test_what_wrong_ones_are_made_of_is_right(answer):
    verdict = exercises.transformer.write.verdict(answer)
    assert verdict.state == "right", verdict.text
