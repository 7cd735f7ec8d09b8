"""After the build, leave out of the generated stylesheets what no page can use."""

import re
from pathlib import Path

import pydata_sphinx_theme

SHEET = "styles/pydata-sphinx-theme.css"
USED = "styles/theme-used.css"  # linked by _templates/static/webpack-macros.html
COPIED = (
    "basic.css",
    "colours.css",
    "mystnb.*.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "katex/katex.min.css",
)
THEME = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static"
COMMENT = re.compile(r"(/\*.*?\*/)", re.DOTALL)
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
COMMA = re.compile(r",(?![^()]*\))")
OPTIONAL = re.compile(r":(?:not|is|where|has)\([^()]*\)")
NAME = re.compile(r"[.#](-?[A-Za-z_][\w-]*)")
READ = re.compile(r"var\(\s*--([\w-]+)")
SET = re.compile(r"--([\w-]+):[^;{}]*;?")
EMPTY = re.compile(r"[^{};/]+\{\s*\}")
WORD = re.compile(r"[A-Za-z_][\w-]*")


def purge(css, words):
    """The stylesheet without the selectors that name a class or an id outside `words`.

    And without the properties, as `--gap: 1em`, that neither it nor `words` names otherwise.
    """

    def alive(selector):
        return all(name in words for name in NAME.findall(OPTIONAL.sub("", selector)))

    def rule(match):
        selectors = [selector for selector in COMMA.split(match[1]) if alive(selector)]
        return f"{','.join(selectors)}{{{match[2]}}}" if selectors else ""

    def needed(part):
        part = SET.sub(lambda found: found[0] if found[1] in read else "", RULE.sub(rule, part))
        return EMPTY.sub("", part)

    read = words.union(READ.findall(css))
    parts = COMMENT.split(css)  # comments hold licences, and stay
    return "".join(part if part.startswith("/*") else needed(part) for part in parts)


def _purge(app, error):
    if error or app.builder.name != "html":
        return
    pages = [*Path(app.outdir).rglob("*.html"), *Path(app.outdir, "_static").rglob("*.js")]
    used = [p for p in pages if p.name not in ("fontawesome.js", "bootstrap.js")]
    words = {word for path in used for word in WORD.findall(path.read_text(encoding="utf-8"))}
    static = Path(app.outdir, "_static")
    for path in set(static.rglob("*.css")) - {static / SHEET, static / USED}:
        words.update(READ.findall(path.read_text(encoding="utf-8")))
    sheets = {static / USED: THEME / SHEET}
    sheets |= {copy: copy for pattern in COPIED for copy in static.glob(pattern)}
    for sheet, whole in sheets.items():
        sheet.write_text(purge(whole.read_text(encoding="utf-8"), words), encoding="utf-8")


def setup(app):
    app.connect("build-finished", _purge, priority=900)  # each build copies them whole before
    return {"parallel_read_safe": True, "parallel_write_safe": True}
