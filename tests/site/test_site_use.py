"""What a reader does on the built site: search, unfold, switch, print, follow links."""

import re
from html import unescape

import faults
import pytest
from browsing import PAGES

CHAPTER = "book/numpy/additive.html"


def test_links_inside_the_site_resolve(folder):
    assert faults.dead_links(folder) == []


def test_a_dead_link_is_found(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#here">b</a> <a href="#top" id="top">a</a>')
    (tmp_path / "b.html").write_text('<p id="there">b</p> <a class="x" href="c.html">c</a>')
    dead = faults.dead_links(tmp_path)
    assert dead == ["a.html links to b.html#here", "b.html links to c.html"]


def test_a_solution_opens_by_keyboard(visit):
    page = visit("book/pytorch/modules.html").page  # on pages that run, a button opens it
    box = page.locator("details.solution").last
    assert not box.locator("> :not(summary)").first.is_visible()
    box.locator("summary").focus()
    page.keyboard.press("Enter")
    assert box.locator("> :not(summary)").first.is_visible()


def test_colours_are_switched_and_remembered(visit):
    page = visit("book/index.html").page
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "light"
    button = page.locator(".article-header-buttons .theme-switch-button")
    while page.evaluate("document.documentElement.dataset.mode") != "dark":
        button.click()
    page.reload()
    assert page.evaluate(theme) == "dark"


def test_the_contents_open_where_the_reader_is(visit):
    page = visit(CHAPTER).page
    link = page.locator(".page-toc a[href^='#exercise-']").last
    assert not link.is_visible()
    page.evaluate(f"document.querySelector('{link.get_attribute('href')}').scrollIntoView()")
    link.wait_for(state="visible")


SEEN = """node => {
  const {top, bottom, left, right} = node.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return top >= 0 && bottom <= innerHeight && node.contains(document.elementFromPoint(x, y));
}"""


@pytest.mark.parametrize("height", [720, 1080])
def test_the_list_of_chapters_shows_where_the_reader_is(visit, height):
    page = visit("book/index.html").page
    page.set_viewport_size({"width": 1280, "height": height})
    page.locator("article a[href*='many-gpus']").first.click()
    page.wait_for_url("**/many-gpus.html")
    for part in (".current > a", ".navbar-brand", ".search-button-field"):
        assert page.locator(f".bd-sidebar-primary {part}").evaluate(SEEN), part
    chapters = page.locator(".bd-sidebar-primary .sidebar-primary-item").last
    chapters.evaluate("box => box.scrollTop = 0")
    assert height > 1000 or not page.locator(".bd-sidebar-primary .current > a").evaluate(SEEN)


BELOW = "link => link.getBoundingClientRect().bottom > innerHeight"


def test_long_contents_show_where_the_reader_is(visit):
    page = visit("book/api/pytorch.html").page
    place = "attnbook.pytorch.weighted_sum"  # the last of more names than a window holds
    link = page.locator(f".page-toc a[href='#{place}']")
    assert link.evaluate(BELOW)
    page.evaluate(f"document.getElementById('{place}').scrollIntoView()")
    page.wait_for_function(f"link => !({BELOW})(link)", arg=link.element_handle())


CUT_NAMES = """() => [...document.querySelectorAll("article table code")].filter(name =>
  /^\\S{1,16}$/.test(name.textContent) && name.getClientRects().length > 1
).map(name => name.textContent)"""


def test_short_names_in_tables_stay_whole_on_a_phone(visit):
    page = visit("book/pytorch/libraries.html", width=390).page
    assert page.evaluate(CUT_NAMES) == []
    page.add_style_tag(content="code.literal { overflow-wrap: anywhere !important }")
    page.add_style_tag(content="article td { max-width: 4em }")
    assert page.evaluate(CUT_NAMES) != []


FOCUSED = "button => button === document.activeElement"


def test_the_button_for_colours_keeps_the_focus(visit):
    page = visit("book/index.html").page
    button = page.locator(".article-header-buttons .theme-switch-button")
    button.focus()
    modes = set()
    for _ in range(3):
        page.keyboard.press("Enter")
        assert button.evaluate(FOCUSED)
        modes.add(page.evaluate("document.documentElement.dataset.mode"))
    assert modes == {"light", "dark", "auto"}


@pytest.mark.parametrize("side", ["primary", "secondary"])
def test_a_panel_opens_on_a_phone_and_gives_the_focus_back(visit, side):
    page = visit("book/index.html", width=390).page
    link = page.locator(f".bd-sidebar-{side} a[href*='#']").last
    button = page.locator(f".{side}-toggle:visible").first
    assert not link.is_visible()
    button.focus()
    page.keyboard.press("Enter")
    link.wait_for(state="visible")
    page.keyboard.press("Escape")
    link.wait_for(state="hidden")
    assert button.evaluate(FOCUSED)


TO_A_QUARTER = """heading =>
  scrollTo(0, scrollY + heading.getBoundingClientRect().top - innerHeight / 4)"""


def test_the_contents_mark_the_section_that_is_read(visit):
    page = visit(CHAPTER).page
    for heading in page.locator("article section[id] > h2").all():
        heading.evaluate(TO_A_QUARTER)
        page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        marked = page.locator(".page-toc a[aria-current]")
        section = heading.evaluate("heading => heading.parentElement.id")
        assert marked.get_attribute("href") == f"#{section}"
        assert "active" in marked.get_attribute("class")


WIDE = """() => [...document.querySelectorAll("article :is(pre, .katex-display)")].filter(box =>
  box.scrollWidth > box.clientWidth + 1)"""


def test_the_keyboard_reaches_what_scrolls_also_where_it_was_folded(visit):
    page = visit(CHAPTER, width=390).page
    page.add_style_tag(content="details:not([open]) > :not(summary) { display: none }")
    page.evaluate("dispatchEvent(new Event('resize'))")
    page.wait_for_timeout(500)  # the theme waits for 300 ms
    before = page.evaluate(f"({WIDE})().length")
    page.locator("details.solution > summary").evaluate_all("all => all.forEach(s => s.click())")
    page.wait_for_timeout(500)
    assert page.evaluate(f"({WIDE})().length") > before
    assert page.evaluate(f"({WIDE})().filter(box => box.tabIndex).length") == 0


def test_the_keyboard_reaches_what_scrolls_also_after_the_page_was_printed(visit):
    page = visit(CHAPTER, width=390).page
    page.emulate_media(media="print")  # where lines wrap
    page.evaluate("dispatchEvent(new Event('resize'))")
    page.wait_for_timeout(500)  # the theme waits for 300 ms
    page.emulate_media(media="screen")
    # The browser tells the page in one of its next frames; a page that isn't told waits in vain.
    page.wait_for_function(f"({WIDE})().every(box => box.tabIndex === 0)", timeout=10_000)


CITED = """() => [...document.querySelectorAll("div.citation")].map(entry => [
  entry.querySelector("a[href^=http]").href,
  [...entry.querySelectorAll(".users a")].map(link => `${link.textContent}. ${link.pathname}`),
])"""


def test_each_source_leads_back_to_the_chapters_that_cite_it(visit, folder):
    said = dict(visit("book/bibliography.html").page.evaluate(CITED))
    assert any(said.values())
    cited = {source: [] for source in said}
    for chapter in (page for page in PAGES if (folder / f"_sources/{page}.ipynb").is_file()):
        page = folder / f"{chapter}.html"
        text = page.read_text(encoding="utf-8")
        number = re.search(r'<h1><span class="section-number">(\d+\. )', text)[1]
        for source in {unescape(link) for link in re.findall('href="(http[^"]*)"', text)}:
            cited[source].append(f"{number}/{page.relative_to(folder).as_posix()}")
    wrong = {source: chapters for source, chapters in said.items() if chapters != cited[source]}
    assert wrong == {}


MARKED = """node => {
  const ground = () => getComputedStyle(node).backgroundColor, before = ground();
  location.hash = (node.id ? node : node.parentElement).id;
  return ground() !== before;
}"""


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ("book/bibliography", "div.citation"),
        ("book/api/masks", "dt.sig"),
        ("book/api", "dl.names > dt"),
        (CHAPTER[:-5], "h2"),
    ],
)
def test_what_an_address_leads_to_is_marked(visit, page, kind):
    assert visit(f"{page}.html").page.locator(f"article {kind}").nth(1).evaluate(MARKED)


def test_on_a_phone_the_columns_of_the_conventions_stand_below_each_other(visit):
    cells = visit("book/index.html", width=390).page.locator("#conventions td")
    widths = cells.evaluate_all("all => all.map(cell => cell.offsetWidth).filter(Boolean)")
    assert len(widths) > 30 and min(widths) > 300


COLOURS = """() => [...document.querySelectorAll("article :is(p, td) > a.reference:not(.api)")].map(
  link => `${getComputedStyle(link).color} ${Boolean(link.closest("table"))}`)"""


def test_a_link_in_a_table_has_the_colour_of_one_in_the_text(visit):
    pairs = {tuple(found.rsplit(" ", 1)) for found in visit(CHAPTER).page.evaluate(COLOURS)}
    assert {inside for _, inside in pairs} == {"true", "false"}
    assert len({colour for colour, _ in pairs}) == 1


MOVING = """() => [...document.querySelectorAll("*")].flatMap(node =>
  [null, "::before", "::after"].filter(part => {
    const {transitionDuration, animationName} = getComputedStyle(node, part);
    return /[1-9]/.test(transitionDuration) || animationName !== "none";
  })).length"""


def test_nothing_moves_for_a_reader_who_asks_for_that(visit):
    page = visit("book/index.html").page
    assert page.evaluate(MOVING)
    page.emulate_media(reduced_motion="reduce")
    assert not page.evaluate(MOVING)


ONLINE, FILM = "book/numpy/online.html", "figure.drawn:has(.step-0)"
LIT = """where => [...document.querySelectorAll(`${where} [class^=step-]`)].filter(picture => {
  document.getAnimations().forEach(fading => fading.finish());
  const {left, right} = picture.getBoundingClientRect();
  return getComputedStyle(picture).opacity > .9 && left > -9 && right < innerWidth + 9;
}).map(picture => Number(picture.classList[0].slice(5)))"""
ALL, ALONE = [0, 1, 2, 3], [[0], [1], [2], [3]]
KEEP_THE_BEAT = "window.setInterval = beat => { window.beat = beat; return 0; }"


def button(page, name, where=FILM):
    return page.locator(where).get_by_role("button", name=name)


@pytest.mark.parametrize("press", ["click", "Enter", "Space"])
def test_a_step_lights_the_next_picture_of_a_film_and_at_last_all(visit, press):
    page = visit(ONLINE).page
    page.locator(FILM).hover()
    assert page.evaluate(LIT, FILM) == ALL
    for lit in [*ALONE, ALL, [0]]:
        step = button(page, "Step")
        step.click() if press == "click" else step.press(press)
        assert page.evaluate(LIT, FILM) == lit


def test_a_film_plays_once_and_then_can_be_read(visit):
    page = visit("book/gpu/many-gpus.html").page
    page.evaluate(KEEP_THE_BEAT)
    button(page, "Play").click()
    for lit in ALONE:
        assert page.evaluate(LIT, FILM) == lit
        page.evaluate("beat()")
    assert page.evaluate(LIT, FILM) == ALL
    button(page, "Play").click()
    button(page, "Pause").click()
    assert page.evaluate(LIT, FILM) == [0] and button(page, "Play").is_visible()


def test_a_film_only_steps_for_a_reader_who_wants_nothing_to_move(visit):
    page = visit(ONLINE).page
    page.emulate_media(reduced_motion="reduce")
    assert not button(page, "Play").count()
    button(page, "Step").click()
    assert page.evaluate(LIT, FILM) == [0]
    assert (
        page.locator(f"{FILM} .step-1").evaluate("p => getComputedStyle(p).transitionDuration")
        == "0s"
    )
    page.emulate_media(media="print")
    assert page.evaluate(LIT, FILM) == ALL and not button(page, "Step").count()


def test_by_touch_on_a_phone_the_picture_that_is_lit_is_in_the_window(browser, site):
    view = {"width": 390, "height": 844}
    page = browser.new_context(has_touch=True, viewport=view).new_page()
    page.goto(f"{site}/{ONLINE}")
    page.locator(f"{FILM} svg").tap()
    for lit in ALONE:
        button(page, "Step", "dialog").tap()
        assert page.evaluate(LIT, "dialog") == lit
    page.evaluate("document.querySelector('dialog.enlarged').scrollLeft = 0")
    assert page.evaluate(LIT, "dialog") == []
    page.locator("dialog svg").tap()
    assert not page.get_by_role("dialog").is_visible()
    page.context.close()


def test_without_scripts_a_film_has_no_buttons(visit):
    page = visit(ONLINE, scripts=False).page
    assert page.locator(f"{FILM} svg").is_visible() and not page.locator(".film").is_visible()


EDGES = """() => {
  const edges = selector => [...document.querySelectorAll(selector)].map(node => {
    const {left, right} = node.getBoundingClientRect();
    return [left, right];
  }).filter(([left, right]) => left < right);
  const [[left, right]] = edges("article section > p");
  const around = [".article-header-buttons > *", ".prev-next-area > a", ".bd-footer-content p"];
  return around.flatMap(edges).filter(each => each[0] < left - 10 || each[1] > right + 10);
}"""


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_what_is_around_the_text_keeps_to_its_column(visit, width):
    assert visit(CHAPTER, width=width).page.evaluate(EDGES) == []


def test_without_scripts_menus_open_and_contents_are_there(visit):
    page = visit(CHAPTER, width=390, scripts=False).page
    page.locator(".dropdown-download-buttons > button").focus()
    assert page.locator(".dropdown-download-buttons .dropdown-menu").is_visible()
    assert page.locator(".bd-sidebar-primary a[href*='softmax']").is_visible()
    assert page.locator(".sidebar-toggle:visible").count() == 0
    assert page.locator("body").bounding_box()["width"] == 390


def test_on_a_phone_the_source_that_a_cell_shows_scrolls(visit):
    page = visit("book/pytorch/twins.html", width=390).page
    source = page.locator(".cell_output .highlight-python pre").first
    assert source.evaluate("box => box.scrollWidth > box.clientWidth")
    assert "more-after" in source.get_attribute("class")


def test_on_a_phone_an_output_in_columns_scrolls_and_a_sentence_wraps(visit):
    page = visit("book/gpu/fused.html", width=390).page
    for said, scrolls in (("M learns  trains", True), ("Flash attention requires", False)):
        output = page.locator(".cell_output pre", has_text=said).first
        output.evaluate("box => box.closest('details')?.setAttribute('open', '')")
        assert output.evaluate("box => box.scrollWidth > box.clientWidth") == scrolls
        assert output.evaluate("box => box.classList.contains('more-after')") == scrolls


def test_menus_work_by_keyboard(visit):
    page = visit("book/api.html").page
    page.locator(".dropdown-download-buttons > button").focus()
    page.keyboard.press("Enter")
    menu = page.locator(".dropdown-download-buttons .dropdown-menu")
    assert menu.is_visible()
    page.keyboard.press("Escape")
    assert not menu.is_visible()
