"""Write the stylesheet of all colours, from the one table that figures are drawn with, too."""

from pathlib import Path

SHEET = "colours.css"


def _stylesheet(named, painted, kinds):
    """Each colour as a property, and the rules by which the parts of a figure have theirs."""
    properties = "".join(f"--attn-{name}:{color};" for name, color in named.items())
    rules = (
        f".{kind}-{name}{{{kind}:{color}}}" for name, color in painted.items() for kind in kinds
    )
    return f":root{{{properties}}}\n{''.join(rules)}\n"


def _either(table):
    return {name: f"light-dark({day},{dark})" for name, (day, dark) in table.items()}


def _write(app):
    from attnbook.colours import FIGURES, KINDS, PAGES, STEPS

    named = _either(PAGES | FIGURES)
    painted = {name: f"var(--attn-{name})" for name in FIGURES} | _either(STEPS)
    static = Path(app.outdir, "_static")
    static.mkdir(parents=True, exist_ok=True)
    (static / SHEET).write_text(_stylesheet(named, painted, KINDS), encoding="utf-8")
    app.config.html_context["colours"] = named  # for a page without stylesheets


def setup(app):
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
