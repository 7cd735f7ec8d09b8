"""Where a race's record comes from: what is read, what is refused, how it is traced to a commit."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import torch
from made_up_gpu import RATES, WHERE

from attnbook import measure
from attnbook.measure import provenance
from attnbook.measure.record import RACE_COMMAND
from benchmarks.race import cases, record

ROOT = Path(__file__).parents[1]
MODULES = "code/attnbook", "benchmarks"


@pytest.fixture
def kept(tmp_path):
    """A whole record, as a dict that a test may spoil, and how it is read then."""
    case = cases.cases()[0]
    found = {"command": RACE_COMMAND, "environment": dict(WHERE), "settings": {"seed": 0}}
    found |= {"ceilings": [RATES], "cases": [case.described()], "rows": [{"case": case.id}]}

    def read():
        (tmp_path / "made-up.json").write_text(json.dumps(found))
        (tmp_path / "lengths.json").write_text(json.dumps({"command": "something else"}))
        return measure.gpu_results(folder=tmp_path)

    return found, read


def test_a_whole_record_is_read(kept):
    found, read = kept
    assert read() == [found]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda r: r.pop("environment"), "lacks environment"),
        (lambda r: r.update(ceilings=[]), "lacks ceilings"),
        (lambda r: r.update(rows=[]), "lacks rows"),
        (lambda r: r["environment"].update(gpu="none"), "does not say its gpu"),
        (lambda r: r["environment"].pop("driver"), "does not say its driver"),
        (lambda r: r["environment"].pop("source"), "does not say its source"),
        (lambda r: r["environment"].update(commit="abc+"), r"has the commit abc\+"),
        (lambda r: r["environment"].pop("commit"), "has the commit none"),
        (lambda r: r["rows"].append({"case": "else"}), "rows of no case: else"),
    ],
)
def test_a_race_from_nowhere_is_refused(kept, spoil, said):
    found, read = kept
    spoil(found)
    with pytest.raises(ValueError, match=said):
        read()


def ls_tree(commit):
    done = subprocess.run(
        ["git", "-C", str(ROOT), "ls-tree", "-r", commit, *MODULES],
        capture_output=True,
        text=True,
        check=True,
    )
    parts = [line.split(None, 3) for line in done.stdout.splitlines()]
    return {name: digest for _, _, digest, name in parts if name.endswith(".py")}


def changed():
    done = subprocess.run(
        ["git", "-C", str(ROOT), "status", "--porcelain", *MODULES], capture_output=True, text=True
    )
    return done.returncode or ".py" in done.stdout


def test_the_source_is_what_git_lists_for_the_commit():
    if changed():
        pytest.skip("this machine has no unchanged commit of the package")
    assert record.source() == record.source(ls_tree("HEAD"))


def test_the_source_depends_on_every_byte_and_name():
    listing = {"a.py": record.blob(b"1\n"), "b.py": record.blob(b"2\n")}
    assert record.blob(b"1\n") == "d00491fd7e5bb6fa28c517a0bb32b8b506539d4d"  # git hash-object
    others = [listing | {"a.py": record.blob(b"1")}, {"a.py": listing["a.py"]}, {}]
    others += [{"a.py": listing["b.py"], "b.py": listing["a.py"]}]
    assert len({record.source(x) for x in (listing, *others)}) == 5


def whole_history():
    """Whether git is here with all commits, and not with the last few alone."""
    asked = ["git", "-C", str(ROOT), "rev-parse", "--is-shallow-repository"]
    return subprocess.run(asked, capture_output=True, text=True).stdout.strip() == "false"


@pytest.mark.skipif(not whole_history(), reason="this machine has no whole history of the files")
def test_every_record_that_is_kept_is_of_the_commit_that_it_names():
    for found in measure.gpu_results():
        where = found["environment"]
        assert where["source"] == record.source(ls_tree(where["commit"]))


def test_the_rows_of_a_case_are_found_by_its_fields():
    (race,) = measure.gpu_results()
    rows = measure.race_rows(race, way="forward", name="causal", width=128, n_k=4096)
    assert {"ours", "SDPA, as called", "SDPA FLASH"} <= rows.keys()
    assert all(row["case"].startswith("forward, causal, width 128, 4096") for row in rows.values())
    for fields, said in (
        ({"way": "sideways"}, "0 cases of the race have {'way': 'sideways'}"),
        ({"way": "forward"}, "cases of the race have {'way': 'forward'}; expected one"),
        (
            {"way": "backward", "name": "causal", "width": 64, "n_k": 8192},
            "the race on NVIDIA H200 did not come to backward, causal, width 64, 8192 keys",
        ),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            measure.race_rows(race, **fields)


def test_files_are_named_after_the_gpu():
    file = record.default_file("NVIDIA H100 80GB HBM3")
    assert (file.parent.name, file.name) == ("results", "nvidia-h100-80gb-hbm3.json")


class Properties:
    uuid, multi_processor_count, total_memory = "1234", 132, 80 * 2**30


@pytest.mark.parametrize(
    ("there", "known"), [(True, '"$4" = GPU-1234'), (True, "$# = 2"), (False, "1")]
)
def test_the_environment_asks_the_driver_of_a_gpu(tmp_path, monkeypatch, there, known):
    """By its number, or of the only one, where the driver knows no numbers."""
    said = tmp_path / "nvidia-smi"
    said.write_text(
        '#!/bin/sh\n[ "$4" = GPU-1234 ] && echo "580.1, 1980 MHz, 2619 MHz, 700.00 W"\n'
    )
    said.chmod(0o755 if there else 0o644)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin" if there else str(tmp_path))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Made Up")
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda: Properties)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    found = provenance.environment()
    asked = {key: found[key] for key in provenance.ASKED}
    told = ["580.1", "1980 MHz", "2619 MHz", "700.00 W"]
    assert asked == dict(zip(asked, told if there else ["none"] * 4, strict=True))
    assert (found["gpu"], found["cuda"], found["multiprocessors"]) == ("Made Up", "13.0", "132")
    assert found["gpu memory"] == "80.0 GiB" and found["triton"] != "none"


def test_a_copy_says_the_commit_it_is_told_whatever_git_lies_around_it(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNBOOK_COMMIT", "abc1234")
    assert measure.environment()["commit"] == "abc1234"
    monkeypatch.delenv("ATTNBOOK_COMMIT")
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "provenance.py"))
    assert measure.environment()["commit"] == "none"
