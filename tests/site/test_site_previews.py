"""A link shows what it leads to, where the pointer rests on it or the keyboard's focus is.

Each check of an open preview is shown a script with the mistake that it is there for.
"""

import re
from functools import partial

import faults
import looks
import pytest
from browsing import altered

mistaken = partial(altered, script="previews.js")
CHAPTER, FIRST, PLAIN = "book/numpy/additive.html", "book/index.html", "book/teaching.html"
EQUATION = "a.internal[href='#equation-eq-additive']"
LINKS = {  # what is shown -> the page, the link or the address of one, and a word of it
    "source": (CHAPTER, "article a.external[title]", r"^Ilya Sutskever.*arXiv:1409.3215"),
    "entry": (FIRST, "bibliography.html#id2", r"\d{4}"),
    "equation": (CHAPTER, EQUATION, r"\(8\.4\)"),
    "equation elsewhere": (PLAIN, "numpy/additive.html#equation-eq-additive", r"\(8\.4\)"),
    "figure": (FIRST, "#the-book", r"Figure 1 The upper row"),
    "figure elsewhere": (FIRST, "numpy/masks.html#figure-1", r"Figure 4\.1 Each row is a query"),
    "function": (CHAPTER, "a.api:visible", r"^\w+\( [\s\S]*\) → Float.*\s+[A-Z].*\.$"),
    "chapter": (CHAPTER, ".need a.internal", r"^1\. A weighted average.*\s+A dictionary returns"),
    "section": (FIRST, "#the-chapters", r"^The chapters\s+Behind each stand its minutes"),
    "chapter of the map": (FIRST, "#the-map a[href*=masks]", r"^4\. Masks.*\s+Attention looks"),
}
PLANT = """href => {
  const link = Object.assign(document.createElement("a"), {href, textContent: "a planted link"});
  link.className = "reference internal planted";
  const line = document.createElement("p");
  line.append(link);
  document.querySelector("h1").after(line);
}"""
COVERED = """link => {
  const box = document.querySelector("#preview").getBoundingClientRect();
  const {left, right, top, bottom} = link.getBoundingClientRect();
  return left < box.right && box.left < right && top < box.bottom && box.top < bottom;
}"""
OUTSIDE = """() => {
  const {left, top, right, bottom} = document.querySelector("#preview").getBoundingClientRect();
  return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
}"""
TYPESET = """() => [...document.querySelectorAll("#preview .katex")].every(formula =>
  getComputedStyle(formula.querySelector(".katex-mathml")).position === "absolute")"""


def shown(page):
    return page.locator("#preview:visible")


def rest(page):
    """Longer than the script waits before it shows anything."""
    page.wait_for_timeout(700)


def link_of(page, kind):
    where = LINKS[kind][1]
    if ".html" not in where and not re.fullmatch(r"#[\w-]+", where):
        return page.locator(where).first
    page.evaluate(PLANT, where)
    return page.locator("a.planted")


def point(page, kind):
    link = link_of(page, kind)
    link.scroll_into_view_if_needed()
    link.hover()
    shown(page).wait_for()
    return link


def focus(page, kind):
    link = link_of(page, kind)
    page.keyboard.press("Shift")  # the reader is at the keyboard
    link.focus()
    shown(page).wait_for()
    return link


def wrong(visit, link):
    """What is wrong with an open preview."""
    page = visit.page
    said = looks.same_ids(visit)
    said += ["it covers the link"] if link.evaluate(COVERED) else []
    said += ["it ends outside the window"] if page.evaluate(OUTSIDE) else []
    said += ["its formulas are not set"] if not page.evaluate(TYPESET) else []
    if link.get_attribute("aria-describedby") != "preview":
        said.append("nobody hears it")
    if shown(page).locator("a, button, [tabindex]").count():
        said.append("something in it can be pressed")
    return said


@pytest.mark.parametrize("reach", [point, focus])
@pytest.mark.parametrize("kind", LINKS)
def test_a_link_shows_what_it_leads_to(visit, kind, reach):
    window = visit(LINKS[kind][0])
    link = reach(window.page, kind)
    assert re.search(LINKS[kind][2], shown(window.page).inner_text())
    assert wrong(window, link) == []
    assert faults.elsewhere(window) == faults.complaints(window) == []


MISTAKES = [
    ("it covers the link", "chapter", "bottom + gap", "bottom - 3 * gap"),
    ("it covers the link", "chapter of the map", "? right + gap", "? left"),
    ("it ends outside the window", "source", "Math.min(left, ", "Math.max(across - 99, "),
    ("its formulas are not set", "equation elsewhere", "  await style(", "  if (false) style("),
    ("nobody hears it", "equation", 'link.setAttribute("aria-', 'link.setAttribute("data-'),
    ("something in it can be pressed", "entry", 'querySelectorAll("a")', 'querySelectorAll("b")'),
    ("an id stands twice: ", "figure", '/g, "preview-")', '/g, "")'),
]


@pytest.mark.parametrize(("fault", "kind", "old", "new"), MISTAKES)
def test_a_mistake_in_a_preview_is_found(visit, fault, kind, old, new):
    window = visit(LINKS[kind][0])
    with mistaken(window.page, old=old, new=new):
        assert any(said.startswith(fault) for said in wrong(window, point(window.page, kind)))


def test_the_pointer_can_go_into_a_preview_and_away(visit):
    page = visit(CHAPTER).page

    def stays():
        point(page, "chapter")
        shown(page).hover()
        rest(page)
        return shown(page).count() == 1

    assert stays()
    page.mouse.move(1, 1)
    shown(page).wait_for(state="detached")
    with mistaken(page, old='if (box.matches(":hover")) return;', new=""):
        assert not stays()


@pytest.mark.parametrize("reach", [point, focus])
def test_escape_closes_a_preview_until_the_link_is_left(visit, reach):
    page = visit(CHAPTER).page

    def closes():
        reach(page, "chapter")
        page.keyboard.press("Escape")
        rest(page)
        return shown(page).count() == 0

    assert closes()
    page.locator("h1").hover()
    page.evaluate("document.activeElement.blur()")
    rest(page)
    assert closes()  # it had opened again
    with mistaken(page, old='=== "Escape"', new='=== "F9"'):
        assert not closes()


def test_the_browser_shows_a_source_only_where_the_preview_does_not(visit):
    page = visit(CHAPTER).page
    link = link_of(page, "source")
    title = link.get_attribute("title")
    assert point(page, "source").get_attribute("title") == ""
    page.locator("h1").hover()
    rest(page)
    assert link.get_attribute("title") == title
    with mistaken(page, old='link.title = "";', new=""):
        assert point(page, "source").get_attribute("title") == title


def test_on_touch_a_link_is_a_link(browser, site):
    page = browser.new_context(has_touch=True, viewport={"width": 390, "height": 844}).new_page()
    page.goto(f"{site}/{CHAPTER}")

    def opens():
        page.locator(EQUATION).first.tap()
        rest(page)
        return shown(page).count() == 1

    assert not opens() and page.url.endswith("#equation-eq-additive")
    with mistaken(page, old='=== "touch"', new='=== "pen"'):
        assert opens()
    page.context.close()


def test_a_page_asks_for_another_only_when_a_link_is_pointed_at(visit):
    window = visit(FIRST)
    rest(window.page)
    pages = [url for url in window.requests if ".html" in url]
    point(window.page, "chapter of the map")
    more = [url for url in window.requests if ".html" in url]
    assert len(pages) == 1 and len(more) == 2


def test_from_a_file_only_what_is_on_the_page_is_shown(open_in, folder):
    window = open_in(folder.as_uri(), "book/bibliography.html")
    page, before = window.page, list(window.complaints)

    def opens(address):
        page.evaluate(PLANT, address)
        page.locator("a.planted").first.hover()
        rest(page)
        return shown(page).count() == 1

    assert opens("#id2")
    assert not opens("numpy/masks.html") and window.complaints == before
    with mistaken(page, old='if (location.protocol === "file:") return;', new=""):
        assert not opens("numpy/masks.html") and window.complaints != before


@pytest.mark.parametrize("kind", ["source", "equation elsewhere", "figure elsewhere", "chapter"])
def test_an_open_preview_is_no_barrier(visit, kind):
    window = visit(LINKS[kind][0])
    focus(window.page, kind)  # a pointer would lose the link where formulas are left out
    faults.strip(window)
    for scheme in ("light", "dark"):
        window.look(scheme, 1280)
        window.judged.clear()
        assert shown(window.page).count() == 1
        assert faults.pale(window) == [], scheme
    assert faults.barriers(window) == []  # whatever the colours
