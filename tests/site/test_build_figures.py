"""A notebook's drawing becomes a numbered figure, in the page's colours, that opens large."""

import nbformat
import numpy as np
import pytest
from browsing import served
from small_book import figure, notebook

from attnbook import plots

ALT = 'A query\'s "weights" on three keys.'
CAPTION = "**Figure.** One query asks *three* keys with $\\sqrt{d_k} = 2$."


def drawings(*captions):
    svg = plots.heatmap([[0.1, 0.9]], mask=np.array([[True, False]])).svg
    cells = [cell for caption in captions for cell in figure(svg, caption, ALT)]
    return notebook(nbformat.v4.new_markdown_cell("# A page"), *cells)


@pytest.fixture(scope="module")
def page(build):
    text = drawings(CAPTION + "\n\nThe text goes on.", CAPTION, "No caption follows.")
    status, output, folder = build({"page.ipynb": text})
    assert status == 0, output
    with served(folder) as url:
        yield url


@pytest.fixture
def visit(open_in, page):
    return open_in(page, "book/page.html").page


def test_each_captioned_drawing_is_a_numbered_figure(visit):
    captions = visit.locator("figure.drawn > figcaption").all_inner_texts()
    assert [caption.split(" with")[0] for caption in captions] == [
        "Figure 1 One query asks three keys",
        "Figure 2 One query asks three keys",
    ]
    assert visit.locator("figure.drawn").evaluate_all("all => all.map(f => f.id)") == [
        "figure-1",
        "figure-2",
    ]
    assert visit.get_by_text("The text goes on.").evaluate("p => !p.closest('figure, .cell')")


def test_a_drawing_is_part_of_the_page_and_says_what_it_shows(visit):
    assert visit.locator("figure.drawn svg[role=img]").count() == 2
    assert visit.get_by_role("img", name=ALT).count() == 3  # one has no caption, and is an image
    ids = visit.evaluate("[...document.querySelectorAll('svg [id]')].map(e => e.id)")
    assert len(ids) == len(set(ids)) >= 2
    families = visit.locator("figure.drawn svg").first.evaluate(
        "s => getComputedStyle(s).fontFamily"
    )
    assert families.startswith('"Book Sans"')


def test_the_sign_of_a_root_in_a_caption_is_drawn(visit):
    sign = visit.locator("figcaption .katex .sqrt svg").first
    size = sign.evaluate("s => parseFloat(getComputedStyle(s).fontSize)")
    assert sign.bounding_box()["height"] > 0.9 * size
    sign.click()
    assert not visit.get_by_role("dialog").is_visible()
    visit.add_style_tag(content="svg { max-width: 44rem !important; height: auto !important }")
    assert sign.bounding_box()["height"] < 0.2 * size  # as a drawing it would be blank


def test_a_drawing_opens_large_and_gives_the_focus_back(visit):
    link = visit.locator("a.enlarge").first
    link.focus()
    before = visit.locator("figure.drawn svg").first.bounding_box()["width"]
    visit.keyboard.press("Enter")
    dialog = visit.get_by_role("dialog", name="Figure 1")
    assert dialog.locator("> svg").bounding_box()["width"] > 1.5 * before
    assert dialog.inner_text().endswith(visit.locator("figcaption").first.inner_text())
    visit.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert link.evaluate("link => link === document.activeElement")
    visit.locator("figure.drawn svg[role=img]").nth(1).click()
    assert visit.get_by_role("dialog", name="Figure 2").is_visible()


def test_without_scripts_the_link_leads_to_the_file(open_in, page):
    visit = open_in(page, "book/page.html", scripts=False).page
    address = visit.locator("a.enlarge").first.evaluate("link => link.href")
    assert visit.request.get(address).text().startswith("<svg")


def test_in_the_dark_a_drawing_has_no_slab(open_in, page):
    shades = {
        scheme: open_in(page, "book/page.html", scheme=scheme).page.evaluate(SHADES)
        for scheme in ("light", "dark")
    }
    assert shades["light"]["paper"] == shades["dark"]["paper"] == "none"
    assert shades["light"]["text"] != shades["dark"]["text"]
    assert shades["light"]["cell"] != shades["dark"]["cell"]


def test_in_print_the_page_and_its_drawings_are_light(open_in, page):
    visit = open_in(page, "book/page.html", scheme="dark").page
    visit.emulate_media(media="print")
    shades = visit.evaluate(SHADES)
    assert shades["text"] == shades["page"] == "rgb(34, 37, 42)"


SHADES = """() => {
    const svg = document.querySelector("figure.drawn svg");
    return {
        page: getComputedStyle(document.querySelector("article")).color,
        paper: getComputedStyle(svg.querySelector(".paper")).display,
        text: getComputedStyle(svg.querySelector("text")).fill,
        cell: getComputedStyle(svg.querySelector("path[class*=fill-blues]")).fill,
    };
}"""
