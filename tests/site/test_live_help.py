"""What a page that runs says to a reader who is stuck: each time what to press."""

import re

from playwright.sync_api import expect
from running import NEEDS_PYTHON, PAGE, PATIENCE, PLAIN, Live

pytestmark = NEEDS_PYTHON
RESTARTED = "Restarted: all variables are gone, and your edits are kept."


def test_much_output_scrolls_in_a_box_that_the_keyboard_reaches(live_on):
    opened = live_on()
    opened.write(PLAIN, "for i in range(10**5): print(i)")
    shown = opened.run(PLAIN)
    assert "is not shown" in shown and shown.count("\n") < 3000
    box = opened.cell(PLAIN).locator(".live-output pre")
    assert box.bounding_box()["height"] < 700
    assert box.evaluate("box => [box.tabIndex, box.ariaLabel]") == [0, f"Output of cell {PLAIN}"]
    opened.write(PLAIN, "print(1)")
    opened.run(PLAIN)
    assert box.get_attribute("aria-label") is None


MAGIC = {
    "!pip install einops": "no packages can be installed there",
    "%timeit 1": "no packages can be installed there",
    "pip install einops": "no packages can be installed there",
    "import torch": "open the notebook on your own machine",
    "def f(:": "SyntaxError: invalid syntax",
}


def test_what_only_a_notebook_can_do_is_told_so(live_on):
    opened = live_on()
    for source, said in MAGIC.items():
        opened.write(PLAIN, source)
        shown = opened.run(PLAIN)
        assert said in shown and ("NumPy" in shown) == (source != "def f(:"), source


def test_reset_says_that_an_answer_is_taken_out_and_how_it_comes_back(live_on):
    opened = live_on()
    opened.write(3, "print('mine')")
    opened.press(3, "Reset")
    status = opened.cell(3).locator("[role=status]")
    assert status.inner_text().startswith("the book's code is back, without your edits")
    opened.cell(3).locator(".cm-content").click()
    opened.page.keyboard.press("ControlOrMeta+z")
    assert "mine" in opened.cell(3).locator(".cm-content").inner_text()


def test_a_name_that_is_lost_is_told_with_what_to_press(live_on):
    opened = live_on()
    check = "exercises.weighted_average.normalise.check(normalise)"
    opened.write(PLAIN, f"def normalise(affinities):\n    return mine(affinities)\n\n{check}")
    told = opened.run(PLAIN)
    assert "NameError: name 'mine' is not defined" in told and "Run or Check below it" in told
    opened.write(PLAIN, f"del exercises\n{check}")
    told = opened.run(PLAIN)
    assert "NameError: name 'exercises' is not defined" in told
    assert "press Run or Check" in told and "press Restart at the top" in told


def test_restart_says_what_is_gone_and_what_stays(live_on):
    opened = live_on()
    told = opened.page.locator(".live-page [role=status]")
    opened.page.locator(".live-page .restart").click()
    assert told.inner_text() == RESTARTED
    opened.run(3)
    opened.write(3, "print('mine')")
    opened.page.locator(".live-page .restart").click()
    assert told.inner_text() == RESTARTED
    assert opened.shown(3) == "" and "mine" in opened.cell(3).inner_text()


def test_the_exercises_name_the_buttons_before_any_call(live):
    page = live("book/numpy/softmax.html").page
    section = page.locator("section#exercises")
    text = section.inner_text()
    assert -1 < text.index("press Check, Hint or Solution") < text.index("hint()")


SPY = """const compiling = WebAssembly.instantiateStreaming;
WebAssembly.instantiateStreaming = async (source, ...rest) => {
  const response = await source;
  console.log(`compiled from ${response.url}`);
  return compiling(response, ...rest);
};
"""
AS_IT_CAME = "  return response;\n};"
MADE = "  return new Response(response.body, response);\n};"


def told_so(message):
    return message.text.startswith("compiled from")


def compiled_from(browser, site, worker):
    """The address of the response that Python is compiled from, in a page with this worker."""
    page = browser.new_context().new_page()  # no service worker answers in its stead
    answer = {"body": SPY + worker, "content_type": "text/javascript"}
    page.route(re.compile("/live/worker.mjs"), lambda route: route.fulfill(**answer))
    page.goto(f"{site}/{PAGE}")
    with page.expect_console_message(told_so, timeout=PATIENCE) as told:
        assert Live(page).run(3)
    page.context.close()
    return told.value.text.removeprefix("compiled from").strip()


def test_the_browser_can_keep_the_compiled_python(browser, site, folder):
    """It does so only of a response that came from an address, not of one that a script made."""
    worker = (folder / "_static/live/worker.mjs").read_text(encoding="utf-8")
    assert worker.count(AS_IT_CAME) == 1
    assert compiled_from(browser, site, worker).endswith(".wasm")
    assert compiled_from(browser, site, worker.replace(AS_IT_CAME, MADE)) == ""


def test_a_page_whose_script_does_not_come_says_so(browser, site):
    page = browser.new_context().new_page()
    page.route(re.compile("/live/store.mjs"), lambda route: route.abort())  # which it needs
    page.goto(f"{site}/{PAGE}")
    told = page.locator(".live-page [role=status]")
    expect(told).to_contain_text("could not be loaded: look at the network")
    page.context.close()
