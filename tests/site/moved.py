"""What each figure that moves shows, by the package, and settings to compare the two at."""

import random

import numpy as np

from attnbook import online, positions, reference

SCORES = np.log([1.0, 3.0, 4.0])
PAINTED = np.array([[1, 0, 0, 0], [1, 2, 0, 0], [0, 2, 1, 0], [0, 0, 0, 1.0]])
SIX, VALUES = np.log([1.0, 3, 4, 2, 12, 1]), np.array([0.0, 4, 8, 4, 8, 0])


def width(width, query):
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 5, 60))
    y = np.sin(2 * x) + x / 2 + 0.3 * rng.standard_normal(60)
    x, y = x.round(3)[:, None], y.round(3)
    queries = np.append(query, np.arange(101) / 20)[:, None]
    weights = reference.softmax(reference.gaussian_scores(queries, x, width))
    output, *fit = weights @ y
    return {"weights": weights[0], "output": output, "fit": fit}


def temperature(power):
    divided = SCORES / 10**power
    weights = reference.softmax(divided)
    return {"divided": divided, "weights": weights, "output": weights @ [0, 4, 8]}


def mask(mask):
    return {"weights": reference.softmax(PAINTED, np.array(mask))}


def rotation(m, n, frequency):
    turn = np.array([frequency])
    q, k = (positions.rope(np.array([[1.0, 0.0]]), np.array([at]), turn)[0] for at in (m, n))
    return {"q": q, "k": k, "product": q @ k}


def clocks(position, power):
    row = positions.sinusoidal(np.array([position]), 8, 10**power)[0]
    turned = positions.frequencies(8, 10**power) * position
    return {"row": row, "turned": turned, "away": np.abs(np.arctan2(row[::2], row[1::2]))}


def heads(word, sharpness):
    places, kinds = np.arange(5), np.array(["name", "verb", "name", "word", "verb"])
    before = -sharpness * np.abs(word - 1.0 - places)
    kind = sharpness * (kinds == kinds[word])
    scores = {"before": before, "kind": kind, "one": before + kind}
    return {name: reference.softmax(np.array(row, float)) for name, row in scores.items()}


def blocks(seen):
    """After each key: by all of them at once, with a mask, in place of one after the other."""
    masked, one = np.tri(6, dtype=bool)[:seen], np.ones((seen, 1))
    output, lse = online.attention_with_lse(one, SIX[:, None], VALUES[:, None], masked)
    m = np.maximum.accumulate(SIX)[:seen]
    sums = np.exp(lse - m)
    correction = np.exp(np.append(-np.inf, m[:-1]) - m)
    return {"m": m, "l": sums, "o": sums * output[:, 0], "correction": correction}


def roofline(power, width, bytes):
    n = 2**power
    moved = np.array([4 * n * width + 4 * n * n, 4 * n * width]) * bytes
    intensities = 4 * n * n * width / moved
    peak = {1: 1979e12, 2: 989e12, 4: 495e12}[bytes]  # in the data sheet, for sparse: twice as many
    return {"intensities": intensities, "rates": np.minimum(peak, intensities * 3.35e12)}


def ring(ranks, step):
    """After so many steps a rank holds the block of the rank as many places before it."""
    block = np.ones((2, 4096, 128), np.float16).nbytes // ranks
    return {"holds": np.roll(np.arange(ranks), step), "sent": step * block, "room": 2 * block}


def numbers(low, high):
    return lambda draw: draw.uniform(low, high)


def whole(low, high):
    return lambda draw: draw.randint(low, high)


def one_of(*choices):
    return lambda draw: draw.choice(choices)


def painted(draw):
    return [[draw.random() < 0.5 for _ in range(4)] for _ in range(4)]


MOVED = {
    width: {"width": one_of(0.02, 0.1, 0.3, 1.5, 5), "query": numbers(0, 5)},
    temperature: {"power": numbers(-2, 2)},
    mask: {"mask": painted},
    rotation: {"m": whole(0, 40), "n": whole(0, 40), "frequency": numbers(0.05, 1)},
    clocks: {"position": whole(0, 6299), "power": whole(2, 5)},
    heads: {"word": whole(0, 4), "sharpness": numbers(0, 5)},
    blocks: {"seen": whole(1, 6)},
    roofline: {"power": whole(5, 17), "width": whole(32, 256), "bytes": one_of(1, 2, 4)},
    ring: {"ranks": one_of(4, 8), "step": whole(0, 3)},
}


def settings(judge, count=20):
    draw = random.Random(0)
    return [{name: choose(draw) for name, choose in MOVED[judge].items()} for _ in range(count)]
