"""A figure that looks as before stays as it is in the notebook; one that looks other is taken."""

import base64
import io

import numpy as np
import pytest
from nbformat.v4 import new_output
from PIL import Image, ImageDraw

from tools.figures import keep

SVG = (
    '<svg><path id="f1a2b3c4-i1" d="M10.25 20L30 .5" stroke="#1d5a96" stroke-width="1.2"/>'
    '<text x="5" y="7.5" opacity=".5">0.42</text><use href="#f1a2b3c4-i1"/></svg>'
)


def drawn(end, colour="black"):
    """A PNG of a line to a place, which may lie between two pixels."""
    image = Image.new("RGB", (3200, 1600), "white")
    ImageDraw.Draw(image).line([(0, 0), (3160, end * 16)], fill=colour, width=32)
    written = io.BytesIO()
    image.resize((200, 100), Image.Resampling.LANCZOS).save(written, "PNG")
    return base64.b64encode(written.getvalue()).decode()


def kept(kind, old, new):
    """Whether the earlier figure is put back."""
    earlier, output = (new_output("display_data", {kind: image}) for image in (old, new))
    keep(output, earlier)
    assert output.data[kind] in (old, new)
    return old != new and output.data[kind] == old


@pytest.mark.parametrize(
    "changed", [("10.25", "10.27"), ("L30 .5", "L30.01 .49"), ("f1a2b3c4-", "f99aabbc-")]
)
def test_a_drawing_whose_lines_hardly_moved_is_kept(changed):
    assert kept("image/svg+xml", SVG, SVG.replace(*changed))


@pytest.mark.parametrize(
    "changed",
    [
        ("10.25", "10.75"),
        ("0.42", "0.43"),
        ("#1d5a96", "#1d5a97"),
        ('width="1.2"', 'width="1.3"'),
        ('opacity=".5"', 'opacity=".6"'),
        ("L30 .5", "L30 .5L31 1"),
        ("M10", "L10"),
    ],
)
def test_a_drawing_that_shows_something_else_is_taken(changed):
    assert changed[0] in SVG
    assert not kept("image/svg+xml", SVG, SVG.replace(*changed))


def test_a_picture_whose_line_hardly_moved_is_kept_and_another_is_taken():
    assert kept("image/png", drawn(50), drawn(50 + 1 / 16))
    assert not kept("image/png", drawn(50), drawn(51))
    assert not kept("image/png", drawn(50), drawn(50, "grey"))


def test_a_picture_of_another_size_is_taken():
    written = io.BytesIO()
    Image.fromarray(np.full((50, 50, 3), 255, np.uint8)).save(written, "PNG")
    assert not kept("image/png", drawn(50), base64.b64encode(written.getvalue()).decode())


def test_text_is_never_kept():
    assert not kept("text/plain", "0.1", "0.1000001")
