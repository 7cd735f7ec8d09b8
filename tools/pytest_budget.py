"""A minute for `make check`: once it is over, the tests that are left are skipped, and said to be.

As a pytest plugin: `-p tools.pytest_budget`. Its clock is the processor's: however busy the machine
is, the same tests are run.
"""

import os

import pytest

SECONDS = 45  # of each process, its start included; what is under way then fills the minute


def used():
    """Seconds of the processor that this process and those it ended have taken."""
    return sum(os.times()[:4])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if used() > SECONDS:
        pytest.skip("its turn did not come within a minute; `make test` runs it")
