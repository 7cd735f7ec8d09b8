"""Known mistakes in PyTorch's layer, each with its sentence."""

import numpy as np
import torch

from attnbook import pytorch
from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.modules import wrong_layer as w
from attnbook.exercises.modules.joint import interleaved, reshaped
from attnbook.exercises.modules.wrong_layer import layer

ATTEND = pytorch.scaled_dot_product_attention
SCALE = "the scale comes from d_model; each head's dot product has the width d_model / n_heads."

KNOWN = (
    *(
        Misconception(
            layer(project=project),
            "the projection is x @ weight; PyTorch keeps the matrix transposed: x @ weight.T.",
        )
        for project in (w.by_rows, lambda x, weight: x @ weight)
    ),
    Misconception(
        layer(project=w.by_rows, finish=lambda x, weight: x @ weight),
        "no matrix is transposed; PyTorch keeps all of them transposed: x @ weight.T.",
    ),
    Misconception(
        layer(finish=lambda x, w: x @ w),
        "the last projection is x @ weight; PyTorch keeps the matrix transposed.",
    ),
    Misconception(
        layer(finish=lambda x, w: x),
        "out_proj_weight is never used: the heads are merged but not mixed.",
    ),
    Misconception(
        layer(split=reshaped, merge=w.merged_by_reshape),
        "reshape alone splits by position: a head must have a piece of every position.",
    ),
    Misconception(
        layer(split=reshaped),
        "reshape alone splits by position: a head must have a piece of every position.",
    ),
    Misconception(
        layer(merge=w.merged_by_reshape),
        "the heads are merged without moving their axis back: positions are mixed up.",
    ),
    Misconception(layer(merge=w.merged_backwards), "the heads are merged in the wrong order."),
    Misconception(
        layer(merge=w.merged_interleaved),
        "the numbers of the heads alternate in the merged vector; each head's stay together.",
    ),
    Misconception(
        w.joint_by_head,
        "the joint projection is read head by head; all queries come first, then all keys.",
    ),
    *(
        Misconception(
            layer(split=interleaved, merge=merge),
            "a head got every n_heads-th number; heads are consecutive pieces.",
        )
        for merge in (pytorch.merge_heads, w.merged_interleaved)
    ),
    Misconception(
        layer(merge=w.alike(torch.mean)), "the heads are averaged; they stand side by side."
    ),
    Misconception(
        layer(merge=w.alike(torch.sum)), "the heads are added up; they stand side by side."
    ),
    Misconception(w.one_head, "there is one head here, of the full width; n_heads is not used."),
    Misconception(layer(order=(1, 0, 2)), "queries and keys changed places: the order is q, k, v."),
    Misconception(layer(order=(2, 1, 0)), "queries and values changed places."),
    Misconception(layer(order=(0, 2, 1)), "keys and values changed places."),
    *(
        Misconception(layer(order=order), "the three parts stand in the order q, k, v.")
        for order in ((1, 2, 0), (2, 0, 1))
    ),
    *(
        Misconception(
            layer(order=order), "one part is used twice: each has its own use, as q, k or v."
        )
        for order in ((0, 0, 0), (0, 0, 2), (0, 1, 1), (1, 1, 2))
    ),
    Misconception(layer(attend=w.scaled_by(lambda q: 1.0)), "the scale 1/√d_head is missing."),
    Misconception(layer(attend=w.scaled_by(lambda q: (q.shape[-1] * q.shape[-3]) ** -0.5)), SCALE),
    Misconception(
        layer(attend=w.scaled_by(lambda q: 1 / q.shape[-1])),
        "the scores are divided by d_head, not by its root.",
    ),
    Misconception(
        layer(attend=w.scaled_by(lambda q: q.shape[-1] ** 0.5)),
        "the scores are multiplied by √d_head, which they should be divided by.",
    ),
    Misconception(
        layer(attend=w.scaled_by(lambda q: q.shape[-3] ** -0.5)),
        "the scores are divided by the root of n_heads; take the width of a head, d_head.",
    ),
    Misconception(
        layer(attend=w.scaled_by(lambda q: q.shape[-2] ** -0.5)),
        "the scores are divided by the root of n; take the width of a head, d_head.",
    ),
    Misconception(
        layer(attend=w.over(-2)), "the softmax runs over the queries; a row is a query's."
    ),
    *(
        Misconception(
            layer(attend=w.over(dim)),
            "the softmax runs over another axis than the keys, the last.",
        )
        for dim in (0, 1, -3)
    ),
    *(
        Misconception(
            layer(read=lambda mask: ~mask, attend=attend),
            "the mask is read upside down: here True = may look, as in SDPA.",
        )
        for attend in (ATTEND, w.filled(-np.inf), w.filled(-1e9))
    ),
    Misconception(
        layer(read=lambda mask: mask.mT),
        "the mask is transposed: its rows are queries, its columns are keys.",
    ),
    *(
        Misconception(
            layer(attend=attend),
            "a causal mask is made here, as is_causal does; use the mask that is given.",
        )
        for attend in (w.by_option, w.always_by_option)
    ),
    Misconception(
        layer(attend=lambda q, k, v, mask: pytorch.scaled_dot_product_attention(q, k, v)),
        "the mask is never used.",
    ),
    Misconception(layer(attend=w.mask_added), "the mask is added, which hides nothing."),
    *(
        Misconception(
            layer(attend=attend),
            "a finite fill is a score like any other: a query that sees nothing looks at all keys.",
        )
        for attend in (w.weighed(w.filled_with_lowest), *map(w.filled, (-1e9, -1e4, -1e2)))
    ),
    Misconception(
        layer(attend=w.weighed(w.opened_if_empty)),
        "a query that sees nothing looks at all keys here; it gets zeros.",
    ),
    *(
        Misconception(
            layer(attend=w.filled_and_zeroed(fill)),
            "a visible score below the fill loses to it: only −∞ is below every score.",
        )
        for fill in (-1e9, -1e4)
    ),
    *(
        Misconception(
            layer(attend=filled_of(0.0)),
            "a hidden score becomes 0, and e^0 = 1 takes part: only −∞ is absent.",
        )
        for filled_of in (w.filled, w.filled_and_zeroed)
    ),
    *(
        Misconception(
            layer(attend=w.weighed(w.shifted_by(bias))),
            "a finite number is added to hidden scores: a query that sees nothing looks at all "
            "keys.",
        )
        for bias in (-1e9, -1e4)
    ),
    Misconception(
        layer(attend=w.weighed(w.zeroed_after)),
        "weights are set to 0 after the softmax: rows do not sum to 1.",
    ),
    Misconception(
        layer(attend=w.filled(-np.inf)),
        "a query that sees nothing gives NaN; it gets zeros.",
    ),
    Misconception(
        layer(attend=w.weighed(w.mended)),
        "the output is right, and the gradient of a query that sees nothing is NaN: the NaN "
        "inside goes backward. Replace scores with torch.where, and add nothing.",
    ),
    Misconception(
        layer(attend=w.weighed(w.small_number_added)),
        "the small number in the denominator takes part in every row.",
    ),
    Misconception(
        layer(attend=w.weighed(w.without_slope)),
        "the weights were detached: the output is right, and its gradient is not.",
    ),
    *(
        Misconception(
            known,
            "a mask for each sequence meets the axis of the heads: it needs an axis of length 1 "
            "there.",
        )
        for known in (
            w.mask_by_head,
            *(
                w.mask_meets_heads(attend, widened)
                for attend in (
                    w.by_hand,
                    w.weighed(pytorch.softmax),
                    w.F.scaled_dot_product_attention,
                )
                for widened in (lambda mask: mask, lambda mask: mask[None])
            ),
            w.mask_meets_heads(ATTEND, lambda mask: mask[None]),
        )
    ),
    Misconception(
        w.mask_behind_first_axis,
        "the axis for the heads stands behind the first batch axis; count from the end: "
        "mask[..., None, :, :].",
    ),
    Misconception(
        w.detached,
        "no gradient reaches x: autograd has no record of how the result was made of it.",
    ),
    Misconception(w.in_float32, "the result is float32 whatever came in."),
    Misconception(w.in_float64, "the result is float64 whatever came in."),
    Misconception(
        w.by_way_of_float32,
        "the result is computed in float32 on the way, and float64 loses half its digits.",
    ),
    Misconception(
        layer(attend=w.over_heads),
        "the heads of a position look at each other: the heads are a batch axis, and positions "
        "look at positions.",
    ),
    Misconception(
        layer(attend=w.with_weights(w.first_head)),
        "the first head's weights serve all heads: each has its own queries and keys.",
    ),
    Misconception(
        layer(attend=w.with_weights(w.mean_of_heads)),
        "the weights are averaged over the heads: each head mixes its values by its own.",
    ),
    Misconception(
        layer(attend=w.masked_first),
        "the mask meets the first head alone: it holds for all heads.",
    ),
    *(
        Misconception(
            w.parts_of_x(places),
            "x is used where its projection should be: queries, keys and values are three pieces "
            "of x @ in_proj_weight.T.",
        )
        for places in ((0,), (1,), (2,), (0, 1), (0, 1, 2))
    ),
    *(
        Misconception(w.finished(added), "x is added to the output: the layer adds nothing.")
        for added in (lambda out, x: out + x, lambda out, x: x - out)
    ),
    Misconception(
        w.finished(lambda out, x: out.relu()),
        "negative outputs became 0: a projection ends the layer, and nothing bends it.",
    ),
    Misconception(
        w.finished(lambda out, x: torch.softmax(out, dim=-1)),
        "there is a second softmax, over the output.",
    ),
)
