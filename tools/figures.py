"""Keep the figure that a notebook has where a new one shows the same.

Another processor rounds otherwise, and a curve moves by less than the eye or this page can tell.
"""

import base64
import io
import re

import numpy as np
from PIL import Image

NAME = re.compile(r"\bf[0-9a-f]{4,8}-")  # made of what the figure shows, before each id
PLACES = re.compile(r' (?:d|points|transform|[xy][12]?|c[xy])="([^"]*)"')
NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")
POINT = 0.3  # how far a line may move
SHADE = 8  # of 255, in the mean over a square of 4 by 4


def keep(output, earlier):
    """Put each figure of an earlier output back where the new one looks the same."""
    old, new = earlier.get("data", {}), output.get("data", {})
    for kind, same in SAME.items():
        if kind in old and kind in new and same(old[kind], new[kind]):
            new[kind] = old[kind]


def same_drawing(old, new):
    """Whether two SVG images have the same parts, at places a fraction of a point apart."""
    (parts, strokes, old_places), (*others, new_places) = _taken_apart(old), _taken_apart(new)
    if [parts, strokes] != others:
        return False
    return all(abs(a - b) <= POINT for a, b in zip(old_places, new_places, strict=True))


def _taken_apart(text):
    """All but the places, the places without their numbers, and these numbers."""
    text = NAME.sub("", text)
    places = " ".join(PLACES.findall(text))
    return PLACES.sub("", text), NUMBER.sub("0", places), list(map(float, NUMBER.findall(places)))


def same_pixels(old, new):
    """Whether two PNG images differ by less than can be seen."""
    old, new = _pixels(old), _pixels(new)
    return old.shape == new.shape and np.abs(_squares(old) - _squares(new)).max() <= SHADE


def _pixels(text):
    with Image.open(io.BytesIO(base64.b64decode(text))) as image:
        return np.asarray(image.convert("RGB"), dtype=float)


def _squares(pixels):
    """The mean over each square of 4 by 4 pixels, wherever it begins."""
    windows = np.lib.stride_tricks.sliding_window_view(pixels, (4, 4), axis=(0, 1))
    return windows.mean(axis=(-1, -2))


SAME = {"image/svg+xml": same_drawing, "image/png": same_pixels}
