"""On the map of the book, at each chapter, the names of its exercises, for `map.mjs` to count."""

import re

from book_progress import exercises
from sphinx.util import logging

MAP = "book/_static/map.svg"
LINK = re.compile(r'<a href="\.\./(book/[^"]+)\.html"')
log = logging.getLogger(__name__)


def _pages(env):
    """The pages that show the map."""
    return env.images[MAP][0] if MAP in env.images else set()


def _again(app, env):
    """Write them again whatever has changed: the exercises of all chapters are in them."""
    return sorted(_pages(env))


def _name(app, pagename, templatename, context, doctree):
    if pagename not in _pages(app.env):
        return
    cards = exercises(app.env)

    def with_names(link):
        if link[1] not in cards:
            log.warning("the map leads to %s, which is no chapter: run make notebooks", link[1])
            return link[0]
        names = " ".join(name for _, _, name in cards[link[1]])
        return f'{link[0]} data-exercises="{names}"'

    context["body"] = LINK.sub(with_names, context["body"])
    app.add_js_file("live/map.mjs", type="module")
    app.add_css_file("live/map.css", priority=900)


def setup(app):
    app.connect("env-updated", _again)
    app.connect("html-page-context", _name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
