"""`torchrun --nproc-per-node=4 -m attnbook.distributed agree 1 2 4`: what each rank does."""

import argparse

from attnbook.distributed import trials
from attnbook.distributed.session import run_rank


def main():
    """Read what is asked for, and do it as one rank of the run."""
    parser = argparse.ArgumentParser(prog="attnbook.distributed")
    parser.add_argument("--seconds", type=float, default=60.0, help="nobody waits longer")
    tasks = parser.add_subparsers(dest="task", required=True)
    agree = tasks.add_parser("agree", help="compare with one process, and count bytes")
    agree.add_argument("sizes", type=int, nargs="+", help="rings of so many ranks")
    tasks.add_parser("times", help="predict times from measured ceilings, and measure them")
    fault = tasks.add_parser("fault", help="let one rank end, or hang")
    fault.add_argument("kind", choices=("end", "hang"))
    fault.add_argument("rank", type=int)
    given = vars(parser.parse_args())
    task, seconds = given.pop("task"), given.pop("seconds")
    run_rank(lambda ring: getattr(trials, task)(ring, **given), seconds)


if __name__ == "__main__":
    main()
