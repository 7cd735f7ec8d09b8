"""What the kernels are given on a Hopper GPU, from what was measured on one; none is here."""

import pytest

torch = pytest.importorskip("torch", reason="this machine has no PyTorch")
pytest.importorskip("triton", reason="this machine has no Triton")

from attnbook.kernels import launch  # noqa: E402
from attnbook.kernels.arguments import KernelOptions  # noqa: E402

N, WIDTH = 256, 64


@pytest.fixture
def given(monkeypatch):
    """Go the way back on a GPU that is not here; what its kernels are given, by name."""

    def given(grad_out, q, k, v, hopper=True, **options):
        seen = {}
        monkeypatch.setattr(launch, "capability", lambda x: (9 if hopper else 8, 0))
        monkeypatch.setattr(launch, "is_interpreting", lambda: False)
        monkeypatch.setattr(
            launch, "start", lambda kernel, *_, **more: seen.update({kernel.fn.__name__: more})
        )
        lse = torch.zeros(q.shape[:3])
        launch.backward(grad_out, q, k, v, q, lse, KernelOptions(0.125, **options))
        return seen["flash_backward_keys"]

    return given


def drawn(dtype=torch.bfloat16):
    return [torch.randn(2, 4, N, WIDTH).to(dtype) for _ in range(4)]


def apart(x):
    """The same numbers, of which a head's rows lie as far apart as all heads' are long."""
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def odd(x):
    """The same numbers, in rows of which none begins at a multiple of 16 bytes."""
    return torch.nn.functional.pad(x, (1, 2))[..., 1:-2]


@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("moved", [apart, odd])
def test_rows_that_lie_apart_are_copied_on_the_way_back(given, which, moved):
    tensors = drawn()
    tensors[which] = moved(tensors[which])
    found = given(*tensors)
    assert found["TMA"]
    for x, name in zip(tensors, ("grad_out", "q", "k", "v"), strict=True):
        assert torch.equal(found[name], x)
        assert (found[name] is x) == (x is not tensors[which])
        assert launch._describable(found[name]) and found[name].is_contiguous()


def test_elsewhere_they_are_read_where_they_lie(given):
    tensors = [odd(x) for x in drawn()]
    found = given(*tensors, hopper=False)
    assert not found["TMA"] and found["q"] is tensors[1]


@pytest.mark.parametrize("hopper", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_gradients_beside_a_bias_are_refused_where_they_are_not_known_to_be_right(
    given, hopper, dtype
):
    bias = torch.zeros(2, 4, N, N)
    if hopper and dtype != torch.float32:
        with pytest.raises(NotImplementedError, match="expected float32, or attnbook"):
            given(*drawn(dtype), hopper, bias=bias)
    else:
        assert given(*drawn(dtype), hopper, bias=bias)["bias"] is bias


@pytest.mark.parametrize(("width", "right"), [(16, True), (64, True), (128, False), (256, False)])
def test_what_adds_in_memory_is_taken_where_it_was_faster(monkeypatch, width, right):
    monkeypatch.setattr(launch, "capability", lambda x: (9, 0))
    assert launch.takes_atomic(torch.zeros(1, 1, 8, width, dtype=torch.bfloat16)) == right
    assert not launch.takes_atomic(torch.zeros(1, 1, 8, width))
