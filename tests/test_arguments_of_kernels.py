"""What kernels are given, before any is launched: looked at, and brought to one form."""

import types

import pytest
import torch

from attnbook.kernels import arguments, decode_attention, launch
from attnbook.kernels.arguments import KernelOptions
from attnbook.kernels.configurations import Configuration
from attnbook.kernels.decode_configurations import (
    TILE,
    most_rows,
    num_sms,
    split_configuration,
    splits_for,
)
from attnbook.pytorch.options import Options

Q, K = torch.zeros(2, 3, 4, 5, 16), torch.zeros(2, 3, 2, 7, 16)  # batches of 2 and 3


def options(q=Q, k=K, **named):
    return arguments.options(q, k, Options(**named))


def test_what_nobody_asks_for_is_none_and_the_scale_is_of_the_width():
    assert options() == KernelOptions(scale=0.25)
    found = options(causal=True, window=3, softcap=2, scale=7)
    assert found == KernelOptions(7.0, causal=True, window=3, softcap=2.0)
    assert type(found.softcap) is type(found.scale) is float
    assert options(scale=0).scale == 0 and options(torch.zeros(1, 1, 64)).scale == 0.125


@pytest.mark.parametrize(("window", "kept"), [(0, 0), (1, 1), (7, 7), (8, 7), (10**12, 7)])
def test_a_window_is_no_larger_than_the_keys(window, kept):
    assert options(causal=True, window=window).window == kept


@pytest.mark.parametrize(
    "shape", [(5, 7), (1, 7), (5, 1), (4, 1, 7), (3, 1, 5, 7), (2, 1, 4, 5, 1), (1,) * 5, ()]
)
def test_a_bias_is_there_for_every_score(shape):
    bias = torch.randn(shape)
    found = options(bias=bias).bias
    assert found.shape == (6, 4, 5, 7)
    assert torch.equal(found.reshape(2, 3, 4, 5, 7), bias.expand(2, 3, 4, 5, 7))


@pytest.mark.parametrize(
    "shape", [(4, 7), (5, 6), (2, 5, 7), (2, 4, 5, 7), (1, 2, 3, 4, 5, 7), (0, 7)]
)
def test_a_bias_that_fits_no_score_is_refused(shape):
    with pytest.raises(ValueError, match=r"bias is float32 tensor .*; expected \(2, 3, 4, 5, 7\)"):
        options(bias=torch.zeros(shape))


def test_lengths_are_those_of_each_batch_in_all_its_axes():
    found = options(valid_lens=torch.tensor([0, 7])).valid_lens
    assert found.tolist() == [0, 0, 0, 7, 7, 7] and found.dtype == torch.int32
    assert options(Q[0], K[0], valid_lens=torch.tensor([1, 2, 3])).valid_lens.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("q", "lens", "said"),
    [
        (Q, [1], "valid_lens has 1 lengths; expected 2, the batches of q"),
        (Q, [1, 2, 3], "valid_lens has 3 lengths; expected 2, the batches of q"),
        (Q[0, 0], [1] * 4, "valid_lens has 4 lengths; expected none: q has no axis of batches"),
        (Q, [1, 8], "valid_lens has 8; expected 0 to n_k = 7"),
        (Q, [-1, 2], "valid_lens has -1; expected 0 to n_k = 7"),
    ],
)
def test_lengths_of_something_else_are_refused(q, lens, said):
    with pytest.raises(ValueError) as refused:
        options(q, valid_lens=torch.tensor(lens))
    assert str(refused.value) == said


def test_lengths_are_looked_at_without_a_mask():
    """One of so many keys would be larger than any memory."""
    many = K[..., :1, :].expand(2, 3, 2, 2**44, 16)
    assert options(k=many, valid_lens=torch.tensor([0, 7])).valid_lens.tolist() == [0] * 3 + [7] * 3


@pytest.mark.parametrize("softcap", [0, 0.0, -1.0, float("nan"), float("inf")])
def test_a_cap_that_is_not_above_0_is_refused(softcap):
    with pytest.raises(ValueError, match=r"softcap is .*; expected a finite number above 0"):
        options(softcap=softcap)
    assert options(softcap=1e-9).softcap == 1e-9


def test_what_fits_is_not_refused():
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        for width in (16, 32, 64, 128, 256):
            for heads in (1, 2, 4):
                q = torch.zeros(1, 4, 5, width, dtype=dtype)
                arguments.refuse(q=q, k=q[:, :heads], v=q[:, :heads])


@pytest.mark.parametrize(
    ("changed", "kind", "said"),
    [
        ({"q": Q.double()}, TypeError, "q is float64 .*; expected float16, bfloat16 or float32$"),
        ({"k": K.half()}, TypeError, "k is float16 tensor .*; expected float32, as q has"),
        ({"v": K.bfloat16()}, TypeError, "v is bfloat16 tensor .*; expected float32, as q has"),
        ({"k": K.to("meta")}, ValueError, "k is on meta; expected cpu, where q is"),
        ({"q": Q[..., :0], "k": K[..., :0]}, ValueError, "q has 0 features; expected 1 to 256"),
        ({"k": torch.zeros(2, 3, 3, 7, 16)}, ValueError, "k has 3 heads; expected a divisor of"),
        ({"k": torch.zeros(2, 3, 8, 7, 16)}, ValueError, "k has 8 heads; expected a divisor of"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_its_name(changed, kind, said):
    with pytest.raises(kind, match=said):
        arguments.refuse(**{"q": Q, "k": K, "v": K} | changed)


def test_no_heads_of_keys_are_no_division_by_zero():
    arguments.refuse(q=Q[:, :, :0], k=K[:, :, :0], v=K[:, :, :0])
    with pytest.raises(ValueError, match="k has 0 heads; expected a divisor of the 4 heads of q"):
        arguments.refuse(q=Q, k=K[:, :, :0], v=K[:, :, :0])
    with pytest.raises(ValueError, match="k has 2 heads; expected a divisor of the 0 heads of q"):
        arguments.refuse(q=Q[:, :, :0], k=K[:, :, :2], v=K[:, :, :2])


@pytest.mark.parametrize("name", ["bias", "valid_lens"])
def test_what_lies_elsewhere_is_refused(name):
    there = {"bias": torch.zeros(5, 7), "valid_lens": torch.tensor([7, 7])}[name].to("meta")
    with pytest.raises(ValueError, match=f"{name} is on meta; expected cpu, where q is"):
        options(**{name: there})


def test_under_autocast_all_have_its_dtype():
    given = torch.zeros(1), torch.zeros(1, dtype=torch.float64)
    assert arguments.in_autocast(*given) is not None
    assert all(x is y for x, y in zip(arguments.in_autocast(*given), given, strict=True))
    with torch.autocast("cpu", torch.bfloat16):
        assert {x.dtype for x in arguments.in_autocast(*given)} == {torch.bfloat16}
        meta = torch.zeros(1, device="meta")
        assert arguments.in_autocast(meta)[0] is meta


def test_one_axis_of_batches():
    assert arguments.one_batch(Q).shape == (6, 4, 5, 16)
    assert arguments.one_batch(Q[0, 0]).shape == (1, 4, 5, 16)
    assert arguments.one_batch(x := Q[0]) is x


@pytest.mark.parametrize(
    ("width", "itemsize", "tile", "keys"),
    [
        (16, 2, 2**13, 128),  # 256 would fit
        (64, 2, 2**13, 64),
        (128, 2, 2**13, 32),
        (256, 2, 2**13, 16),
        (256, 4, 2**13, 16),  # no fewer, though only 8 would fit
        (128, 4, 2**13, 16),
        (128, 2, 2**14, 64),
    ],
)
def test_a_tile_of_keys_has_so_many_bytes(width, itemsize, tile, keys):
    assert split_configuration(width, itemsize, tile) == Configuration(16, keys, warps=4, stages=3)
    if tile == TILE:
        assert split_configuration(width, itemsize).keys == keys


def test_rows_of_float32_are_fewer():
    assert [most_rows(itemsize) for itemsize in (2, 4)] == [32, 16]


def by_hand(tiles, most, places):
    """The first number of splits whose share of busy places is within a twentieth of the best."""
    shares = []
    for splits in range(1, most + 1):
        waves = -(-tiles * splits // places)
        shares.append(tiles * splits / (waves * places))
    return next(n for n, share in enumerate(shares, 1) if share >= 0.95 * max(shares))


@pytest.mark.parametrize(
    ("q", "k", "itemsize", "processors", "tiles", "most"),
    [
        ((1, 32, 1, 128), (1, 8, 2**16, 128), 2, 132, 8, 256),  # no more than 256
        ((2, 32, 9, 128), (2, 8, 1000, 128), 2, 10, 16 * 2, 32),  # 36 rows, 2 tiles; 31.25 of keys
        ((2, 32, 9, 128), (2, 8, 1000, 128), 4, 10, 16 * 3, 63),  # of 16 rows, and 16 keys
        ((1, 3, 1, 16), (1, 1, 129, 16), 2, 1, 1, 2),
        ((3, 7, 1, 64), (3, 7, 64 * 50, 64), 2, 3, 21, 50),
        ((5, 4, 1, 32), (5, 4, 128 * 7, 32), 2, 9, 20, 7),
    ],
)
def test_the_number_of_splits_by_hand(q, k, itemsize, processors, tiles, most):
    found = splits_for(q, k, itemsize, processors)
    assert found == by_hand(tiles, most, processors * 4)


def test_nothing_at_all_is_one_split():
    assert splits_for((0, 4, 1, 16), (0, 2, 9, 16), 2, 132) == 1
    assert splits_for((1, 4, 1, 16), (1, 2, 0, 16), 2, 132) == 1
    assert splits_for((1, 1, 1, 64), (1, 1, 8192, 64), 2, 132, tile=2**14) == 61  # of 64
    assert splits_for((1, 1, 1, 64), (1, 1, 8192, 64), 2, 132) == 122  # of 128


def test_processors_are_those_of_the_gpu_and_one_without(monkeypatch):
    asked = []
    monkeypatch.setattr(
        torch.cuda,
        "get_device_properties",
        lambda d: asked.append(d) or types.SimpleNamespace(multi_processor_count=108),
    )
    device = torch.device("cuda:1")
    assert num_sms(device) == 108 and asked == [device]
    assert num_sms(torch.device("cpu")) == 1


def test_as_many_splits_as_are_asked_for_or_as_the_gpu_asks(monkeypatch):
    asked, parts = [], launch._parts
    monkeypatch.setattr(
        launch, "_parts", lambda *given: asked.append((given[-2], given[-1].keys)) or parts(*given)
    )
    q, k = torch.randn(1, 2, 1, 64), torch.randn(1, 1, 100, 64)
    for splits, n in (
        (3, 3),
        (1, 1),
        (None, splits_for(q.shape, k.shape, 4, 1)),
    ):
        decode_attention(q, k, k, splits=splits)
        assert asked[-1] == (n, split_configuration(64, 4).keys)
    launch.decode(q, k, k, KernelOptions(0.1), 2, 2 * TILE)
    assert (
        asked[-1]
        == (
            2,
            split_configuration(64, 4, 2 * TILE).keys,
        )
        != asked[-2]
    )
