"""What the project on modules refuses beside wrong numbers, and that its steps fit together."""

import copy
import io

import pytest
import torch
from torch import nn

from attnbook import exercises
from attnbook.exercises.chapters.modules._trained import one_step
from attnbook.exercises.chapters.modules.gated import Gated
from attnbook.exercises.chapters.modules.through_a_file import through_a_file
from attnbook.exercises.chapters.modules.train_on import train_on


class Listed(Gated):
    """Three layers of the solution in a list, where no module looks for them."""

    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads)
        listed = [self.w_q, self.w_k, self.w_v]
        del self.w_q, self.w_k, self.w_v
        self.layers = listed


class Biased(Gated):
    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads)
        self.w_g = nn.Linear(d_model, n_heads)


class Turned(Gated):
    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads)
        self.w_g = nn.Linear(n_heads, d_model, bias=False)


class Halved(Gated):
    def forward(self, x):
        return super().forward(x) / 2


class Remembering(Gated):
    """The texts so far are read, too."""

    def forward(self, x):
        whole = x if not hasattr(self, "past") else torch.cat([self.past, x], dim=1)
        self.past = whole
        return super().forward(whole)[:, -x.shape[1] :]


class Memoising(Gated):
    def forward(self, x):
        if not hasattr(self, "kept"):
            self.kept = super().forward(x)
        return self.kept


class Doubling(Gated):
    def forward(self, x):
        return super().forward(x.double())


class Empty(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()


def left_in_training(module, optimiser, batches):
    losses = train_on(module, optimiser, batches)
    module.train()
    return losses


def by_its_own_mode_alone(module, optimiser, batches):
    module.training = True
    losses = [one_step(module, optimiser, *each) for each in batches]
    module.eval()
    return losses


def by_the_modules_within(module, optimiser, batches):
    for each in module.children():
        each.train()
    losses = [one_step(module, optimiser, *each) for each in batches]
    module.eval()
    return losses


def without_modes(module, optimiser, batches):
    return [one_step(module, optimiser, *each) for each in batches]


def twice_in_evaluation(module, optimiser, batches):
    module.eval()
    return [one_step(lambda x: 2 * module(x), optimiser, *each) for each in batches]


def left_inside(module, optimiser, batches):
    losses = train_on(module, optimiser, batches)
    module.train().training = False
    return losses


def one_loss(module, optimiser, batches):
    return train_on(module, optimiser, batches)[-1]


def with_records(module, optimiser, batches):
    return list(map(torch.tensor, train_on(module, optimiser, batches)))


def emptying(module, optimiser, batches):
    return [train_on(module, optimiser, [batches.pop(0)])[0] for _ in range(len(batches))]


def with_an_adam(module, optimiser, batches):
    adam = torch.optim.Adam(module.parameters(), lr=optimiser.param_groups[0]["lr"])
    return train_on(module, adam, batches)


def without_the_file(module, optimiser, file, make):
    return through_a_file(module, optimiser, io.BytesIO(), make)


def never_read(module, optimiser, file, make):
    torch.save(module.state_dict(), file)
    return through_a_file(module, optimiser, io.BytesIO(), make)


def without_make(module, optimiser, file, make):
    through_a_file(module, optimiser, file, make)
    return copy.deepcopy((module, optimiser))


def saved_twice(module, optimiser, file, make):
    for each in (module, optimiser):
        torch.save(each.state_dict(), file)
    file.seek(0)
    new, new_optimiser = make()
    new.load_state_dict(torch.load(file))
    new_optimiser.load_state_dict(torch.load(file))
    return new, new_optimiser


def saved_whole(module, optimiser, file, make):
    torch.save((module, optimiser), file)
    file.seek(0)
    return torch.load(file)


def assigned(module, optimiser, file, make):
    new, new_optimiser = through_a_file(module, optimiser, file, make)
    new.load_state_dict(new.state_dict(), assign=True)
    return new, new_optimiser


def into_an_adam(module, optimiser, file, make):
    def made():
        new = make()[0]
        return new, torch.optim.Adam(new.parameters())

    return through_a_file(module, optimiser, file, made)


def with_the_old_means(module, optimiser, file, make):
    new, new_optimiser = through_a_file(module, optimiser, file, make)
    new_optimiser.load_state_dict(optimiser.state_dict())
    return new, new_optimiser


REFUSED = {
    "gated": {
        Listed: "the state of your module has w_o.weight, w_g.weight; expected w_q.weight",
        Biased: "w_g.bias; expected",
        Turned: "w_g.weight has the shape",
        Remembering: "it keeps something from call to call",
        Memoising: "it keeps something from call to call",
        Doubling: "not in float32: RuntimeError",
        Empty: "the state of your module has nothing",
        lambda d_model, n_heads: None: "a NoneType was made; expected a module",
    },
    "train_on": {
        left_in_training: "left in training mode",
        left_inside: "or one within it, was left in training mode",
        by_its_own_mode_alone: "or one within it, was called in evaluation mode",
        by_the_modules_within: "was called in evaluation mode",
        without_modes: "was called in evaluation mode",
        twice_in_evaluation: "was called in evaluation mode",
        one_loss: "expected a list of 1 losses",
        with_records: "expected a Python number",
        emptying: "changed the list of batches",
        with_an_adam: "the optimiser is handed in",
        lambda *given: train_on(*given) and None: "is a `return` missing?",
    },
    "through_a_file": {
        without_the_file: "nothing was written into the file",
        never_read: "never read",
        without_make: "does not come from make()",
        with_the_old_means: "share memory with the old",
        saved_twice: "both states in one dictionary",
        saved_whole: "save the state_dict() of each",
        assigned: "load without assign=True",
        into_an_adam: "need not be Adam",
        lambda *given: through_a_file(*given)[::-1]: "the new module and then its new optimiser",
        lambda *given: through_a_file(*given) and None: "is a `return` missing?",
    },
}


@pytest.mark.parametrize(
    "name, answer, told",
    [(name, *each) for name, answers in REFUSED.items() for each in answers.items()],
)
def test_what_is_no_module_no_loop_or_no_file_is_refused(name, answer, told):
    verdict = exercises.find(f"modules.{name}").verdict(answer)
    assert verdict.state == "wrong" and told in verdict.text


class Dropping(Gated):
    def forward(self, x):
        return super().forward(nn.functional.dropout(x, 0.5))


def test_a_module_that_draws_numbers_hears_so():
    assert "is something random?" in exercises.modules.gated.verdict(Dropping).text


def test_a_gradient_is_shown_only_where_what_it_belongs_to_is_right():
    split_joint, gated = exercises.modules.split_joint, exercises.modules.gated
    right = split_joint.answer
    told = split_joint.verdict(lambda x, n_heads: right(x, n_heads).abs().clamp(max=3)).text
    assert "Not yet: result: the values differ" in told and "gradient" not in told
    assert "first     at [0, 0, 1, 0]: expected 6, got 3" in told and "\n\n" not in told
    told = split_joint.verdict(
        lambda x, n_heads: 2 * right(x, n_heads) - right(x.detach(), n_heads)
    ).text
    assert "Not yet: gradient: the values differ" in told and "right: result" in told
    assert "result [" not in told
    told = gated.verdict(lambda *sizes: Halved(*sizes)).text
    assert "Not yet: out: the values differ" in told and "grad" not in told


def test_a_module_is_written_trained_saved_and_goes_on():
    def make():
        module = Gated(d_model=4, n_heads=2)
        return module, torch.optim.Adam(module.parameters(), lr=0.05)

    torch.manual_seed(0)
    x = torch.randn(20, 8, 3, 4)
    batches = [(each, each.flip(-2)) for each in x]
    straight, (module, optimiser) = make(), make()
    straight[0].load_state_dict(module.state_dict())
    losses = train_on(*straight, batches)
    first = train_on(module, optimiser, batches[:12])
    new = through_a_file(module, optimiser, io.BytesIO(), make)
    assert first + train_on(*new, batches[12:]) == losses
    assert losses[-1] < losses[0] and not new[0].training
