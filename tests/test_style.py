"""Rules that hold for every file of the repository."""

import ast
import re

import pytest

from tools.reproducible import ROOT

BUILT = {"_build", ".venv", "build", "__pycache__"}
MACHINE = re.compile(r"(?<![\w.])/(home|Users|root|work)/\w")
VAGUE = {"utils", "util", "helpers", "common", "misc"}
SUBJECT = re.compile(r"[\w`].*[.:?](\n|$)")  # its first line
PIN = re.compile(r"^([\w.-]+)==([\w.]+)", re.M)


def files(*endings):
    """Every file of ours with one of these endings, nothing that was built or is hidden."""
    found = [path for ending in endings for path in ROOT.glob(f"**/*{ending}")]
    places = [(path, path.relative_to(ROOT).parts) for path in found]
    return [
        path
        for path, parts in places
        if not BUILT & set(parts) and not any(part.startswith(".") for part in parts)
    ]


def too_large(source, is_exercise=False):
    """What in a Python source is more than a reader keeps in mind at once.

    A function is read as a whole, so its lines are counted. A file is read by its subject, and ends
    where that ends: its docstring says it in one sentence, and with lines in mind files were cut
    where no idea ends. The number of lines is an alarm, which no file is near. The docstring of an
    exercise is its data.
    """
    tree = ast.parse(source)
    if source.count("\n") > 500:
        yield "the file has more than 500 lines: has it one subject?"
    if tree.body and not is_exercise and not SUBJECT.match(ast.get_docstring(tree) or ""):
        yield "the file does not begin with a sentence that says its subject"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= 40:
            yield f"{node.name} has more than 40 lines"


def named(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", files(".py"), ids=named)
def test_a_file_has_a_subject_and_functions_are_short(path):
    assert list(too_large(path.read_text(encoding="utf-8"), "chapters" in path.parts)) == []


def test_long_functions_and_files_without_a_subject_are_found():
    subject, body = '"""What f is."""\n', "def f():\n" + "    x = 1\n" * 40
    assert list(too_large("")) == list(too_large(subject + "x = 1\n" * 499)) == []
    assert list(too_large(subject + body)) == ["f has more than 40 lines"]
    (alarm,) = too_large(subject + "x = 1\n" * 500)
    assert alarm.startswith("the file has more than 500 lines")
    for wrong in ("x = 1\n", '"""What f is\n\nand no end."""\n', '"""."""\n'):
        (said,) = too_large(wrong)
        assert said.startswith("the file does not begin with a sentence")
        assert list(too_large(wrong, is_exercise=True)) == []


@pytest.mark.parametrize(
    "path", files(".py", ".ipynb", ".md", ".txt", ".toml", ".yml", ".cff"), ids=named
)
def test_no_file_names_a_place_on_one_machine(path):
    assert not MACHINE.search(path.read_text(encoding="utf-8")) or path.name.startswith("test_")


def test_a_place_on_one_machine_is_found():
    assert MACHINE.search("see /home/me/book")
    assert not MACHINE.search("https://example.org/work/1")


def test_no_file_is_named_after_nothing():
    assert [path for path in files(".py") if path.stem in VAGUE] == []


def test_the_folder_code_does_not_hide_pythons_own_module_code():
    assert not (ROOT / "code/__init__.py").exists()
    assert not (ROOT / "code/conftest.py").exists()


@pytest.mark.parametrize("name", sorted(path.name for path in ROOT.glob("requirements*.txt")))
def test_every_requirement_is_pinned_as_in_the_constraints(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if not line.startswith(("#", "-"))]
    pins = dict(PIN.findall("\n".join(wanted)))
    assert len(pins) == len(wanted) > 0
    constraints = dict(PIN.findall((ROOT / "constraints.txt").read_text(encoding="utf-8").lower()))
    canonical = {re.sub(r"[-_.]+", "-", known): version for known, version in constraints.items()}
    assert {name: canonical.get(re.sub(r"[-_.]+", "-", name.lower())) for name in pins} == pins
