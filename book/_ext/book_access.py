"""Mend the places where the tools' HTML misleads a screen reader."""

import re

SIGNATURE = re.compile(r'<dt class="sig .*?</dt>', re.DOTALL)
MENDED = {
    ' aria-label="Toggle hidden content"': "",  # myst-nb 1.4: it hides the summary's own words
    '<th class="head"></th>': "<td></td>",  # the corner of a table heads nothing
    '<th class="head"><p></p></th>': "<td></td>",  # nor does one written in Markdown
    ' role="doc-biblioentry"': ' role="listitem"',  # docutils 0.21: not a child of role="list"
}


def _no_list(signature):
    # Sphinx 7: a definition list without a term, for parameters on lines of their own
    opened = signature[0].replace("<dl>", '<span class="sig-lines">').replace("<dd>", "<span>")
    return opened.replace("</dl>", "</span>").replace("</dd>", "</span>")


def _mend(app, pagename, templatename, context, doctree):
    body = context.get("body", "")
    for wrong, right in MENDED.items():
        body = body.replace(wrong, right)
    context["body"] = SIGNATURE.sub(_no_list, body)
    contents = context.get("generate_toctree_html", str)

    def with_names(*args, **options):  # pydata-sphinx-theme 0.17: what unfolds pages has no name
        found = str(contents(*args, **options))
        return found.replace("<summary>", '<summary aria-label="The pages of this one">')

    context["generate_toctree_html"] = with_names


def setup(app):
    app.connect("html-page-context", _mend, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
