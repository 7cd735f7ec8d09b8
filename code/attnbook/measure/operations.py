"""Where the time of a call goes."""

from attnbook.profiler import profiled


def operations(call, n=10):
    """The share of the processor's time that each of PyTorch's operations takes, largest first.

    Returns a dict of fractions by the operation's name, over n calls. Time outside of operations,
    such as that of Python between them, is no part of the whole.
    """
    with profiled() as profiler:
        for _ in range(n):
            call()
    times = {event.key: event.self_cpu_time_total for event in profiler.key_averages()}
    whole = sum(times.values())
    ranked = sorted(times.items(), key=lambda item: -item[1])
    return {name.removeprefix("aten::"): time / whole for name, time in ranked}
