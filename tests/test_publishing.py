"""The workflow and the page that says how to publish run commands that exist, and pin the rest."""

import pkgutil
import re
import shlex

import pytest
import yaml

import attnbook
from tools.build import BUILT
from tools.reproducible import ROOT

WORKFLOW = (ROOT / ".github/workflows/book.yml").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
RENAMED = re.compile(r"^\| `([\w.]+)`.* \| `([\w.]+)`.* \|$", re.M)
PAGES = [ROOT / "PUBLISHING.md", ROOT / "CONTRIBUTING.md", ROOT / "README.md"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = re.search(r"^\.PHONY: (.*)", MAKEFILE, re.M)[1].split()
VARIABLES = [*re.findall(r"\$\((?:if \$\()?(\w+)\)", MAKEFILE), "PYTHON", "CHROMIUM"]
PINNED = re.compile(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+$")


def unknown(command):
    """What a command asks of make that the Makefile does not have."""
    program, *words = shlex.split(command)
    names = {word.partition("=")[0]: "=" in word for word in words}
    known = all(name in (VARIABLES if is_set else TARGETS) for name, is_set in names.items())
    return [] if program == "make" and known else [command]


def wrong_steps(workflow):
    """The commands that do not exist, the actions that are not pinned, what is not published."""
    jobs = yaml.safe_load(workflow)["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    found = [fault for step in steps if "run" in step for fault in unknown(step["run"])]
    used = [line.strip(" -") for line in workflow.splitlines() if "uses:" in line]
    found += [line for line in used if not PINNED.fullmatch(line)]
    published = [s["with"]["path"] for s in steps if "upload-pages" in s.get("uses", "")]
    return found + [p for p in published if ROOT / p != BUILT / "html"]


def test_the_workflow_runs_what_exists_and_pins_the_rest():
    jobs = yaml.safe_load(WORKFLOW)["jobs"]
    assert [step["run"] for step in jobs["prove"]["steps"] if "run" in step] == ["make test"]
    assert jobs["prove"]["env"]["ALL"] == "${{ github.event_name == 'push' && 1 || '' }}"
    assert set(jobs["publish"]["needs"]) == set(jobs) - {"publish"}
    assert wrong_steps(WORKFLOW) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("make test", "make tests"),
        ("make book SERVE=0", "make book SERVED=0"),
        ("make test", "pytest"),
        ("checkout@3d3c42e5aac5ba805825da76410c181273ba90b1", "checkout@v7"),
        ("path: _build/html", "path: _build"),
    ],
)
def test_a_wrong_step_is_found(right, wrong):
    assert right in WORKFLOW
    assert wrong_steps(WORKFLOW.replace(right, wrong)) != []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_names_commands_and_files_that_exist(page):
    text = page.read_text(encoding="utf-8")
    commands = re.findall(r"`(make [^`\n]+)`", text)
    assert [fault for command in commands for fault in unknown(command)] == []
    links = re.findall(r"\]\((?!http)([^)#]+)\)", re.sub("`[^`\n]*`", "code", text))
    assert links and [link for link in links if not (ROOT / link).exists()] == []


def said(name):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def versions(changelog):
    """The version as each place says it."""
    newest = re.search(r"^## ([\d.]+)", changelog, re.M)[1]
    site = said("_config.yml")["sphinx"]["config"]
    return [attnbook.__version__, said("CITATION.cff")["version"], site["version"], newest]


def test_the_version_is_the_same_wherever_it_is_said():
    assert len(set(versions(CHANGELOG))) == 1
    assert len(set(versions(CHANGELOG.replace("## ", "## 9.", 1)))) == 2


def is_there(name):
    try:
        return pkgutil.resolve_name(f"attnbook.{name}") is not None
    except (ImportError, AttributeError):
        return False


def test_the_changelog_leads_from_names_that_are_gone_to_names_that_are_there():
    renamed = RENAMED.findall(CHANGELOG)
    assert renamed
    assert [names for names in renamed if [is_there(name) for name in names] != [False, True]] == []
    assert is_there("masks.causal_mask") and not is_there("masks.no_mask")
