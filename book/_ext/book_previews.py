"""Let a link show what it leads to before anybody goes there, on each page that has a text.

Two extensions do something like it. sphinx-hoverxref 1.4 asks Read the Docs for each text.
sphinx-tippy 0.4 puts all texts, drawings included, into a script that each page loads, asks
unpkg.com for its library, shows no chapter's promise and no source that is cited by its address,
and Escape does not close it.
"""


def _load(app, pagename, templatename, context, doctree):
    if context.get("body"):
        app.add_css_file("previews.css")
        app.add_js_file("previews.js", loading_method="defer")


def setup(app):
    app.connect("html-page-context", _load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
