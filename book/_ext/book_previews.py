"""Let a link show what it leads to before anybody goes there: `previews.js`, on every page.

Two extensions do something like it. sphinx-hoverxref 1.4 asks Read the Docs for each text.
sphinx-tippy 0.4 puts all texts into a script that each page loads, drawings included, asks unpkg.com
for its library, shows no chapter's promise and no source that is cited by its address, and Escape
does not close it.
"""


def setup(app):
    app.add_css_file("previews.css")
    app.add_js_file("previews.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
