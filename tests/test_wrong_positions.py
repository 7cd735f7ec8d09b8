"""Each of these mistakes in a position turns a claim red, in NumPy and in PyTorch."""

import pytest
import test_positions as claims

loops, complex_, distance = (
    claims.test_frequencies_are_the_equation_in_loops,
    lambda library: claims.test_rope_multiplies_pairs_as_complex_numbers(library, (2,)),
    lambda library: claims.test_a_score_depends_on_the_distance_alone(library, "neighbours"),
)
both_pairings = claims.test_the_two_pairings_are_one_up_to_the_order_of_features
waves_in_loops = claims.test_sinusoidal_is_the_equation_in_loops
alibi = claims.test_alibi_falls_by_a_slope_for_each_step_back
squeezed = claims.test_linear_interpolation_squeezes_positions
last_pair = claims.test_ntk_keeps_the_first_pair_and_slows_the_last_by_the_factor
lengths = claims.test_rope_keeps_lengths_and_what_is_beyond_its_pairs


def onnx(library):
    claims.test_rotate_is_rotary_embedding_of_onnx(library, "test_rotary_embedding_interleaved")


# The function, a change in it as NumPy has it, and the claim that rejects it in both libraries.
STEPS, OVER_WIDTH, OVER_HEADS = "0, width, 2", ") / width)", ") / n_heads)\n"
PLACE, ANGLES, PAIRS = "positions[..., None]", "* frequencies\n", "(0, 1, len"
TURNED = "a * cos - b * sin, a * sin + b * cos"
CONVERTED, BACK = '_pairs(x, "neighbours"), "halves"', '_pairs(x, "halves"), "neighbours"'
SINES, AHEAD = "np.sin(angles), np.cos(angles)", "steps_ahead(n_q, n_k"
OVER_M = f"{PAIRS} → (0, 1 - 1 / len(frequencies), len"
MISTAKES = {
    "frequencies 2m + 1": ("frequencies", f"{STEPS} → 1, width, 2", loops),
    "frequencies m / d": ("frequencies", f"{OVER_WIDTH} → ) / (2 * width))", loops),
    "frequencies from 1": ("frequencies", f"{STEPS} → 2, width + 1, 2", loops),
    "frequencies grow": ("frequencies", "** (- → ** (", loops),
    "over width - 2": ("frequencies", f"{OVER_WIDTH} → ) / (width - 2))", loops),
    "base fixed": ("frequencies", "float(base) → 10000.0", loops),
    "base e": ("frequencies", "float(base) → np.e", loops),
    "halves for pairs": ("rope", ', pairing) → , "halves")', complex_),
    "degrees": ("rope", f"{ANGLES} → * frequencies * 180 / np.pi\n", complex_),
    "turned backwards": ("rope", f"{PLACE} → -{PLACE}", complex_),
    "from 1": ("rope", f"{PLACE} → ({PLACE} + 1)", complex_),
    "frequencies reversed": ("rope", f"{ANGLES} → * np.flip(frequencies, (0,))\n", complex_),
    "one frequency for all": ("rope",
        f"{ANGLES} → * (0 * frequencies + frequencies[0])\n", complex_),
    "positions squared": ("rope", f"{PLACE} → {PLACE} ** 2", distance),
    "positions by their logarithm": ("rope", f"{PLACE} → np.log1p({PLACE})", distance),
    "angles in float16": ("rope",
        f"{PLACE} {ANGLES} → ({PLACE} * frequencies).astype(np.float16)\n", distance),
    "features halved first": ("rope", "rotate(x, → rotate(halves_from_neighbours(x),", complex_),
    "sign of sine": ("rotate", f"{TURNED} → a * cos + b * sin, b * cos - a * sin", onnx),
    "a reflection": ("rotate", f"{TURNED} → a * cos + b * sin, a * sin - b * cos", onnx),
    "cosine and sine exchanged": ("rotate",
        f"{TURNED} → a * sin - b * cos, a * cos + b * sin", complex_),
    "b turned after a": ("rotate",
        f"{TURNED} → a * cos - b * sin, (a * cos - b * sin) * sin + b * cos", lengths),
    "the rest forgotten": ("rotate", "[turned, x[..., n:]] → [turned]", lengths),
    "conversion inverted": ("halves_from_neighbours", f"{CONVERTED} → {BACK}", both_pairings),
    "conversion back as there": ("neighbours_from_halves",
        f"{BACK} → {CONVERTED}", both_pairings),
    "cosine first": ("sinusoidal", f"{SINES} → np.cos(angles), np.sin(angles)", waves_in_loops),
    "sines, then cosines": ("sinusoidal", '"neighbours" → "halves"', waves_in_loops),
    "waves of one base": ("sinusoidal", "(width, base → (width, 10000", waves_in_loops),
    "waves from 1": ("sinusoidal", f"{PLACE} → ({PLACE} + 1)", waves_in_loops),
    "slopes from 1": ("alibi_bias", "(1, n_heads + 1 → (0, n_heads", alibi),
    "slopes linear": ("alibi_bias",
        f"2.0 ** (-8 * → 0.5 / (1 * ; {OVER_HEADS} → ))\n", alibi),
    "slopes for 8 heads": ("alibi_bias", f"(-8 * → (-1 * ; {OVER_HEADS} → ))\n", alibi),
    "slopes negative": ("alibi_bias", "-slopes[ → slopes[", alibi),
    "the future nearer": ("alibi_bias", "np.abs( → -(", alibi),
    "distance squared": ("alibi_bias", "np.abs( → np.square(", alibi),
    "from the top left": ("alibi_bias", f"{AHEAD} → n_k - n_q + {AHEAD}", alibi),
    "linear multiplies": ("stretched",
        "frequencies / float(factor) → frequencies * float(factor)", squeezed),
    "ntk slows all": ("stretched", f"{PAIRS} → (1, 1, len", last_pair),
    "ntk over M": ("stretched", OVER_M, last_pair),
    "ntk base times s": ("stretched",
        f"frequencies * float(factor) → (10000 * float(factor)) ; {OVER_M}", last_pair),
}  # fmt: skip


@claims.both
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_turns_its_claim_red(monkeypatch, library, mistake):
    name, change, claim = MISTAKES[mistake]
    library.assert_rejected(monkeypatch, name, change, claim)
