"""A notebook in plain Markdown becomes a page with boxes, cards, numbers and folded answers."""

import re

import nbformat
import pytest
from small_book import notebook

from tools.build import readable

SOURCE = "https://arxiv.org/abs/2001.00001"
TOOLTIP = "Some One. A Book. Press, 2020. arXiv:2001.00001."


def markdown(text):
    return nbformat.v4.new_markdown_cell(text)


def code(text, printed):
    output = nbformat.v4.new_output("stream", name="stdout", text=printed)
    return nbformat.v4.new_code_cell(text, outputs=[output], execution_count=1)


CELLS = [
    markdown(
        "# A chapter\n\n> **You need.** **Much** courage.\n> And tea.\n\n> Somebody else's words."
    ),
    markdown(
        "## Sums\n\n<!-- eq-sum -->\n$$\nx + y = z\n$$\n\n"
        f"As [the sum](#eq-sum) says ([One, 2020]({SOURCE})).\n\n"
        "> **Aside: why $x^2$ holds.** It does.\n>\n> Always.\n\n> **Predict.** What is 1 + 1?"
    ),
    code("print(1 + 1)", "2\n"),
    markdown("Two, as expected.\n\nA new idea follows: $a + b + c + d + e + f = g + h$."),
    code("print(3)", "3\n"),
    markdown("### Aside: a table of $y^2$\n\nSide road."),
    code("print(4)", "4\n"),
    markdown("## Exercises\n\n### Exercise: Hide the middle key\n\n*Predict*\n\nWhich weights?"),
    code("exercises.masks.middle_hidden.check(...)", "Not attempted yet.\n"),
    markdown("### Exercise: By hand\n\nWhich?"),
    code("exercises.weighted_average.by_hand.check(...)", "Not attempted yet.\n"),
    markdown("## What we have now\n\nAll."),
]


@pytest.fixture(scope="module")
def page(build):
    status, output, html = build({"numpy/page.ipynb": notebook(*CELLS)})
    assert status == 0, output
    return (html / "book/numpy/page.html").read_text(encoding="utf-8")


def part(page, start, tag):
    """The element that begins with `start`, to the first end of its kind."""
    begin = page.index(start)
    text = re.sub(r"<[^>]+>", " ", page[begin : page.index(f"</{tag}>", begin)])
    return " ".join(text.split())


def test_quotes_that_open_in_bold_are_boxes(page):
    assert "What is 1 + 1?" in part(page, '<div class="predict admonition', "div")
    assert "Much courage. And tea." in part(page, '<div class="need admonition', "div")
    assert part(page, "<blockquote", "blockquote").split()[-1] == "words."
    assert "Predict." not in page and "You need." not in page


def test_an_aside_is_a_closed_note_with_its_title(page):
    note = page.split('<details class="aside"')[1].split("</details>")[0]
    title = re.search(r"<summary>(.*?)</summary>", note, re.DOTALL)[1]
    assert (title[:4], title[-6:]) == ("Why ", " holds") and "x^2</annotation>" in title
    assert "Always." in note
    section = page.split('<details class="aside"')[2].split("</details>")[0]
    assert "Side road." in section and "print</span>(" in section
    assert re.search(r"<h3>A table of <.*y\^2</annotation>", page)


def test_the_answer_to_a_prediction_is_folded_with_the_paragraph_that_reads_it(page):
    (answer,) = re.findall(r'<details class="reveal".*?</details>', page, re.DOTALL)
    assert "<summary>Show the answer</summary>" in answer
    assert "2\n" in answer and "Two, as expected." in answer
    assert "new idea" not in answer and "3\n" not in answer


def test_an_exercise_is_a_card_with_its_number_and_its_own_solution(page):
    cards = page.split('<section class="exercise"')[1:]
    assert [re.search(r'number">(.*?)</span>(.*?)<', card).groups() for card in cards] == [
        ("Exercise ", "Hide the middle key"),
        ("Exercise ", "By hand"),
    ]
    solutions = [
        card.split('<details class="solution">')[1].split("</section>")[0] for card in cards
    ]
    assert "middle_hidden" in solutions[0] and "by_hand" in solutions[1]
    assert "What we have now" not in solutions[1]


def test_a_link_to_a_formula_tells_its_number(page):
    assert "As the sum (1) says" in re.sub(r"<[^>]+>|\s+", " ", page).replace("  ", " ")


def test_a_formula_breaks_over_lines_only_where_it_is_long(page):
    spans = re.findall(r'<span class="math notranslate([^"]*)">.*?<annotation[^>]*>([^<]*)', page)
    assert {tex.strip(): look.strip() for look, tex in spans} == {
        "x^2": "short",
        "e^0 = 1": "short",
        "y^2": "short",
        "a + b + c + d + e + f = g + h": "",
    }


def test_a_link_to_a_source_tells_the_whole_reference(page):
    assert re.search(f'<a [^>]*href="{SOURCE}"[^>]*title="{TOOLTIP}"[^>]*>One, 2020</a>', page)


PLANTS = {  # what stands in a cell -> what the build must say
    "[One, 2020](https://arxiv.org/abs/2001.99999)": "no entry of references.bib has the address",
    "[the sum](#eq-nothing)": "eq-nothing",
    "[text](nowhere.ipynb)": "nowhere.ipynb",
    "[Chapter 1](#nowhere)": "nowhere",
}


@pytest.fixture(scope="module")
def said(build):
    cells = [markdown("# A chapter\n\n" + "\n\n".join(PLANTS))]
    cells += [code("exercises.masks.nothing.check(...)", "Not yet.\n")]
    cells += [code("exercises.masks.middle_hidden.check(...)", "Not yet.\n")]
    cells += [markdown("The [end](#is-near).")]
    status, output, _ = build({"numpy/page.ipynb": notebook(*cells)})
    assert status != 0
    return readable(output, colours=False)


@pytest.mark.parametrize("complaint", [*PLANTS.values(), "'masks.nothing'"])
def test_what_leads_nowhere_fails_the_build(said, complaint):
    assert any(complaint in line for line in said.splitlines() if "WARNING" in line), said


def test_the_solution_before_it_shifts_no_line_of_a_cell(said):
    assert re.search(r"page\.ipynb, cell 4, line 1: WARNING: .*is-near", said), said
    assert re.search(r"page\.ipynb, cell 2, line 1: WARNING: .*'masks.nothing'", said), said
