"""Make the figures of a notebook small: 256 colours are more than they have."""

import base64
import io

from PIL import Image


def shrink(notebook):
    """Replace each PNG among the outputs by one of 256 colours, about a third of its size."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = _smaller(output.data["image/png"])


def _smaller(text):
    small = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(text))) as image:
        # MAXCOVERAGE keeps pale shades apart; the other methods merge or shift them.
        few = image.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=0)
        few.save(small, "PNG", optimize=True)
    return base64.b64encode(small.getvalue()).decode()
