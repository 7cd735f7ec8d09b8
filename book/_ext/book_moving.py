"""Load what a figure that moves needs, on pages that have one; book_notebooks places it."""

from book_live import FROM_FILE

MARK = 'class="moving"'
LOST = """for (const place of document.querySelectorAll('.moving')) place.append(
Object.assign(document.createElement('p'), { role: 'status', textContent:
'The script of this figure could not be loaded: look at the network, then reload the page.' }))"""


def _load(app, pagename, templatename, context, doctree):
    if MARK in context.get("body", ""):
        app.add_js_file(None, body=FROM_FILE, priority=100)
        app.add_js_file("live/moving.mjs", type="module", onerror=LOST)
        app.add_css_file("live/moving.css", priority=900)


def setup(app):
    app.connect("html-page-context", _load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
