"""What a reader does on the built site: search, unfold, switch, print, follow links."""

import faults
import pytest


@pytest.fixture(scope="session")
def with_solutions(folder):
    box = '<details class="solution"'
    pages = [f for f in folder.rglob("book/**/*.html") if box in f.read_text(encoding="utf-8")]
    return [page.relative_to(folder).as_posix() for page in pages]


def test_links_inside_the_site_resolve(folder):
    assert faults.dead_links(folder) == []


def test_a_dead_link_is_found(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#here">b</a> <a href="#top" id="top">a</a>')
    (tmp_path / "b.html").write_text('<p id="there">b</p> <a class="x" href="c.html">c</a>')
    dead = faults.dead_links(tmp_path)
    assert dead == ["a.html links to b.html#here", "b.html links to c.html"]


def test_solutions_are_closed_and_open_by_keyboard(visit, with_solutions):
    for path in with_solutions:
        page = visit(path).page
        assert page.locator("details.solution[open]").count() == 0
        box = page.locator("details.solution").last
        assert not box.locator("> :not(summary)").first.is_visible()
        box.locator("summary").focus()
        page.keyboard.press("Enter")
        assert box.locator("> :not(summary)").first.is_visible()


CLOSED_BOXES = """() => [...document.querySelectorAll("details.solution")].filter(box =>
  box.getBoundingClientRect().bottom < box.lastElementChild.getBoundingClientRect().bottom
  || box.lastElementChild.getBoundingClientRect().height === 0).length"""


def test_solutions_are_open_in_print(visit, with_solutions):
    for path in with_solutions:
        page = visit(path).page
        boxes = page.locator("details.solution").count()
        assert page.evaluate(CLOSED_BOXES) == boxes
        page.emulate_media(media="print")
        assert page.evaluate(CLOSED_BOXES) == 0


def test_colours_are_switched_and_remembered(visit):
    page = visit("book/index.html").page
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "light"
    button = page.locator(".article-header-buttons .theme-switch-button")
    while page.evaluate("document.documentElement.dataset.mode") != "dark":
        button.click()
    page.reload()
    assert page.evaluate(theme) == "dark"


def test_the_contents_open_where_the_reader_is_and_show_it(visit):
    page = visit("book/api.html").page
    place = "attnbook.pytorch.weighted_sum"  # the last of more names than a window holds
    link = page.locator(f".page-toc a[href='#{place}']")
    assert not link.is_visible()
    page.evaluate(f"document.getElementById('{place}').scrollIntoView()")
    link.wait_for(state="visible")
    page.wait_for_function(
        "link => link.getBoundingClientRect().bottom < innerHeight", arg=link.element_handle()
    )


SIZES = """() => ["article", ".cell .reading > p"].map(
  place => getComputedStyle(document.querySelector(place)).fontSize)"""


@pytest.mark.parametrize("view", [{}, {"width": 390}])
def test_an_answer_is_as_large_as_the_text_in_print_too(visit, view):
    page = visit("book/pytorch/03-modules.html", **view).page
    for media in ("screen", "print"):
        page.emulate_media(media=media)
        article, answer = page.evaluate(SIZES)
        assert answer == article


CUT_NAMES = """() => [...document.querySelectorAll("article table code")].filter(name =>
  /^\\S{1,16}$/.test(name.textContent) && name.getClientRects().length > 1
).map(name => name.textContent)"""


def test_short_names_in_tables_stay_whole_on_a_phone(visit):
    page = visit("book/pytorch/04-libraries.html", width=390).page
    assert page.evaluate(CUT_NAMES) == []
    page.add_style_tag(content="code.literal { overflow-wrap: anywhere !important }")
    page.add_style_tag(content="article td { max-width: 4em }")
    assert page.evaluate(CUT_NAMES) != []


def test_contents_open_on_a_phone(visit):
    page = visit("book/index.html", width=390).page
    link = page.locator(".bd-sidebar-primary a[href='api.html']").first
    assert not link.is_visible()
    page.locator(".primary-toggle:visible").first.click()
    link.wait_for(state="visible")
    page.keyboard.press("Escape")
    link.wait_for(state="hidden")


def test_on_a_phone_the_source_that_a_cell_shows_scrolls(visit):
    page = visit("book/pytorch/01-twins.html", width=390).page
    source = page.locator(".cell_output .highlight-python pre").first
    assert source.evaluate("box => box.scrollWidth > box.clientWidth")
    assert "more-after" in source.get_attribute("class")


def test_menus_work_by_keyboard(visit):
    page = visit("book/api.html").page
    page.locator(".dropdown-download-buttons > button").focus()
    page.keyboard.press("Enter")
    menu = page.locator(".dropdown-download-buttons .dropdown-menu")
    assert menu.is_visible()
    page.keyboard.press("Escape")
    assert not menu.is_visible()
