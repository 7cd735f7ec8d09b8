"""A broken link, reference, formula or solution fails the build; the same page mended does not."""

import re

import pytest

GOOD = r"""
# A page

(here)=
## A section

See [the section](#here), {ref}`the section <here>`, {eq}`sum`, {cite}`someone2020` and
{func}`attnbook.reference.softmax`. Formula: $\ln x$.

$$ x + y = z $$ (sum)

```{bibliography}
```
"""
PLANTS = {  # what stands on the page -> what the build must say
    "[text](nowhere.md)": "nowhere.md",
    "[text](#nowhere)": "nowhere",
    "{ref}`nolabel`": "nolabel",
    "```{figure} no.svg\n:figclass: drawn\n```": "image file not readable: book/no.svg",
    "{numref}`nofigure`": "nofigure",
    "{eq}`noequation`": "noequation",
    "{cite}`nobody1999`": "nobody1999",
    "{func}`attnbook.reference.nofunction`": "nofunction",
    r"$\softmax(x)$": r"TeX: Undefined control sequence: \\softmax",  # no viewer has our macros
    r"$\frac{1}{$": "TeX: .*end of input",
    "$$\n\\begin{align} a &= b \\end{aligned}\n$$": "TeX: .*Mismatch",
    ":::{solution-of} masks.noexercise\n:::": "masks.noexercise",
    ":::{nodirective}\n:::": "nodirective",
}


@pytest.fixture(scope="module")
def said(build):
    page = GOOD + "\n\n".join(PLANTS)
    status, output, _ = build({"page.md": page})
    return status, output


def test_a_good_page_is_built(build):
    status, output, _ = build({"page.md": GOOD})
    assert status == 0, output


def test_a_bad_page_fails_the_build(said):
    assert said[0] != 0


def test_no_mistake_ends_in_a_traceback(said):
    assert "Traceback" not in said[1]


@pytest.mark.parametrize("plant", PLANTS)
def test_each_planted_mistake_is_named(said, plant):
    warnings = [line for line in said[1].splitlines() if re.search("warning|error", line, re.I)]
    assert any(re.search(PLANTS[plant], line) for line in warnings), said[1]
