"""What ran: in a call, and in the program that `torch.compile` makes of a function."""

import torch

from attnbook.profiler import profiled

FUSED = "scaled_dot_product"


def ran(call):
    """The fused backends of SDPA that a call ran, by PyTorch's names; [] for none.

    Takes a function without arguments. A name that only chooses another is left out.
    """
    with profiled() as profiler:
        call()
    names = {event.key.removeprefix("aten::") for event in profiler.key_averages()}
    return sorted(name for name in names if name.startswith(f"_{FUSED}"))


def graph(function, *inputs):
    """The operations in the graph that `torch.compile` makes of a function, before it writes code.

    By then its search for forms of attention is done: a form that it recognises is one operation,
    whose name has "scaled_dot_product" in it. Returns a list of names; views are left out.
    """
    from torch._inductor.compile_fx import compile_fx

    graphs = []

    def look(module, example_inputs, **options):
        graphs.append(module.graph)
        return _boxed(module.forward)

    torch.compiler.reset()
    anew = torch._functorch.config.patch(enable_autograd_cache=False)  # no program kept on disk
    with torch.no_grad(), anew:
        torch.compile(function, backend=lambda m, x: compile_fx(m, x, inner_compile=look))(*inputs)
    nodes = [node for each in graphs for node in each.nodes if node.op == "call_function"]
    named = [getattr(node.target, "_opname", "") for node in nodes]
    views = {"", "view", "expand", "permute", "transpose", "unsqueeze", "squeeze", "clone"}
    return [name for name in named if name not in views]


def recognised(function, *inputs):
    """Whether `torch.compile` finds attention in a function, and puts SDPA in its place."""
    return any(FUSED in name for name in graph(function, *inputs))


def _boxed(function):
    """Compiled functions take their arguments in one list, which they may empty."""

    def call(arguments):
        return function(*arguments)

    call._boxed_call = True
    return call
