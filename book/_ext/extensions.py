"""All that the site makes of the notebooks and of the package: each `book_….py` in this folder."""

from pathlib import Path


def setup(app):
    for module in sorted(Path(__file__).parent.glob("book_*.py")):
        app.setup_extension(module.stem)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
