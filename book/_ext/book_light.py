"""Leave out of each page the scripts, the styles and the marks in code that it does not use."""

import re

NEVER = ("sphinx_highlight", "thebe", "togglebutton", "toggleHint", "toggleOpenOnPrint")
USED_BY = {  # part of a file's name or of an inline script -> what the page must then contain
    "clipboard": 'class="highlight',
    "copybutton": 'class="highlight',
    "design-tabs": "sd-tab-set",
    "exercise.css": "exercise",
    "katex": 'class="katex',
    "mystnb": 'class="cell',
    "sphinx-design": 'class="sd-',
}
THEBE = re.compile(r"<script type=.text/x-thebe.*?<script>kernelName = .*?</script>", re.DOTALL)
PLAIN = re.compile(r'<span class="[np]">([^<]*)</span>')  # names and brackets: as other code


def _name(asset):
    return getattr(asset, "attributes", {}).get("body") or getattr(asset, "filename", asset)


def _needed(name, body):
    if any(part in name for part in NEVER):
        return False
    return all(mark in body for part, mark in USED_BY.items() if part in name)


def _lighten(app, pagename, templatename, context, doctree):
    body = context.get("body", "")
    for kind in ("script_files", "css_files"):
        once = {_name(asset): asset for asset in context.get(kind, [])}
        context[kind] = [asset for name, asset in once.items() if _needed(name, body)]
    if body:
        context["body"] = PLAIN.sub(r"\1", THEBE.sub("", body))


def setup(app):
    app.connect("html-page-context", _lighten, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
