"""Texts for recall: what is asked stands in the list once, and where induction looks."""

import pytest
import torch

from attnbook.models import RECALL_LETTERS, after_same, recall, recall_texts


def drawn(n_pairs=8, n_queries=5, seed=0, made=recall_texts):
    return made(40, n_pairs, n_queries, torch.Generator().manual_seed(seed))


def is_recall(texts, n_pairs):
    """Text by text: the list has no key and no value twice, and each query repeats one pair."""
    for text in texts.tolist():
        pairs = list(zip(text[::2], text[1::2], strict=True))
        listed = dict(pairs[:n_pairs])
        assert len(listed) == len(set(listed.values())) == n_pairs
        assert all(0 <= key < 26 <= value < 52 for key, value in pairs)
        assert all(listed[key] == value for key, value in pairs[n_pairs:])


@pytest.mark.parametrize(("n_pairs", "n_queries"), [(1, 1), (8, 5), (26, 30)])
def test_what_is_asked_stands_in_the_list_once(n_pairs, n_queries):
    texts = drawn(n_pairs, n_queries)
    assert texts.shape == (40, 2 * (n_pairs + n_queries)) and texts.dtype == torch.int64
    is_recall(texts, n_pairs)


def test_a_list_in_which_a_key_may_stand_twice_is_rejected():
    def wrong(n_texts, n_pairs, n_queries, generator):
        texts = recall_texts(n_texts, n_pairs, n_queries, generator)
        texts[:, 2] = texts[:, 0]
        return texts

    with pytest.raises(AssertionError):
        is_recall(drawn(made=wrong), 8)


def test_a_seed_gives_the_same_texts_and_another_seed_others():
    assert drawn().equal(drawn()) and not drawn().equal(drawn(seed=1))


def test_every_pair_of_the_list_is_asked_for():
    texts = drawn(3, 30)
    keys = texts[:, :6:2]
    assert all((texts[:, 6::2] == keys[:, [n]]).any(dim=1).all() for n in range(3))


def test_each_token_has_a_letter():
    assert len(set(RECALL_LETTERS)) == 52 == 2 * recall.N_KEYS
    assert RECALL_LETTERS[:26].islower() and RECALL_LETTERS[26:].isupper()


def in_loops(text):
    n = len(text)
    return [[0 < j <= i and text[j - 1] == text[i] for j in range(n)] for i in range(n)]


def agrees_with_loops(function):
    texts = torch.randint(3, (6, 7), generator=torch.Generator().manual_seed(1))
    assert function(texts).tolist() == [in_loops(text) for text in texts.tolist()]


def test_induction_looks_behind_an_earlier_copy():
    agrees_with_loops(after_same)
    seen = after_same(torch.tensor([[5, 7, 5]]))[0]
    assert seen.int().tolist() == [[0, 0, 0], [0, 0, 0], [0, 1, 0]]


WRONG = {
    "at the copy itself": lambda x: (x[:, :, None] == x[:, None]).tril(),
    "in front of it": lambda x: (x[:, :, None] == x[:, None].roll(-1, dims=2)).tril(),
    "in the future, too": lambda x: x[:, :, None] == x[:, None].roll(1, dims=2),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_another_place_is_rejected(wrong):
    with pytest.raises(AssertionError):
        agrees_with_loops(wrong)


def test_what_does_not_fit_is_refused_by_name():
    with pytest.raises(ValueError, match="n_pairs is 27; expected at most 26, one for each key"):
        recall_texts(1, 27, 1)
    with pytest.raises(ValueError, match="n_queries is 0; expected 1 or more"):
        recall_texts(1, 1, 0)
    with pytest.raises(TypeError, match="tokens"):
        after_same(torch.tensor([1, 2]))
