"""Each check of a page can fail: a planted fault is found, a good page has none."""

import random
import re

import faults
import pytest
from browsing import served
from views import found

WIDE = "x" * 300
FORMULA = '<div class="katex-display" style="overflow: auto"><annotation>wide</annotation>{}</div>'
LATE = "document.body.prepend(Object.assign(document.createElement('p'), {style: 'height: 400px'}))"
PLANTED = {
    "asks another host": '<img alt="" src="http://127.0.0.2:9/x.png">',
    "the console says: broken": '<script>console.error("broken")</script>',
    "the console says: Failed to load": '<img alt="" src="missing.png">',
    r"a formula is not set: a \$x\$ here": "<p>a $x$ here</p>",
    r"a formula is not set: \\\(y\\\)": r"<p>\(y\)</p>",
    r"a formula is not set: z\^2": '<span class="math">z^2</span>',
    r"scrolls sideways by \d+ px at 1280": '<div style="width: 3000px">wide</div>',
    r"scrolls sideways by \d+ px at 320": '<div style="width: 340px">wide</div>',
    r"image-alt \(critical\)": '<img src="dot.svg">',
    r"color-contrast \(serious\)": '<p style="color: #eee">pale</p>',
    r"empty-table-header \(minor\)": "<table><tr><th></th><th>a</th></tr><tr><td>1<td>2</table>",
    r"weighs 5\d\d,": '<script src="big.js"></script>',
    "moves by": f"<p>{WIDE}</p><script>setTimeout(() => {LATE}, 50)</script>".replace("x", "x "),
    "a formula is cut off": FORMULA.format(WIDE),
    "a formula has letters of 6.0 px": (
        '<span class="katex-html"><span class="mtight" style="font-size: 6px">x</span></span>'
    ),
    "nothing says that this scrolls": f'<pre tabindex="0">{WIDE}</pre>',
    "an output does not wrap": f'<div class="cell_output"><pre tabindex="0">{WIDE}</pre></div>',
    "a line of a cell is cut off": f'<div class="cell_input"><pre tabindex="0">{WIDE}</pre></div>',
    "a line of a cell is cut off: solved": (
        f'<details class="solution"><summary>a</summary><pre>solved {WIDE}</pre></details>'
    ),
    "a table is not as wide": '<div class="pst-scrollable-table-container"><table><td>1</table>',
    "an id stands twice: one": '<p id="one">1</p><p id="one">2</p>',
    "the lines of 1 blocks": '<div class="highlight"><pre style="line-height: 1.2">1</pre></div>',
    "a solution is open": '<details class="solution" open><summary>a</summary><p>1</p></details>',
    "no focus ring that can be seen": '<button style="outline: 0">press</button>',
    "1 answers are not printed": '<div class="reading"><p style="font-size: 2em">big</p></div>',
    "2 folded boxes": "<details><summary>more</summary><p>hidden</p></details>",
}
PAGE = """<!doctype html><html lang="en"><title>t</title>
<style>pre { overflow-x: auto } p { overflow-wrap: anywhere }</style>
<main><h1>t</h1><article>BODY</article></main></html>"""
DOT = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'


def _faults_of(open_in, folder, body):
    (folder / "page.html").write_text(PAGE.replace("BODY", body))
    (folder / "dot.svg").write_text(DOT)
    (folder / "big.js").write_text("//" + random.Random(0).randbytes(500_000).hex())
    (folder / "favicon.ico").write_bytes(b"")
    with served(folder) as url:
        return found(open_in(url, "page.html", width=390))


def test_a_good_page_has_no_fault(open_in, tmp_path):
    body = '<p>Text, <code>$HOME</code> and <img alt="a dot" src="dot.svg"></p>'
    assert _faults_of(open_in, tmp_path, body) == []


@pytest.fixture(scope="module")
def said(open_in, tmp_path_factory):
    """What is said of one page with all the planted faults."""
    return _faults_of(open_in, tmp_path_factory.mktemp("bad"), "\n".join(PLANTED.values()))


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(said, fault):
    assert any(re.match(fault, sentence) for sentence in said), said


def test_a_formula_that_needs_a_script_is_found():
    assert faults.formulas_by_script('<span class="math notranslate">x^2</span>')
    silent = '<span class="math"><span class="katex-html">x</span></span>'
    assert faults.formulas_by_script(silent)
    assert not faults.formulas_by_script(silent + "<math></math>")
