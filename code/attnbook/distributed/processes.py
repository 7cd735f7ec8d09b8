"""Start ranks on this machine, and leave none behind."""

import os
import signal
import socket
import subprocess
import sys

from attnbook.distributed.session import STARTER

HERE = "127.0.0.1"  # a number: this machine may have no name


def command(n_ranks, *program):
    """The command that runs a program as `n_ranks` processes: torchrun, on this machine alone.

    The program is a script, or "-m" and a module, and its arguments. A free port is found when it
    starts.
    """
    torchrun = sys.executable, "-m", "torch.distributed.run"
    meeting = "--rdzv-backend=c10d", f"--rdzv-endpoint={HERE}:0", f"--local-addr={HERE}"
    return [*torchrun, *meeting, f"--nproc-per-node={n_ranks}", *program]


def launch(n_ranks, *program, seconds=120.0):
    """Run a program as `n_ranks` processes, and return what they print.

    Raises RuntimeError if one fails, with what the ranks said and which of them ended without a
    word, and TimeoutError if they take longer than `seconds`. However this ends, by Ctrl-C too, all
    of them end.
    """
    here = {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": _loopback(), STARTER: "1"}
    closed_when_we_end, ours = os.pipe()
    run = subprocess.Popen(
        command(n_ranks, *map(str, program)),
        env=os.environ | here,
        stdin=closed_when_we_end,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        out, err = run.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"the run of {n_ranks} ranks took longer than {seconds:g} s") from None
    finally:
        _end(run)
        os.close(ours)
        os.close(closed_when_we_end)
    if run.returncode:
        said = [line for line in err.splitlines() if line.startswith("rank ")]
        said = [*said, *_silent(n_ranks, said)] if said else [err]
        raise RuntimeError(f"the run of {n_ranks} ranks has failed\n" + "\n".join(said))
    return out


def _silent(n_ranks, said):
    """A line for each rank that is lost: the others say why they stop, whoever it was for."""
    stopped = {line.split()[1] for line in said if " stops: " in line}
    lost = [rank for rank in range(n_ranks) if str(rank) not in stopped]
    return [f"rank {rank} ended, and did not say why" for rank in lost]


def _end(run):
    """Ask it to end, which ends its ranks; then insist: a rank ends with what started it."""
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if run.poll() is None:
            run.send_signal(number)
            try:
                run.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                continue


def _loopback():
    """The name of the interface by which this machine talks to itself."""
    return next(name for _, name in socket.if_nameindex() if name.startswith("lo"))
