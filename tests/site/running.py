"""A page that runs, as a reader uses it."""

import pytest

from tools import runtime

NEEDS_PYTHON = pytest.mark.skipif(
    not runtime.FOLDER.is_dir(), reason="this machine has no files that run Python in a page"
)
PAGE = "book/numpy/weighted-average.html"
PLAIN = 5  # a cell of it that needs few of those above it, and draws nothing
PATIENCE = 600_000  # milliseconds, on a machine that does much else
DONE = "document.documentElement.dataset.live && !document.querySelector('.live-busy')"
STATIC = """cell => [...cell.querySelectorAll('.cell_output pre')]
  .filter(pre => !pre.closest('.live-output')).map(pre => pre.textContent).join('').trim()"""
AS_IT_WAS = """() => {  // no fold of a reader's is open, no cell edited, no exercise begun
  if (document.querySelector(".live-busy")) document.querySelector(".live-page .restart").click();
  const used = document.querySelectorAll("section.exercise .reset, .reset:not([hidden])");
  used.forEach(button => button.click());
  document.querySelectorAll("article details[open]").forEach(fold => { fold.open = false; });
}"""
SHOWN = """cell => [...cell.querySelectorAll('.live-output pre')]
  .map(pre => pre.textContent).join('').trim()"""


class Live:
    """A page that runs, in the `window` if it has one of its own; its cells by their numbers."""

    def __init__(self, page, window=None):
        self.page, self.window = page, window
        page.wait_for_function("document.documentElement.dataset.live")

    def cell(self, number):
        return self.page.locator(f"#cell-{number}")

    def as_it_was(self):
        """The page as the book has it; Python goes on, with the cells that have run as they are."""
        self.page.evaluate(AS_IT_WAS)
        return self

    def press(self, number, name):
        self.cell(number).get_by_role("button", name=name, exact=False).click()

    def done(self):
        self.page.wait_for_function(DONE, timeout=PATIENCE)

    def first(self):
        """The number of the first cell that prints."""
        prints = self.page.locator("div.cell[id]", has=self.page.locator(".cell_output pre"))
        return int(prints.first.get_attribute("id").removeprefix("cell-"))

    def shown(self, number):
        return self.cell(number).evaluate(SHOWN)

    def run(self, number):
        self.cell(number).locator(".run").click()
        self.done()
        return self.shown(number)

    def write(self, number, text):
        cell = self.cell(number)
        if cell.locator(".edit").is_visible():
            cell.locator(".edit").click()
        cell.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)

    def exercise(self, name):
        """The number of the cell that checks this exercise."""
        check = f"exercises.{name}.check("
        found = self.page.locator("div.cell[id]", has_text=check).first.get_attribute("id")
        return int(found.removeprefix("cell-"))
