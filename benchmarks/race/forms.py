"""The forms that race: ours, and every other that this machine has.

A form takes a case and its tensors and returns a function without arguments, which computes the
output from q, k and v. What it cannot do it refuses, with the reason.
"""

import contextlib
import functools
import importlib.util
import warnings

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as sdpa

from benchmarks.race.cases import BACKWARD, DECODE, FORWARD, LENGTHS, visible
from benchmarks.race.tutorial import Refused, tutorial

OURS, AS_CALLED, FLASH, CUDNN, EFFICIENT, MATH, FLEX, TUNED, TUTORIAL, SPECIALISED, PACKAGE = (
    "ours",
    "SDPA, as called",
    "SDPA FLASH",
    "SDPA CUDNN",
    "SDPA EFFICIENT",
    "SDPA MATH",
    "FlexAttention, compiled",
    "FlexAttention, tuned",
    "Triton's tutorial, float16",
    "the same, specialised",
    "flash-attn",
)
HALF = TUTORIAL, SPECIALISED  # they take float16 alone
JUDGES = FLASH, CUDNN, EFFICIENT, FLEX
FLEX_LENGTHS = 2**12, 2**13, 2**14, 2**16  # to compile it takes some ten seconds for each shape
MATH_SHARE = 1 / 16  # of the GPU's memory, for the scores of MATH in float32


compiled = functools.partial(torch.compile, dynamic=False)


def ours(case, x, machine):
    from attnbook import kernels

    if case.way == DECODE:
        return lambda q, k, v: kernels.decode_attention(q, k, v, valid_lens=x.valid_lens)
    options = {"causal": case.causal, "window": case.window, "softcap": case.softcap}
    return lambda q, k, v: kernels.flash_attention(q, k, v, valid_lens=x.valid_lens, **options)


def second_choice(case, x, machine):
    """Ours in the configuration that is not in use, where there is one."""
    from attnbook.kernels import launch

    given = _options(case, x)
    choices = launch.choices(x.q, x.k, x.v, given)
    if len(choices) < 2:
        raise Refused("there is one configuration for this")
    return lambda q, k, v: launch.forward(q, k, v, given, choices[1])[0]


def way_back(case, x, machine, atomic):
    """Ours on the way back: by the kernel that adds in memory, or by two that give the same bits
    each time. One of these is what ours takes."""
    from attnbook.kernels import launch

    given = _options(case, x)

    def attend(q, k, v):
        return launch.forward(q, k, v, given)[0]

    def backward(grad_out, q, k, v):
        seen = launch.forward(q, k, v, given)
        return lambda: launch.backward(grad_out, q, k, v, *seen, given, atomic=atomic)

    attend.way_back = backward
    return attend


def _options(case, x):
    from attnbook.kernels import arguments
    from attnbook.pytorch.options import Options

    asked = {"causal": case.causal, "window": case.window, "softcap": case.softcap}
    return arguments.options(x.q, x.k, Options(**asked, valid_lens=x.valid_lens))


def larger_tiles(case, x, machine):
    """Ours, decoding with tiles twice as large."""
    from attnbook.kernels import launch
    from attnbook.kernels.arguments import KernelOptions
    from attnbook.kernels.decode_configurations import TILE

    options = KernelOptions(case.width**-0.5, valid_lens=x.valid_lens)
    return lambda q, k, v: launch.decode(q, k, v, options, tile=2 * TILE)[0]


def backend(name, case, x, machine):
    """SDPA by one of its programs; by the one that it takes itself, if none is named.

    That was FLASH, which is FlashAttention-2, and on a Hopper it is CUDNN where PyTorch brings
    cuDNN 9.15.1 or newer, as PyTorch 2.11 does (huggingface/transformers #48163).
    """
    if case.softcap is not None:
        raise Refused("PyTorch's own attention has no soft cap")
    scores = 4 * case.batch * case.heads * case.n_q * case.n_k
    if name == "MATH" and scores > MATH_SHARE * machine.memory():
        raise Refused(f"its scores alone are {scores / 2**30:.0f} GiB")
    alone = case.causal and case.window is None and x.valid_lens is None
    options = {"is_causal": True} if alone else {}
    if not alone:
        options["attn_mask"] = visible(case, x.valid_lens, x.q.device)
    if case.heads != case.kv_heads:
        options["enable_gqa"] = True

    def call(q, k, v):
        with sdpa_kernel(getattr(SDPBackend, name)) if name else contextlib.nullcontext():
            return sdpa(q, k, v, **options)

    return call


def tuned(case, x, machine):
    """FlexAttention in the fastest of many configurations, each of which is compiled and timed."""
    if (case.way, case.n_k, case.width) != (FORWARD, LENGTHS[-1], 128) or (
        case.name not in ("plain", "causal")
    ):
        raise Refused("it is tuned for two cases only, which come last: each takes a minute")
    return flex(case, x, machine, mode="max-autotune-no-cudagraphs")


def flex(case, x, machine, **how):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    if case.n_k not in FLEX_LENGTHS and case.window is None:
        raise Refused("it is compiled for some lengths only: each takes long")
    options = {"enable_gqa": case.heads != case.kv_heads}
    if looks := _looks(case, x.valid_lens):
        batch = None if x.valid_lens is None else case.batch
        options["block_mask"] = create_block_mask(
            looks, batch, None, case.n_q, case.n_k, device=x.q.device
        )
    if case.softcap is not None:
        options["score_mod"] = lambda s, b, h, i, j: case.softcap * torch.tanh(s / case.softcap)
    return functools.partial(compiled(flex_attention, **how), **options)


def _looks(case, lens):
    """A mask as FlexAttention takes it, a function of positions; None if every key is seen."""
    ahead = case.n_k - case.n_q
    tests = []
    if case.causal:
        tests.append(lambda b, i, j: j <= i + ahead)
    if case.window is not None:
        tests.append(lambda b, i, j: j >= i + ahead - case.window)
    if lens is not None:
        tests.append(lambda b, i, j: j < lens[b])
    if not tests:
        return None
    return lambda b, h, i, j: functools.reduce(torch.logical_and, [t(b, i, j) for t in tests])


def package(case, x, machine):
    if importlib.util.find_spec("flash_attn") is None:
        raise Refused("the package flash-attn is not installed")
    import flash_attn

    if x.valid_lens is not None and case.way != DECODE:
        raise Refused("it takes valid lengths only where sequences are packed")
    if case.way == DECODE:
        lens = case.n_k if x.valid_lens is None else x.valid_lens
        attend, options = flash_attn.flash_attn_with_kvcache, {"cache_seqlens": lens}
    else:
        left = -1 if case.window is None else case.window
        attend = flash_attn.flash_attn_func
        options = {
            "causal": case.causal,
            "window_size": (left, 0 if case.causal else -1),
            "softcap": case.softcap or 0.0,
        }
    return lambda *qkv: attend(*(t.transpose(1, 2) for t in qkv), **options).transpose(1, 2)


def forms(folder, way=FORWARD):
    """Every form for one way, by name; those that are not committed are looked for in a folder."""
    more = {
        FORWARD: {f"{OURS}, second choice": second_choice},
        BACKWARD: {
            f"{OURS}, adding in memory": functools.partial(way_back, atomic=True),
            f"{OURS}, deterministic": functools.partial(way_back, atomic=False),
        },
        DECODE: {f"{OURS}, larger tiles": larger_tiles},
    }
    return {
        OURS: ours,
        **more[way],
        AS_CALLED: functools.partial(backend, None),
        FLASH: functools.partial(backend, "FLASH_ATTENTION"),
        CUDNN: functools.partial(backend, "CUDNN_ATTENTION"),
        EFFICIENT: functools.partial(backend, "EFFICIENT_ATTENTION"),
        MATH: functools.partial(backend, "MATH"),
        FLEX: flex,
        TUNED: tuned,
        TUTORIAL: functools.partial(tutorial, folder=folder),
        SPECIALISED: functools.partial(tutorial, folder=folder, specialised=True),
        PACKAGE: package,
    }


def ready(name, form, case, x, machine):
    """What a form computes in a case: a function without arguments, called once already.

    On the way back it has gone forward, and computes the gradients of q, k and v. Returns the
    function and its first result. Raises Refused with the reason if anything goes wrong.
    """
    qkv = x.q, x.k, x.v
    grad_out = x.grad_out
    if name in HALF:
        qkv, grad_out = [t.half() for t in qkv], grad_out.half()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            call = _call(form(case, x, machine), case, qkv, grad_out)
            machine.poison(4 * case.kept_bytes)
            result = call()
        except Exception as failed:  # whatever a peer does, the race goes on
            raise Refused(reason(failed, warned)) from failed
    return call, result


def _call(attend, case, qkv, grad_out):
    if case.way != BACKWARD:
        return lambda: attend(*qkv)
    if way_back := getattr(attend, "way_back", None):
        return way_back(grad_out, *qkv)
    leaves = [t.detach().requires_grad_() for t in qkv]
    out = attend(*leaves)
    return lambda: torch.autograd.grad(out, leaves, grad_out, retain_graph=True)


def reason(failed, warned=()):
    """One line: what was raised, and what was warned of before; PyTorch warns of why it refuses."""
    first = str(failed).strip().splitlines()[:1]
    kind = "" if isinstance(failed, Refused) else f"{type(failed).__name__}: "
    told = [str(w.message).splitlines()[0] for w in warned if issubclass(w.category, UserWarning)]
    words = " | ".join(dict.fromkeys([kind + (first[0] if first else ""), *told]))
    return words if len(words) <= 400 else words[:399] + "…"
