"""`.venv` is made by one command, which says in one sentence why it could not and recovers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tools import environment
from tools.reproducible import ROOT


@pytest.fixture
def project(tmp_path):
    for path in [ROOT / "pyproject.toml", ROOT / "Makefile", *ROOT.glob("*.txt")]:
        shutil.copy(path, tmp_path)
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    return tmp_path


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def make(project, *arguments, **variables):
    return subprocess.run(
        ["make", *arguments],
        cwd=project,
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )


def start(project, **variables):
    """What `make book` does first."""
    command = [sys.executable, "-m", "tools.environment", "requirements-book.txt"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    environ = kept | {"PIP_CONFIG_FILE": os.devnull, "PYTHON": ""} | variables
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, cwd=project, env=environ, **pipes)


def install(project, **variables):
    """Its last line, and its exit status."""
    process = start(project, **variables)
    said = process.communicate()[0]
    return said.strip().rpartition("\n")[2], process.returncode


def test_a_python_that_is_too_old_is_refused_by_name(project):
    old = script(project / "old/python3.8", "echo Python 3.8; exit 1")
    done = make(project, "book", f"PYTHON={old}")
    assert f"needs Python 3.11 or newer, but {old} is Python 3.8" in done.stderr
    assert done.returncode


def test_a_python_that_is_missing_is_refused_by_name(project):
    done = make(project, "test", PYTHON="no-such-python")
    assert "but no-such-python is not there" in done.stderr
    assert done.returncode


def test_a_newer_python_on_the_path_is_used_where_python3_is_too_old(project):
    old = script(project / "bin/python3", "exit 1")
    script(project / "bin/python3.12", f'exec "{sys.executable}" "$@"')
    command = ["/bin/sh", project / "tools/python", "-c", "print('new enough')"]
    environ = {"PATH": str(old.parent)}
    assert subprocess.check_output(command, env=environ, text=True) == "new enough\n"


@pytest.mark.everywhere
def test_a_broken_environment_and_a_missing_network_are_both_recovered_from(project):
    script(project / ".venv/bin/python", "exit 1")
    (project / ".venv/made").write_text(f"{project}\n{environment.VERSION}\n")
    offline = {"PIP_INDEX_URL": "https://127.0.0.1:9/", "PIP_RETRIES": "1"}
    assert install(project, **offline) == (
        "The packages could not be downloaded: check the network, then run it again.",
        1,
    )
    (project / "requirements-book.txt").write_text("")
    assert install(project, **offline)[1] == 0
    assert install(project, **offline) == ("", 0), "the second run has nothing to do or say"


@pytest.mark.everywhere
def test_the_second_of_two_makes_at_once_waits_and_has_nothing_left_to_do(project):
    (project / "requirements-book.txt").write_text("")
    first, second = start(project), start(project)
    said = sorted([first.communicate()[0], second.communicate()[0]], key=len)
    assert (first.returncode, second.returncode) == (0, 0), said
    assert said[0] == "Waiting for another make that works in this folder\n"


@pytest.mark.parametrize(
    ("errors", "sentence"),
    [
        ("OSError: [Errno 28] No space left on device", "The disk is full"),
        ("WARNING: Retrying (Retry(total=4))\nNo matching distribution", "could not be downloaded"),
        ("ReadTimeoutError: Read timed out.", "could not be downloaded"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES", "could not be downloaded"),
        ("ERROR: No matching distribution found for torch==2.13.0", "No torch==2.13.0 fits Python"),
        ("something else", "the reason is above"),
    ],
)
def test_each_cause_has_its_own_sentence(errors, sentence):
    assert sentence in environment.why(errors)


@pytest.mark.parametrize(("asked", "usable"), [("", True), ("python3.12", False)])
def test_another_version_will_do_unless_one_is_asked_for(monkeypatch, tmp_path, asked, usable):
    for name in ("made", "unfinished"):
        monkeypatch.setattr(environment, name.upper(), tmp_path / name)
    monkeypatch.setattr(environment, "VENV", tmp_path)
    monkeypatch.setenv("PYTHON", asked)
    script(tmp_path / "bin/python", "exit 0")
    (tmp_path / "made").write_text(f"{environment.ROOT}\n3.0.0\n")
    assert environment.is_usable() == usable


@pytest.mark.parametrize(("free", "full"), [(40e6, True), (60e6, False)])
def test_a_disk_with_less_room_than_a_package_takes_is_full(monkeypatch, free, full):
    monkeypatch.setattr(environment.shutil, "disk_usage", lambda path: SimpleNamespace(free=free))
    assert environment.disk_is_full("something else") == full


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [("ensurepip", r"apt install python3\.\d+-venv"), ("_ssl", "was built without SSL")],
)
def test_a_python_that_lacks_a_part_is_refused_by_that_part(
    monkeypatch, tmp_path, missing, sentence
):
    monkeypatch.setattr(environment, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: name != missing)
    with pytest.raises(SystemExit, match=sentence):
        environment.make()


def test_an_environment_that_somebody_made_by_hand_is_left_alone(project):
    script(project / ".venv/bin/python", "exit 0")
    said, status = install(project)
    assert "a .venv that was not made by this book's make" in said
    assert status
    assert (project / ".venv/bin/python").exists()


@pytest.mark.parametrize("make", [Path.touch, lambda path: path.symlink_to("nowhere")])
def test_a_file_or_a_link_in_its_place_is_left_alone(project, make):
    make(project / ".venv")
    said, status = install(project)
    assert said.startswith("There is a .venv that was not made by this book's make")
    assert status
    assert os.path.lexists(project / ".venv") and not (project / ".venv").is_dir()


def test_the_environment_of_another_folder_is_not_emptied_through_a_link(project, tmp_path_factory):
    theirs = tmp_path_factory.mktemp("theirs")
    (theirs / "made").write_text("elsewhere", encoding="utf-8")
    (project / ".venv").symlink_to(theirs)
    said, status = install(project)
    assert said.startswith("There is a .venv that was not made by this book's make")
    assert status and (theirs / "made").exists()


@pytest.mark.everywhere
def test_one_that_was_left_half_made_or_empty_is_made_afresh(project):
    (project / "requirements-book.txt").write_text("")
    (project / ".venv").mkdir()
    assert install(project)[1] == 0
    (project / ".venv/made").unlink()
    (project / ".venv/unfinished").touch()
    assert install(project)[1] == 0
    assert (project / ".venv/made").exists()


def test_make_help_names_every_command(project):
    done = make(project, "help")
    for command in ("book", "test", "lab", "notebooks", "check"):
        assert f"make {command} " in done.stdout


def test_make_says_where_to_run_it(project, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    done = make(elsewhere, "-f", project / "Makefile", "book")
    assert "run make in the folder of the book" in done.stderr
    assert done.returncode


def test_an_interrupt_while_the_old_one_is_removed_leaves_it_known_as_ours(tmp_path, monkeypatch):
    def stop(path):
        raise KeyboardInterrupt

    for name in ("VENV", "MADE", "UNFINISHED"):
        place = tmp_path / getattr(environment, name).relative_to(environment.ROOT)
        monkeypatch.setattr(environment, name, place)
    (tmp_path / ".venv/lib").mkdir(parents=True)
    (tmp_path / ".venv/lib64").symlink_to("lib")
    environment.MADE.touch()
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(environment.shutil, "rmtree", stop)
        environment.clear()
    environment.refuse()
    environment.clear()
    assert [*environment.VENV.iterdir()] == [environment.UNFINISHED]


def test_an_interrupted_installation_makes_the_environment_unusable(tmp_path, monkeypatch):
    for name in ("MADE", "UNFINISHED"):
        monkeypatch.setattr(environment, name, tmp_path / name)
    monkeypatch.setattr(environment, "VENV", Path(sys.prefix))
    monkeypatch.delenv("PYTHON", raising=False)
    environment.MADE.write_text(f"{environment.ROOT}\n{environment.VERSION}\n")
    assert environment.is_usable()
    environment.UNFINISHED.touch()
    assert not environment.is_usable()


def test_an_environment_from_another_folder_is_unusable(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "MADE", tmp_path / "made")
    environment.MADE.write_text(f"/elsewhere\n{environment.VERSION}\n")
    assert not environment.is_usable()


@pytest.mark.parametrize(("errors", "whole"), [("Retrying", True), ("something else", False)])
def test_what_downloads_nothing_leaves_the_environment_whole(tmp_path, monkeypatch, errors, whole):
    monkeypatch.setattr(environment, "UNFINISHED", tmp_path / "unfinished")
    monkeypatch.setattr(environment, "run", lambda command: (1, errors))
    with pytest.raises(SystemExit):
        environment.install("requirements-book.txt")
    assert environment.UNFINISHED.exists() != whole
