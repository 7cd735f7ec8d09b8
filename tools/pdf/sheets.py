"""Which sheets of a printed book are emptier than they should be."""

import numpy as np
import pypdfium2

SCALE = 0.5  # pixels for each point
INK = 200  # of 255: words and pictures are darker, the edge of a card is not
MARGINS = slice(28, -32)  # between which a sheet is filled; below stand its chapter and number


def filled(sheet):
    """Which part of a sheet is above the lowest thing on it, from 0 to 1."""
    grey = sheet.render(scale=SCALE, grayscale=True).to_numpy()[MARGINS]
    inked = np.flatnonzero((grey < INK).any(axis=1))
    return (inked[-1] + 1) / len(grey) if inked.size else 0.0


def half_empty(made, beginnings):
    """The numbers of the sheets that are less than half full, but for the last of each chapter.

    `made` is the PDF and `beginnings` the numbers of the sheets on which something begins anew.
    """
    with pypdfium2.PdfDocument(made) as pdf:
        inner = (number for number in range(1, len(pdf)) if number + 1 not in beginnings)
        return [number for number in inner if filled(pdf[number - 1]) < 0.5]
