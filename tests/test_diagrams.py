"""The diagrams say what is true."""

import ml_dtypes
import numpy as np
import pytest
from figures import CALLS, CAUSAL, WEIGHTS, figure_of, unreadable, words
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

from attnbook import plots, reference
from attnbook.colours import BLUE, GREEN, GREY, INK, ORANGE, RED
from attnbook.plots import diagram, overview, primitives, softmax
from attnbook.plots.scores import KERNEL
from attnbook.plots.style import contrast


def test_a_full_table_is_readable():
    row = ["what fills a column all"] * 3
    assert unreadable(figure_of(lambda: plots.table_cells(["a"], [*"bcd"], [row], {}))) == []


@pytest.mark.parametrize("sizes", [(0.03, 0.4), (0.4, 0.03), (0.4, 0.3)])
def test_a_box_has_the_sizes_that_it_is_given(sizes):
    ax = primitives.sheet(1)
    primitives.box(ax, 3, 0.5, *sizes)
    drawn = ax.patches[0].get_path().get_extents()
    assert (drawn.width, drawn.height) == pytest.approx(sizes)


def test_the_heads_are_cut_from_the_width_of_the_model(monkeypatch):
    columns = []
    monkeypatch.setattr(overview, "matrix", lambda *given: columns.append(len(given[3][0])))
    plots.heads_diagram()
    given, joint, head, *_, merged, returned = columns
    assert given == joint == merged == returned == len(overview.HEADS) * head


def test_the_kernels_weights_are_those_of_chapter_1():
    keys, query = np.array(KERNEL["keys"])[:, None], np.array([[KERNEL["query"]]])
    expected = []
    for width in KERNEL["widths"].values():
        scores = reference.gaussian_scores(query, keys, width)
        expected += [f"{weight:.2f}" for weight in reference.softmax(scores)[0]]
    assert [word for word in words(plots.kernel_diagram) if word[:2] == "0."] == expected
    assert expected[3:6] == ["0.16", "0.42", "0.42"]


def number(texts):
    """What stands in boxes, as numbers: 3/8, ln 4, −ln 4, ln 3/4."""
    return np.array([_number(text) for text in texts])


def _number(text):
    if "ln " in text:
        sign, _, rest = text.partition("ln ")
        return np.log(_number(rest)) * (-1 if sign else 1)
    over, _, under = text.partition("/")
    return float(over) / float(under or 1)


def test_the_row_of_softmax_is_that_of_chapter_1_at_every_step():
    scores, shifted, exp, weights = (number(cells) for cells, _ in softmax.ROW.values())
    [largest], [total], [lse] = (number([x]) for x in (softmax.LARGEST, softmax.TOTAL, softmax.LSE))
    np.testing.assert_allclose(np.exp(scores), [1, 3, 4])
    assert largest == scores.max()
    np.testing.assert_allclose(shifted, scores - largest)
    np.testing.assert_allclose(exp, np.exp(shifted))
    assert total == exp.sum()
    np.testing.assert_allclose(weights, reference.softmax(scores))
    np.testing.assert_allclose(lse, reference.logsumexp(scores))


def test_the_masked_row_is_that_of_the_package_at_every_step():
    (scores, _), (replaced, _), (exp, _), (weights, _) = softmax.MASKED_ROW.values()
    mask = np.array(softmax.VISIBLE)
    assert scores == softmax.ROW["scores"][0]
    assert replaced == [s if seen else "−∞" for s, seen in zip(scores, mask, strict=True)]
    np.testing.assert_allclose(number(exp), np.where(mask, np.exp(number(scores)), 0))
    np.testing.assert_allclose(number([softmax.MASKED_TOTAL]), number(exp).sum())
    np.testing.assert_allclose(number(weights), reference.softmax(number(scores), mask))


def test_each_score_pulls_by_the_derivative_of_the_output():
    weights, values = np.array(softmax.EIGHTHS) / 8, np.array(softmax.VALUES)
    pulls = weights * (values - softmax.OUTPUT)
    assert weights @ values == softmax.OUTPUT
    said = [word.split(" = ")[1] for word in words(plots.pull_diagram) if "=" in word]
    np.testing.assert_allclose(number([each.replace("−", "-") for each in said]), pulls)
    arrows = figure_of(plots.pull_diagram).axes[0].findobj(FancyArrowPatch)
    ends = np.array([[point[0] for point in arrow._posA_posB] for arrow in arrows])
    np.testing.assert_allclose(np.diff(ends)[:, 0], 0.42 * pulls)


def test_the_blocks_and_their_merger_are_those_of_chapter_1():
    lses, outputs = [], []
    for scores, weights, values, lse, output in softmax.BLOCKS.values():
        scores, weights, [lse] = number(scores), number(weights), number([lse])
        np.testing.assert_allclose(np.exp(scores).sum(), np.exp(lse))
        np.testing.assert_allclose(weights, np.exp(scores - lse))
        np.testing.assert_allclose(np.dot(weights, values), output)
        lses.append(lse)
        outputs.append(output)
    lse, output = softmax.MERGED
    np.testing.assert_allclose(number([lse]), np.logaddexp(*lses))
    shares = np.exp(np.array(lses) - number([lse]))
    np.testing.assert_allclose(shares, [1 / 2, 1 / 2])
    np.testing.assert_allclose(shares @ outputs, output)


@pytest.mark.parametrize("name", softmax.FORMATS)
def test_the_formats_end_where_they_end(name):
    info = ml_dtypes.finfo(getattr(np, name, None) or getattr(ml_dtypes, name))
    least, most, score = softmax.FORMATS[name]
    np.testing.assert_allclose(least, float(info.smallest_subnormal), rtol=0.04)
    np.testing.assert_allclose(most, float(info.max), rtol=0.005)
    np.testing.assert_allclose(score, np.log(float(info.max)), atol=0.005)


def test_the_networks_query_and_key_have_two_widths_as_in_chapter_7():
    patches = figure_of(plots.additive_network).axes[0].patches
    squares = [p for p in patches if getattr(p, "get_width", lambda: 0)() == 0.3]
    heights = [square.get_y() for square in squares]
    assert [heights.count(height) for height in sorted(set(heights))] == [2, 3]
    assert {"$w_{v,0}$", "$w_{v,1}$"} < set(words(plots.additive_network))


def test_only_the_causal_way_hides_words_and_only_the_cross_way_asks_another_sentence():
    for name, (asks, answers, causal) in overview.WAYS.items():
        assert causal == (name == "causal")
        assert (asks != answers) == (name == "cross")


def test_lines_are_as_thick_as_weights():
    figure = figure_of(CALLS["sentences"])
    widths = sorted(line.get_linewidth() for line in figure.axes[0].lines)
    np.testing.assert_allclose(widths, [1.2, 6.0, 6.6])
    lines = figure_of(plots.attention_diagram).axes[0].lines
    assert [line.get_linewidth() for line in lines if line.get_zorder() == 0] == [2, 4, 5]
    lines = figure_of(plots.lookup_diagram).axes[0].lines
    widths = [line.get_linewidth() for line in lines]
    np.testing.assert_allclose(widths, [6] + [3] * 3 + [1 + 5 / 3] * 3)


def test_a_lookup_and_the_plain_average_are_weighted_sums_and_attention_is_still_asked_for():
    lookup, asked, average = diagram.AVERAGES.values()
    assert asked == (["?"] * 3, "?")
    for weights, output in (lookup, average):
        np.testing.assert_allclose(number(weights).sum(), 1)
        np.testing.assert_allclose(number(weights) @ diagram.VALUES, number([output]))
    assert number(lookup[0]) @ diagram.VALUES in diagram.VALUES


@pytest.mark.parametrize(("name", "n"), [("arrows", 1), ("shape_diagram", 3 + 1)])
def test_the_first_key_alone_is_in_colour_and_three_axes_make_a_stack(name, n):
    colors = [to_hex(patch.get_facecolor()) for patch in figure_of(CALLS[name]).axes[0].patches]
    assert colors.count(ORANGE) + colors.count(BLUE) == n


def test_words_are_readable_on_every_tint():
    tints = [BLUE, GREEN, ORANGE, RED, GREY]
    tints += [primitives.tint(name, 0) for name in ("blues", "greens", "oranges")]
    assert min(contrast(INK, tint) for tint in tints) >= 4.5


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.arrows([1], [[1, 2]], {}), r"query is .* shape \(2,\)"),
        (lambda: plots.arrows([1, 2], [[1, 2]], {"a": [1]}), r"orders\['a'\] is \[1\]; expected"),
        (lambda: plots.distributions([1], ["a"]), r"rows is .* shape \(n, m\)"),
        (lambda: plots.distributions([[1]], []), "titles has 0 entries; expected 1"),
        (lambda: plots.mask_grids([WEIGHTS], ["a"]), r"masks\[0\] is float64 .* booleans"),
        (lambda: plots.influence_grids([WEIGHTS], ["a"]), r"moved\[0\] is float64 .* booleans"),
        (lambda: plots.mask_grids([CAUSAL], []), "titles has 0 entries; expected 1"),
        (lambda: plots.right_and_wrong(WEIGHTS, [[1]]), r"wrong is .* shape \(3, 3\)"),
        (lambda: plots.right_and_wrong(CAUSAL, WEIGHTS), "wrong is float64 .* booleans"),
        (lambda: plots.sentences(["a"], ["b"], [1]), r"weights is .* shape \(1, 1\)"),
        (lambda: plots.shape_diagram([("Q", "b x")]), "parts has an axis 'x'; expected one of b"),
        (
            lambda: plots.shape_diagram([("A", "n_q n_k")] * 6),
            "parts holds 6 parts; expected fewer",
        ),
        (
            lambda: plots.table_cells(["a"], ["b"], [[]], {}),
            r"rows of \[0\] words; expected 1 of 1",
        ),
        (lambda: plots.table_cells([], [], [], {"a": "red"}), "colors has 'red'; expected one of"),
    ],
)
def test_a_bad_argument_is_named(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()
