"""A rank of a run: it joins, does its task, and leaves, whatever happens to the others."""

import datetime
import os
import select
import signal
import socket
import sys
import threading

import torch
import torch.distributed as dist

from attnbook.distributed.ring import RankLost, Ring

LOOK = 0.5  # seconds between two looks at whether the parent still lives
STARTER = "ATTNBOOK_STARTER"  # set: standard input is closed when what started the run ends


def run_rank(task, seconds=60.0):
    """Do `task(ring)` as one rank of a run that `torchrun` has begun, and leave it.

    NCCL between GPUs if there is one for each rank, else gloo between processors. No rank waits for
    another longer than `seconds`. A rank that ends early says why in one sentence, and a rank ends
    when its parent process does.
    """
    _leave_when_told()
    try:
        ring = _join(seconds)
        task(ring)
        dist.barrier()
        dist.destroy_process_group()
    except RankLost as error:
        _leave(str(error))
    except Exception as error:
        _leave(f"{_name()} stops: {type(error).__name__}: {error}")


def device():
    """Where this rank computes: its own GPU in a run over NCCL, else the processor."""
    nccl = dist.is_initialized() and dist.get_backend() == "nccl"
    return torch.device("cuda", torch.cuda.current_device()) if nccl else torch.device("cpu")


def _join(seconds):
    mine, others = int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"])
    nccl = dist.is_nccl_available() and torch.cuda.device_count() >= others
    if nccl:
        torch.cuda.set_device(mine)
    wait = datetime.timedelta(seconds=seconds)
    dist.init_process_group("nccl" if nccl else "gloo", timeout=wait)
    return Ring.of()


def _leave_when_told():
    """End this process at a signal, or with its parent, even while it waits inside a library.

    Python's own handlers run between two lines of Python, so never while a wait for another rank
    goes on. A thread of its own hears of the signal at once.
    """
    ours, handler = socket.socketpair()
    handler.setblocking(False)
    signal.set_wakeup_fd(handler.fileno())
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    told = threading.Thread(target=_wait_for_the_end, args=(ours, handler), daemon=True)
    told.start()


def _wait_for_the_end(ours, handler):
    parent, watched = os.getppid(), [ours, 0] if os.environ.get(STARTER) else [ours]
    while os.getppid() == parent:
        told = select.select(watched, [], [], LOOK)[0]
        if ours in told:
            _leave(f"{_name()} stops: it was told to")
        if told:
            break
    _leave(f"{_name()} stops: what started it has ended")


def _leave(sentence):
    """Say it and end at once: to take leave of ranks that are gone could take for ever."""
    try:
        sys.stdout.flush()
        os.write(2, f"{sentence}\n".encode())
    finally:
        os._exit(1)


def _name():
    return f"rank {os.environ.get('RANK', '?')}"
