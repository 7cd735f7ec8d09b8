"""What has fitted is remembered: for which kinds of call, how many of them, and in which thread."""

import threading

import numpy as np
import pytest
import torch
from libraries import BOTH, ones

from attnbook import arguments, masks, pytorch, reference
from attnbook.operation import call_state


@pytest.fixture
def looks(monkeypatch):
    """The names of the functions whose arguments are looked at, in order."""
    seen, look = [], arguments.look

    def noted(function, *rest):
        seen.append(function.__qualname__)
        return look(function, *rest)

    monkeypatch.setattr(arguments, "look", noted)
    return seen


@BOTH
def test_arguments_are_looked_at_once_for_each_kind_of_call(library, looks):
    x, mask = ones(library, 2, 11, 3), ones(library, 11, 11, dtype=bool)
    for _ in range(2):
        library.scaled_dot_product_attention(x, x, x, mask)
    assert looks == ["scaled_dot_product_attention"]
    library.scaled_dot_product_attention(x[:1], x[:1], x[:1])
    assert looks == 2 * ["scaled_dot_product_attention"]


def test_a_module_looks_at_its_arguments_once_and_knows_other_widths(looks):
    x, lens = torch.ones(2, 13, 8), torch.tensor([13, 1])
    pytorch.MultiHeadAttention(8, 2)(x, x, x, lens)
    assert looks == ["MultiHeadAttention.forward"]
    with pytest.raises(TypeError, match="q is float32 tensor of shape"):
        pytorch.MultiHeadAttention(4, 2)(x, x, x, lens)


def test_after_a_refusal_arguments_are_looked_at_again(looks):
    for _ in range(2):
        with pytest.raises(ValueError, match="width is 0"):
            reference.gaussian_scores(np.ones((3, 4)), np.ones((3, 4)), width=0)
        with pytest.raises(TypeError):
            reference.softmax("scores")
    assert looks.count("softmax") == 2


@BOTH
def test_another_number_of_heads_is_another_kind_of_call(library):
    x, w = ones(library, 2, 3, 8), ones(library, 8, 8)
    mask = ones(library, 2, 2, 3, 3, dtype=bool)
    library.multi_head_attention(x, x, x, w, w, w, w, 2, mask)
    with pytest.raises(TypeError, match="mask is bool"):
        library.multi_head_attention(x, x, x, w, w, w, w, 4, mask)


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [((2, 3, 4), {}, "too many positional arguments"), ((2, 3), {"n_k": 3}, "multiple values")],
)
def test_an_argument_too_many_is_refused_though_the_others_have_fitted(args, named, message):
    masks.causal_mask(2, 3)
    with pytest.raises(TypeError, match=message):
        masks.causal_mask(*args, **named)


def test_no_more_kinds_are_remembered_than_allowed(monkeypatch):
    looked, look = [], arguments.look
    monkeypatch.setattr(arguments, "look", lambda f, *rest: looked.append(f) or look(f, *rest))
    monkeypatch.setattr(arguments, "MOST_KINDS", 2)
    check = arguments.checker(reference.softmax.__wrapped__)
    for n in (1, 2, 3, 3, 1):  # the third kind takes the place of both before it
        check(np.ones(n))
    assert len(looked) == 4


def test_what_one_thread_is_inside_of_is_nothing_to_another():
    errors = []

    def wrong():
        try:
            reference.softmax("scores")
        except TypeError as error:
            errors.append(str(error))

    with call_state.inside(print, cast=True):
        thread = threading.Thread(target=wrong)
        thread.start()
        thread.join()
    assert errors and errors[0].startswith("softmax: scores is str 'scores'; expected")


def test_inside_is_left_as_it_was_entered():
    with call_state.inside(print, cast=False):
        with call_state.inside(print, cast=True):
            pass
        assert (call_state.checked, call_state.cast) == (True, False)
    assert (call_state.checked, call_state.cast) == (False, False)
