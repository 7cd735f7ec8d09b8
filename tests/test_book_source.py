"""The lines that the API's signatures link to, found as on a published page: without PyTorch."""

import subprocess
import sys

from small_book import ROOT
from source_lines import begun

PLACES = """
import sys
from importlib import import_module
from sphinx.ext.autodoc.mock import undecorate

sys.path.append("book/_ext")
import book_package
import book_source

book_package._import_without_torch(*book_package.NEED_TORCH)
for name in book_package.NEED_TORCH:
    module = import_module(name)
    found = {key: undecorate(value) for key, value in vars(module).items()}
    for key, value in found.items():
        if callable(value) and str(value.__module__).startswith("attnbook."):
            print(key, value.__name__, book_source.place(name, key))
"""


def placed(code):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_each_function_is_found_although_mocks_decorate_some():
    done = placed(PLACES)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    wrong = [line for line in lines if begun(*split(line[2])) != line[1]]
    assert len(lines) > 100 and wrong == []
    assert {"translate", "exact_match"} <= {line[0] for line in lines}  # below torch.no_grad


def split(place):
    path, _, number = place.partition("#L")
    return path, int(number)


def test_a_mock_itself_has_no_lines():
    code = PLACES.replace("book_package._", "book_source.undecorate = lambda f: f\nbook_package._")
    assert "wrapper loop when unwrapping torch.no_grad" in placed(code).stderr
