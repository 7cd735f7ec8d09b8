"""The files that run Python in a page: had by their hashes, or done without, or refused."""

import hashlib
import zipfile

import pytest

from tools import runtime

FILES = {"engine.wasm": b"an engine", "library-1-py3-none-any.whl": b"a library"}
DIGESTS = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(runtime, "FOLDER", tmp_path / "runtime")
    monkeypatch.setattr(runtime, "hashes", lambda: DIGESTS)
    return runtime.FOLDER


def carrier(folder, files):
    """A wheel that carries these files, as the one on PyPI does."""
    path = folder / "open_webui-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in files.items():
            wheel.writestr(runtime.INSIDE + name, content)
        wheel.writestr("open_webui-1.dist-info/METADATA", "Name: open-webui\nVersion: 1\n")
        wheel.writestr("open_webui-1.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        wheel.writestr("open_webui-1.dist-info/RECORD", "")
    return path


def offer(path, digest, monkeypatch):
    """Let pip find this wheel and nothing else, under a digest that is pinned."""
    wheels = path.with_suffix(".txt")
    wheels.write_text(f"open-webui==1 --hash=sha256:{digest}\n", encoding="utf-8")
    monkeypatch.setattr(runtime, "WHEELS", wheels)
    settings = {"NO_INDEX": "1", "FIND_LINKS": str(path.parent), "CONFIG_FILE": "/dev/null"}
    for name, value in settings.items():
        monkeypatch.setenv(f"PIP_{name}", value)


def test_what_is_pinned_is_taken_once(folder, tmp_path, monkeypatch, capfd):
    path = carrier(tmp_path, FILES)
    offer(path, hashlib.sha256(path.read_bytes()).hexdigest(), monkeypatch)
    runtime.have()
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == FILES
    assert "once" in capfd.readouterr().out
    runtime.have()
    assert capfd.readouterr().out == ""
    (folder / "engine.wasm").write_bytes(b"another")  # a file that somebody changed
    runtime.have()
    assert (folder / "engine.wasm").read_bytes() == FILES["engine.wasm"]


def test_a_wheel_with_another_hash_ends_the_build(folder, tmp_path, monkeypatch):
    offer(carrier(tmp_path, FILES), "0" * 64, monkeypatch)
    with pytest.raises(SystemExit, match=r"A wheel is not the one that tools/runtime\.txt names"):
        runtime.have()
    assert not folder.exists()


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_another_hash_ends_the_build(name, folder, tmp_path):
    carrier(tmp_path, FILES | {name: b"something else"})
    with pytest.raises(SystemExit, match=rf"{name} is not the file that tools/runtime\.json names"):
        runtime.take(tmp_path)
    assert not folder.exists()


def test_without_the_files_the_book_is_built_and_says_so(folder, tmp_path, monkeypatch, capfd):
    path = carrier(tmp_path, FILES)
    offer(path, hashlib.sha256(path.read_bytes()).hexdigest(), monkeypatch)
    path.unlink()
    runtime.have()
    assert capfd.readouterr().out.count(runtime.WITHOUT) == 1
    assert not folder.exists()


def test_all_that_the_pages_load_is_pinned():
    packages = runtime.PINNED["lock"]["packages"]
    assert {need for package in packages.values() for need in package["depends"]} <= set(packages)
    assert all(len(digest) == 64 for digest in runtime.hashes().values())
