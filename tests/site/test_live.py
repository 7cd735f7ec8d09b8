"""Pages that run: what their cells show, and what a reader does with them, in a real browser.

Nothing here asserts a time. A wait ends when the page says that it is done.
"""

import json
import string
from pathlib import Path

import faults
import looks
import pytest
from browsing import served
from playwright.sync_api import expect
from running import NEEDS_PYTHON, PAGE, PATIENCE, PLAIN, STATIC, Live

from attnbook import exercises
from tools import runtime, toc

pytestmark = NEEDS_PYTHON
LIVE = [page for page in toc.chapters() if page.startswith("book/numpy/")]
EVERY_EIGHTH = [  # each takes a quarter of a minute, some of them three
    page if n % 8 == 5 else pytest.param(page, marks=pytest.mark.everywhere)
    for n, page in enumerate(LIVE)
]

JUDGE = """from attnbook.exercises import find

def verdict(each, answer):
    several = each.kind == "Break" and isinstance(answer, tuple)
    return each.verdict(*answer) if several else each.verdict(answer)

for name in exercises.names([{chapter!r}]):
    each = find(name)
    right = verdict(each, each.answer if each.kind == "Write" else each.answer())
    known = each.mistakes[0]
    wrong = verdict(each, known.answer)
    assert right.state == "right", (name, right)
    assert wrong.state == "wrong" and known.sentence in wrong.text, (name, wrong)
print("all judged")"""


@pytest.mark.parametrize("page", EVERY_EIGHTH)
def test_cells_print_what_the_page_shows_and_exercises_judge(page, visit):
    """In one Python, since each page takes seconds to begin one."""
    window = visit(f"{page}.html")
    live = Live(window.page)
    window.page.locator(".live-page .run-all").click()
    live.done()
    assert compared(live, page) > 10
    chapter = page.rpartition("/")[2].replace("-", "_")
    number = live.exercise(exercises.names([chapter])[0])
    live.write(number, JUDGE.format(chapter=chapter))
    assert live.run(number) == "all judged"
    assert window.complaints == faults.elsewhere(window) == []


def compared(live, page):
    """Compare all that the cells show with the page's own; return of how many the text."""
    text = (runtime.ROOT / f"{page}.ipynb").read_text(encoding="utf-8")
    codes = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    cells = [(number, code) for number, code in enumerate(codes, 1) if not checks(code)]
    for number, code in cells:
        assert "live-ran" in live.cell(number).get_attribute("class"), number
        if not varies(code):
            assert live.shown(number) == live.cell(number).evaluate(STATIC), number
        drawings = sum("image/svg+xml" in output.get("data", {}) for output in code["outputs"])
        drawn = live.cell(number).locator('.live-output [data-kind="svg"] svg')
        assert drawn.count() == drawings, number
    return sum(not varies(code) for _, code in cells)


def checks(code):
    return ".check(" in "".join(code["source"])


def varies(code):
    return "nbval-ignore-output" in code["metadata"].get("tags", [])


def test_a_request_of_the_worker_to_another_host_is_seen(live_on):
    live = live_on()
    window = live.window
    first = live.first()
    live.write(first, "import js; js.fetch('http://127.0.0.2:9/x'); 1")
    assert live.run(first) == "1"
    window.page.wait_for_timeout(100)
    assert any("127.0.0.2" in fault for fault in faults.elsewhere(window))


def test_what_another_page_has_solved_meanwhile_is_kept(live_on):
    opened = live_on("book/numpy/masks.html")
    number = opened.exercise("masks.causal_mask")
    opened.run(number)  # Python has begun, with the record as it was
    record = json.dumps({"masks.added": {"tries": 1, "solved": "2026-01-05"}})
    opened.page.evaluate("text => localStorage.setItem('attnbook-progress', text)", record)
    opened.write(number, "exercises.masks.causal_mask.check(lambda n_q, n_k: np.ones((n_q, n_k)))")
    assert opened.run(number).startswith("Not yet")
    kept = json.loads(opened.page.evaluate("localStorage.getItem('attnbook-progress')"))
    assert kept.keys() == {"masks.added", "masks.causal_mask"}


def test_only_the_answer_that_was_asked_for_opens(live_on):
    opened = live_on("book/numpy/masks.html")
    folds = opened.page.locator("details.reveal")
    opened.run(opened.exercise("masks.causal_mask"))
    assert folds.evaluate_all("all => all.filter(fold => fold.open).length") == 0
    cell = opened.page.locator("div.cell[id]", has=folds.first).first
    opened.run(int(cell.get_attribute("id").removeprefix("cell-")))
    assert folds.evaluate_all("all => all.filter(fold => fold.open).length") == 1


def test_a_mistake_in_an_answer_is_named_and_the_right_one_is_kept(live_on, site):
    opened = live_on("book/numpy/masks.html")
    number = opened.exercise("masks.causal_mask")
    assert opened.run(number) == "Not attempted yet."
    answer = (
        "def causal_mask(n_q, n_k):\n    return np.tri(n_q, n_k, {}, dtype=bool)\n\n"
        "exercises.masks.causal_mask.check(causal_mask)"
    )
    opened.write(number, answer.format(0))
    assert opened.run(number).startswith("Not yet: the triangle is anchored at the top left")
    card = opened.page.locator("section.exercise", has=opened.cell(number))
    assert "solved" not in card.get_attribute("class")
    opened.write(number, answer.format("n_k - n_q"))
    assert opened.run(number).startswith("Correct.")
    assert "solved" in card.get_attribute("class")
    later = opened.page.context.new_page()
    later.goto(opened.page.url)
    again = Live(later).cell(number)
    expect(again).to_contain_text("n_k - n_q")
    assert "solved" in later.locator("section.exercise", has=again).get_attribute("class")
    later.goto(f"{site}/book/progress.html")
    mark = later.locator("[data-exercise='masks.causal_mask']")
    mark.filter(has_text="solved on 20").wait_for()
    later.close()


def test_a_page_with_an_editor_and_outputs_has_no_fault(live_on):
    live = live_on("book/numpy/masks.html")
    window = live.window
    number = live.exercise("masks.causal_mask")
    live.write(number, "print('x' * 200)\nnp.eye(3)")
    live.run(number)
    first = live.first()
    live.write(first, "1 / 0")
    live.run(first)
    assert faults.complaints(window) == faults.elsewhere(window) == []
    views = [("light", 1280), ("dark", 1280), ("light", 390)]
    for view in views:
        window.look(*view)
        assert looks.overflow(window) == [], view
    faults.strip(window)
    for scheme, width in views:
        window.look(scheme, width)
        judge = faults.barriers if width == 1280 else faults.barriers_on_a_phone
        assert faults.pale(window) == judge(window) == [], (scheme, width)
    window.page.reload()  # for whoever uses it next


HOSTILE = {
    "1 / 0": "ZeroDivisionError: division by zero",
    "def f(:": "SyntaxError: invalid syntax",
    "[np.empty(10**7) for _ in range(1000)]": "Unable to allocate",
    "def f(n):\n    return f(n + 1)\nf(0)": "RecursionError",
    "import sys; sys.exit()": "SystemExit",
    "raise KeyboardInterrupt": "KeyboardInterrupt",
    "import os; os._exit(1)": "The next run begins a new one",
    "import torch": "open the notebook on your own machine",
    "open('nowhere')": "FileNotFoundError",
    "input()": "write the text into the cell",
}


def test_whatever_a_cell_does_the_page_goes_on(live_on):
    opened = live_on()
    for source, told in HOSTILE.items():
        opened.write(PLAIN, source)
        shown = opened.run(PLAIN)
        assert told in shown and len(shown) < 600, source
        opened.write(PLAIN, "print(np.ones(2) + 2)")
        assert opened.run(PLAIN) == "[3. 3.]", source


def test_an_endless_loop_is_stopped_and_the_next_run_begins_anew(live_on):
    opened = live_on()
    opened.write(PLAIN, "mine = 1\nprint('begun', flush=True)\nwhile True: pass")
    opened.cell(PLAIN).locator(".run").click()
    opened.cell(PLAIN).locator(".live-output", has_text="begun").wait_for(timeout=PATIENCE)
    assert opened.cell(PLAIN).locator(".run").inner_text() == "Stop"
    opened.cell(PLAIN).locator(".run").click()
    opened.done()
    assert opened.shown(PLAIN).endswith(
        "Stopped. The next run begins a new Python, without the variables of this one."
    )
    opened.write(PLAIN, "print('mine' in globals(), len(weights))")
    assert opened.run(PLAIN) == "False 3"  # the cells above have run again


def test_a_cell_that_prints_for_ever_drowns_no_page(live_on):
    opened = live_on()
    opened.write(PLAIN, "while True: print('x' * 50)")
    opened.cell(PLAIN).locator(".run").click()
    cut = "what it prints from here on is not shown"
    opened.cell(PLAIN).locator(".live-output", has_text=cut).wait_for(timeout=PATIENCE)
    opened.cell(PLAIN).locator(".run").click()
    opened.done()
    assert len(opened.shown(PLAIN)) < 120_000


def test_a_cell_needs_those_above_it_and_says_which_of_them_failed(live_on):
    opened = live_on()
    first = opened.exercise("weighted_average.by_hand")
    opened.write(3, "raise ValueError('mine')")
    shown = opened.run(first)
    assert "cell 3 ended with an error. You have edited it: Reset brings" in shown
    opened.cell(3).locator(".reset").click()
    assert opened.run(first) == "Not attempted yet."
    opened.write(3, "np = None")
    opened.run(3)
    opened.cell(3).locator(".reset").click()
    assert "cell 3 ended with an error. It is the book's own code: if" in opened.run(first)
    opened.page.locator(".live-page .restart").click()
    assert opened.run(first) == "Not attempted yet."


def test_the_keys_that_python_needs_reach_the_editor(live_on):
    """Typed, not inserted: the page has keys of its own, as "/" for its search."""
    opened = live_on()
    opened.write(PLAIN, "")
    opened.page.keyboard.type(string.punctuation)
    assert opened.cell(PLAIN).locator(".cm-content").inner_text() == string.punctuation


def test_an_answer_without_its_check_is_told_so(live_on):
    opened = live_on()
    number = opened.exercise("weighted_average.very_wide")
    opened.write(number, "1")
    assert opened.run(number) == "1"
    status = opened.cell(number).locator("[role=status]")
    assert status.inner_text().startswith("ran, but checked no answer")


def test_keys_run_a_cell_and_leave_its_editor(live_on):
    opened = live_on()
    opened.write(3, "print(6 * 7)")
    opened.page.keyboard.press("Shift+Enter")
    opened.done()
    assert opened.shown(3) == "42"
    opened.page.keyboard.press("Escape")
    focused = "document.activeElement.getAttribute('aria-label')"
    assert opened.page.evaluate(focused) == "Run cell 3"


def test_hints_come_one_by_one_and_stay_and_the_solution_opens(live_on):
    opened = live_on()
    number = opened.exercise("weighted_average.normalise")
    told = opened.run(number)
    both = """cell => {
        const [run, hint] = ["run", "hint"].map(name => cell.querySelector(`.${name}`));
        run.click(), hint.click();
        return run.textContent + ", " + cell.querySelector("[role=status]").textContent;
    }"""  # at once, since the run may have ended by the next call
    shown = opened.cell(number).evaluate(both)
    assert shown == "Stop, still running: press Hint when it has ended"
    opened.done()
    assert "Hint" not in opened.shown(number)
    for hint in (1, 2, 3):
        opened.press(number, "Hint")
        opened.done()
        assert opened.shown(number).startswith(told)
        assert opened.shown(number).count("Hint") == hint
    status = opened.cell(number).locator("[role=status]")
    assert status.inner_text() == "gave a hint"
    opened.press(number, "Hint")
    opened.done()
    assert status.inner_text().startswith("all hints are shown")
    assert opened.run(number).startswith(told) and opened.shown(number).count("Hint") == 3
    opened.page.locator(".live-page .restart").click()
    opened.press(number, "Hint")
    opened.done()
    assert opened.shown(number).startswith("Hint 1 of 3: ")
    card = opened.page.locator("section.exercise", has=opened.cell(number))
    assert not card.locator("details.solution").is_visible()
    opened.press(number, "Solution")
    assert card.locator("details.solution p").first.is_visible()


def test_all_cells_run_until_one_fails_or_the_reader_stops_them(live_on):
    opened = live_on()
    every = opened.page.locator(".live-page .run-all")
    told = opened.page.locator(".live-page [role=status]")
    every.click()
    opened.done()
    assert told.inner_text().startswith("All cells ran")
    opened.write(3, "1 / 0")
    every.click()
    opened.done()
    assert told.inner_text().startswith("Not all cells ran: cell 3 ended with an error. You have")
    opened.write(3, "print('begun')\nwhile True: pass")
    every.click()
    begun = opened.cell(3).locator(".live-output", has_text="begun")
    begun.wait_for(state="attached", timeout=PATIENCE)  # its answer stays folded
    assert every.inner_text() == "Stop"
    every.click()
    opened.done()
    assert told.inner_text() == "Not all cells ran: cell 3 was stopped."
    assert every.inner_text() == "Run all"


def test_the_page_is_taken_along_with_its_edits(live_on):
    opened = live_on()
    opened.write(3, "print('mine')")
    with opened.page.expect_download() as taken:
        opened.page.locator(".live-page .download").click()
    notebook = json.loads(Path(taken.value.path()).read_text(encoding="utf-8"))
    codes = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    own = json.loads((runtime.ROOT / "book/numpy/weighted-average.ipynb").read_text())
    originals = [cell for cell in own["cells"] if cell["cell_type"] == "code"]
    assert [
        i
        for i, (a, b) in enumerate(zip(codes, originals, strict=True), 1)
        if a["source"] != b["source"]
    ] == [3]
    assert codes[2]["source"] == "print('mine')"


def test_nothing_is_asked_for_before_a_reader_asks(visit):
    window = visit(PAGE)
    Live(window.page)
    own = [url.removeprefix(window.root) for url in window.requests]
    assert not [url for url in own if "/python/" in url or "codemirror" in url or "worker" in url]


def test_the_page_runs_without_a_network_after_the_first_run(folder, browser):
    with served(folder) as root:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{root}/{PAGE}")
        opened = Live(page)
        assert opened.run(3)
        page.wait_for_function("navigator.serviceWorker.controller")
        page.reload()  # what was loaded before the first run is kept now
        assert Live(page).run(3)
    page.reload()
    opened = Live(page)
    opened.write(3, "print(40 + 2)")
    assert opened.run(3) == "42"
    context.close()


REGISTERED_LATE = """const kept = navigator.serviceWorker, register = kept.register.bind(kept);
const late = new Promise(resolve => { globalThis.pythonHasCome = resolve; });
kept.register = async (...wanted) => { await late; return register(...wanted); };"""
ALL_KEPT = """async root => {
  const last = ["/python/kernel.py", "/_static/live/codemirror.mjs"];
  const kept = () => Promise.all(last.map(file => caches.match(root + file)));
  for (let tries = 0; tries < 3000; tries++) {
    if ((await kept()).every(Boolean)) return true;
    await new Promise(soon => setTimeout(soon, 100));
  }
}"""


def test_whoever_has_run_a_cell_finds_python_begun_and_nobody_else(folder, browser):
    page = browser.new_context().new_page()
    page.add_init_script(REGISTERED_LATE)  # Python is quicker than the service worker, for once
    with served(folder) as root:
        page.goto(f"{root}/{PAGE}")
        opened = Live(page)
        opened.cell(3).hover()
        page.wait_for_timeout(300)
        assert not page.workers  # this browser keeps no Python, and nobody has asked for it
        assert opened.run(3)
        page.evaluate("pythonHasCome()")
        assert page.evaluate(ALL_KEPT, root)
        page.mouse.move(0, 0)
        page.goto(f"{root}/{LIVE[1]}.html")
        opened = Live(page)
        page.wait_for_timeout(300)
        assert not page.workers  # whoever only reads begins nothing
    with page.expect_worker():  # without a network: from what the browser keeps
        opened.cell(opened.first()).hover()
    assert opened.run(opened.first())
    page.context.close()


WRONG_FILES = {
    "[": "is not a record",
    "[1]": "is not a record",
    "null": "is not a record",
    "{}": "0 taken from 3.json, which names no exercise of this book",
}


def test_a_file_takes_progress_from_one_browser_to_another(browser, site, tmp_path):
    def begin():
        page = browser.new_context().new_page()
        page.goto(f"{site}/book/progress.html")
        page.locator(".live-page [role=status]", has_text="solved").wait_for()
        return page

    one, other = begin(), begin()
    record = {"masks.added": {"tries": 2, "solved": "2026-01-05"}, "of.another_book": {"tries": 1}}
    one.evaluate("record => localStorage.setItem('attnbook-progress', record)", json.dumps(record))
    with one.expect_download() as taken:
        one.locator(".save").click()
    file = tmp_path / "progress.json"
    taken.value.save_as(file)
    other.locator("input[type=file]").set_input_files(file)
    other.locator("[data-exercise='masks.added']", has_text="solved on 2026-01-05").wait_for()
    assert "1 taken from progress.json" in other.locator(".live-page [role=status]").inner_text()
    for number, (wrong, told) in enumerate(WRONG_FILES.items()):
        other.evaluate("document.querySelector('.live-page [role=status]').textContent = ''")
        file = tmp_path / f"{number}.json"
        file.write_text(wrong, encoding="utf-8")
        other.locator("input[type=file]").set_input_files(file)
        other.locator(".live-page [role=status]", has_text=told).wait_for()
        assert other.locator("li.solved").count() == 1
    bar, map = (other.locator(place).bounding_box() for place in (".live-page", "#my-map"))
    assert bar["y"] < map["y"]
    for page in (one, other):
        page.context.close()
