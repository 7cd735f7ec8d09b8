"""Write the book in one picture, for its first page and for links to it: `python -m tools.hero`."""

import io
from pathlib import Path

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from attnbook import plots
from attnbook.colours import PAPER
from attnbook.plots.style import STYLE

STATIC = Path(__file__).resolve().parents[1] / "book" / "_static"
SHARED = 1200, 630  # pixels of the picture that shows a link


def shared(figure):
    """The figure in the middle of a picture of the size that links are shown with."""
    drawn = io.BytesIO()
    with rc_context(STYLE):
        FigureCanvasAgg(figure).print_figure(drawn, dpi=SHARED[1] / figure.get_figheight())
    with Image.open(drawn) as image:
        picture = Image.new("RGB", SHARED, PAPER)
        picture.paste(image.convert("RGB"), ((SHARED[0] - image.width) // 2, 0))
    return picture


def main(folder=STATIC):
    drawing = plots.book_in_one_picture()
    (folder / "hero.svg").write_text(drawing.svg, encoding="utf-8")
    shared(drawing.figure).quantize(128).save(folder / "hero.png", optimize=True)


if __name__ == "__main__":
    main()
