"""The map of the book leads to its chapters, and shows what of each the reader has solved."""

import json
from functools import partial

import faults
import pytest
from browsing import altered

from attnbook import exercises
from tools import toc

PAGES = ["book/index.html", "book/progress.html"]
mistaken = partial(altered, script="live/map.mjs")
STEMS = [file.rpartition("/")[2].replace("-", "_") for file in toc.chapters()]
BEGUN, FINISHED = "softmax", "past_the_trained_length"
DONE = [*exercises.names([BEGUN])[:3], *exercises.names([FINISHED])]
KEEP = "record => localStorage.setItem('attnbook-progress', record)"
CROWDED = """() => {
  const box = node => node.getBoundingClientRect(), found = [];
  const circles = [...document.querySelectorAll("figure svg use")].map(box);
  for (const link of document.querySelectorAll("a[data-exercises]")) {
    const [name, told] = link.querySelectorAll("text"), bar = link.querySelector("rect");
    if (!told) continue;
    if (box(told).left < box(name).right + 2) found.push(`${name.textContent}: its word`);
    const covers = circles.some(circle => box(bar).right > circle.left);
    if (covers) found.push(`${name.textContent}: its bar`);
  }
  return found;
}"""
BARS = """() => Object.fromEntries([...document.querySelectorAll("a:has(.solved)")].map(link => {
  const [whole, part] = [...link.querySelectorAll("rect")].map(bar => bar.getBBox().width);
  return [link.getAttribute("aria-label"), part / whole];
}))"""


def record(names, **entry):
    return json.dumps({name: {"tries": 2} | entry for name in names})


@pytest.fixture(params=PAGES)
def page(visit, request):
    return visit(request.param).page


@pytest.fixture
def begun(page):
    """A page whose reader has solved three exercises of a chapter, and all of another."""
    page.evaluate(KEEP, record(DONE, solved="2026-11-01"))
    page.reload()
    return page


def said():
    total = len(exercises.names([BEGUN]))
    return {
        f"softmax 3 of {total} exercises solved": pytest.approx(3 / total, abs=0.01),
        "past the trained length finished": pytest.approx(1),
    }


def test_each_chapter_of_the_map_is_a_link_to_it(page):
    links = page.locator("a[data-exercises]")
    for link, chapter in zip(links.all(), toc.chapters(), strict=True):
        assert link.get_attribute("href") == f"../{chapter}.html"
    named = links.evaluate_all("all => all.map(link => link.dataset.exercises.split(' '))")
    assert named == [exercises.names([stem]) for stem in STEMS]


def test_a_reader_who_has_solved_nothing_sees_the_map_as_it_is_drawn(page):
    page.evaluate(KEEP, record(DONE))  # tried, not solved
    page.reload()
    assert page.evaluate(BARS) == {}
    with mistaken(page, old="?.solved", new="?.tries"):
        assert page.evaluate(BARS) != {}


def test_a_chapter_says_how_many_of_its_exercises_are_solved(begun):
    assert begun.evaluate(BARS) == said()
    assert begun.get_by_text(f"3 of {len(exercises.names([BEGUN]))}").is_visible()
    with mistaken(begun, old="* solved /", new="/"):
        assert begun.evaluate(BARS) != said()


def test_what_is_said_covers_no_name_and_no_way(begun):
    assert begun.evaluate(CROWDED) == []
    with mistaken(begun, old="ROOM = 176", new="ROOM = 186"):
        assert begun.evaluate(CROWDED) == ["softmax: its bar", "past the trained length: its bar"]


def test_what_is_taken_from_a_file_is_seen_at_once(visit):
    page = visit("book/progress.html").page
    body = record(DONE, solved="2026-11-01").encode()
    chosen = {"name": "progress.json", "mimeType": "application/json", "buffer": body}
    page.locator(".live-page input[type=file]").set_input_files(chosen)
    page.locator("a .solved").first.wait_for(state="attached")
    assert page.evaluate(BARS) == said()


def test_a_chapter_is_reached_by_keyboard(begun):
    link = begun.get_by_role("link", name="softmax 3 of").first
    link.focus()
    assert link.evaluate("link => getComputedStyle(link).outlineStyle") == "solid"
    begun.keyboard.press("Enter")
    begun.wait_for_url("**/numpy/softmax.html")


def test_the_map_opens_large_with_what_is_solved(begun):
    begun.locator("figure:has(a[data-exercises]) > a.enlarge").press("Enter")
    assert begun.get_by_role("dialog").get_by_text("finished").is_visible()


def test_without_scripts_the_map_leads_to_its_chapters(visit):
    page = visit(PAGES[0], scripts=False).page
    page.locator("#the-map").get_by_text("softmax", exact=True).click()
    page.wait_for_url("**/numpy/softmax.html")


def test_a_page_without_the_map_loads_nothing_of_it(visit):
    for page, loads in {**dict.fromkeys(PAGES, True), "book/teaching.html": False}.items():
        assert any("/map." in url for url in visit(page).requests) == loads


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_map_of_a_reader_has_no_barrier(visit, scheme):
    window = visit(PAGES[0], scheme=scheme)
    window.page.evaluate(KEEP, record(DONE, solved="2026-11-01"))
    window.page.reload()
    faults.strip(window)
    assert [*faults.pale(window), *faults.barriers(window)] == []
    window.look(scheme, 390)
    assert faults.barriers_on_a_phone(window) == []


APART = """() => {
  const links = [...document.querySelectorAll("a[data-exercises]")];
  const tops = links.map(link => link.getBoundingClientRect().bottom);
  return Math.min(...tops.slice(1).map((top, i) => top - tops[i]));
}"""


def test_on_a_phone_a_finger_can_tell_the_chapters_apart(visit):
    page = visit(PAGES[0], width=390).page
    assert page.evaluate(APART) >= 24
    page.locator(".linked a").last.focus()
    assert page.locator(".linked.more-after").evaluate("box => box.scrollWidth > box.clientWidth")
    page.add_style_tag(content=".linked > svg { width: 100% !important }")
    assert page.evaluate(APART) < 20


def test_a_map_of_other_chapters_is_a_warning(build):
    page = "# A page\n\n```{figure} _static/map.svg\n:figclass: drawn\n:name: a-map\n```\n"
    status, output, _ = build({"page.md": page})
    assert status != 0
    assert f"the map leads to {toc.chapters()[0]}, which is no chapter" in output
