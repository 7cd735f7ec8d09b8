"""The tests of the site find a browser that runs, or say what to install."""

import pytest

from tools import browser


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine without any browser; calling it adds one that exits with the given status."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(browser, "MAC", ())
    monkeypatch.setattr(browser, "playwrights_own", lambda: iter([tmp_path / "none"]))

    def add(name, status):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\nexit {status}\n")
        path.chmod(0o755)
        return str(path)

    return add


def test_a_browser_that_does_not_run_is_passed_over(machine):
    machine("chromium", 1)
    chrome = machine("google-chrome", 0)
    assert browser.find() == chrome


def test_the_one_that_is_named_is_taken_or_none(machine, monkeypatch):
    machine("chromium", 0)
    monkeypatch.setenv("CHROMIUM", machine("mine", 0))
    assert browser.find().endswith("mine")
    monkeypatch.setenv("CHROMIUM", machine("mine", 1))
    with pytest.raises(SystemExit, match=r"CHROMIUM names .*/mine, which is no browser that runs"):
        browser.find_or_install()


def test_one_is_installed_where_there_is_none(machine, monkeypatch):
    monkeypatch.setattr(browser, "install", lambda: machine("chromium", 0))
    assert browser.find_or_install().endswith("chromium")


def test_where_none_can_be_installed_the_reader_is_told_what_to_install(machine, monkeypatch):
    monkeypatch.setattr(browser, "install", lambda: None)
    with pytest.raises(SystemExit, match="apt-get install chromium"):
        browser.find_or_install()
