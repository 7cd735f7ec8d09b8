"""Answers and asides wait until they are asked for, and stand open where nothing can ask."""

import pytest
from browsing import PAGES

CHAPTER = "book/numpy/softmax.html"
HIDDEN = """kind => [...document.querySelectorAll(`details.${kind}`)].filter(box =>
  box.lastElementChild.getBoundingClientRect().height === 0
  || box.getBoundingClientRect().bottom < box.lastElementChild.getBoundingClientRect().bottom
).length"""


@pytest.fixture
def page(visit):
    return visit(CHAPTER).page


def count(page, kind):
    return page.locator(f"details.{kind}").count()


@pytest.mark.parametrize("page", PAGES)
def test_each_prediction_has_its_folded_answer(folder, page):
    html = (folder / f"{page}.html").read_text(encoding="utf-8")
    assert html.count('<div class="predict admonition') == html.count('<details class="reveal"')


def test_answers_and_asides_are_folded_and_open_by_keyboard(page):
    for kind in ("reveal", "aside"):
        assert page.evaluate(HIDDEN, kind) == count(page, kind) > 0
        summary = page.locator(f"details.{kind} > summary").first
        summary.focus()
        page.keyboard.press("Enter")
        assert page.evaluate(HIDDEN, kind) == count(page, kind) - 1


def test_one_key_shows_every_answer_and_the_choice_is_kept(page):
    page.keyboard.press("a")
    assert page.evaluate(HIDDEN, "reveal") == 0 < page.evaluate(HIDDEN, "aside")
    page.reload()
    assert page.evaluate(HIDDEN, "reveal") == 0
    page.keyboard.press("a")
    page.reload()
    assert page.evaluate(HIDDEN, "reveal") == count(page, "reveal")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_button_shows_every_answer_and_folds_it_again(visit, width):
    page = visit(CHAPTER, width=width).page
    for name, folded in (("Show all answers", 0), ("Fold the answers", count(page, "reveal"))):
        page.get_by_role("button", name=name).click()
        assert page.evaluate(HIDDEN, "reveal") == folded
    assert not visit("book/bibliography.html").page.locator(".show-answers").count()


def test_typing_in_the_search_box_shows_no_answer(page):
    page.keyboard.press("Control+k")
    page.keyboard.type("a mask")
    assert page.evaluate(HIDDEN, "reveal") == count(page, "reveal")


def test_all_is_open_in_print(page):
    page.emulate_media(media="print")
    for kind in ("reveal", "aside", "solution"):
        assert page.evaluate(HIDDEN, kind) == 0 < count(page, kind)
    assert not page.locator("details.reveal > summary").first.is_visible()


SIZES = """() => [...new Set([...document.querySelectorAll(
  "article, section > h2 ~ p, .bd-article > section > section > p, details.reveal > .reading > p"
)].map(part => getComputedStyle(part).fontSize))]"""


@pytest.mark.parametrize("chapter", [CHAPTER, "book/pytorch/modules.html"])
@pytest.mark.parametrize("width", [1280, 390])
def test_what_is_said_of_an_answer_is_as_large_as_the_text(visit, chapter, width):
    page = visit(chapter, width=width).page
    for media in ("screen", "print"):
        page.emulate_media(media=media)
        assert len(page.evaluate(SIZES)) == 1


def test_all_but_solutions_is_open_without_scripts(visit):
    page = visit(CHAPTER, scripts=False).page
    for kind in ("reveal", "aside"):
        assert page.locator(f"details.{kind}:not([open])").count() == 0 < count(page, kind)


def test_an_address_inside_a_folded_answer_opens_it(visit, page):
    place = page.locator("details.reveal figure[id]").first.get_attribute("id")
    assert not page.locator(f"[id='{place}']").is_visible()
    assert visit(f"{CHAPTER}#{place}").page.locator(f"[id='{place}']").is_visible()
