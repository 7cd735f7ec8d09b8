"""Code that only imports or draws waits folded; what a page or a prediction needs is seen."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "book/_ext"))
from book_code import title

FOLDED = {
    "import numpy as np\nfrom attnbook import plots\n\nnp.set_printoptions(4)": "Imports",
    "import numpy as np\n\nrng = np.random.default_rng(0)": "Imports",
    "plots.heatmap(weights)": "Code of this figure",
    "rows = np.eye(3)\ntitles = ['one']\nplots.heatmap(rows, titles)": "Code of this figure",
}
SEEN = [
    "np.set_printoptions(precision=4)",
    "import numpy as np\n\nx = np.arange(3)",
    "figure = plots.heatmap(weights)",
    "weights = softmax(scores)\nplots.heatmap(weights)",
    "print(1)\nplots.heatmap(rows)",
    "%timeit f()",
    "",
]


@pytest.mark.parametrize(("source", "words"), FOLDED.items())
def test_imports_and_what_only_draws_are_folded(source, words):
    assert title(source, "print(weights)") == words


@pytest.mark.parametrize("source", SEEN)
def test_what_computes_or_is_used_later_is_seen(source):
    assert title(source, "print(weights @ v)") is None
