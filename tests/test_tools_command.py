"""An interrupt ends a command and all that it started, in one sentence."""

import os
import signal
import subprocess
import sys

import pytest

from tools import prove

WORK = """
import signal
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whatever started the tests may ignore it
from tools.command import ending, started
with ending("Stopped."), started(["sh", "-c", "sleep 98 & sleep 99"]) as process:
    print(process.pid, flush=True)
    process.wait()
"""

IMPORT = """
import sys
class Interrupt:
    def find_spec(name, path=None, target=None):
        if name in ("http.server", "tools.command"):
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt)
"""


def living(group):
    """The processes of a group, without those that only wait to be forgotten."""
    listed = subprocess.check_output(["ps", "-eo", "pgid=,stat="], text=True).splitlines()
    return [
        state for number, state in map(str.split, listed) if number == group and state[0] != "Z"
    ]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_whatever_ends_the_work_ends_its_processes_and_says_so(name):
    work = subprocess.Popen(
        [sys.executable, "-c", WORK], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    group = work.stdout.readline().strip()
    assert living(group)
    work.send_signal(getattr(signal, name))
    assert work.communicate(timeout=60)[0] == "\nStopped.\n"
    assert work.returncode == 1
    assert not living(group)


def test_a_work_that_was_told_to_outlive_its_terminal_does():
    told = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    lives = "from tools.command import ending\nimport os, signal\nwith ending('no'):\n"
    lives += "    os.kill(os.getpid(), signal.SIGHUP)\nprint('still here')"
    assert subprocess.check_output([sys.executable, "-c", told + lives]) == b"still here\n"


def test_an_interrupt_ends_a_work_that_a_shell_began_in_the_background():
    told = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    ends = "from tools.command import ending\nimport os\nwith ending('Stopped.'):\n"
    ends += "    os.kill(os.getpid(), signal.SIGINT)\nprint('still here')"
    done = subprocess.run([sys.executable, "-c", told + ends], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "\nStopped.\n")


def test_the_steps_of_the_proof_can_be_interrupted(monkeypatch):
    asked = []
    monkeypatch.setattr(prove, "started", lambda command, **options: asked.append(command))
    with pytest.raises(TypeError):  # None is no process
        prove.step("a step", ["true"], None)
    assert asked == [["true"]]


@pytest.mark.parametrize("tool", ["build", "check", "prove", "rerun", "serve"])
def test_an_interrupt_while_a_tool_is_imported_ends_it_in_one_sentence(tool, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(IMPORT)
    done = subprocess.run(
        [sys.executable, "-m", "tools", tool],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.stderr == "\nStopped before the work began.\n"
    assert done.returncode


QUIET = "from tools import quiet_start; quiet_start(); "
UNCHANGED = """
import sys
hook = sys.excepthook
import tools.build, tools.check, tools.results
print(sys.excepthook is hook, "rfc3987_syntax" in sys.modules)
"""


@pytest.mark.parametrize(("first", "said"), [("", "True False"), (QUIET, "False True")])
def test_who_only_imports_a_tool_is_not_changed_by_it(first, said):
    done = subprocess.run(
        [sys.executable, "-c", UNCHANGED.replace("import tools", f"{first}import tools", 1)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{said}\n"
