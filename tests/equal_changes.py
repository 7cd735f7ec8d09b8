"""Changes of solutions that leave every result as it is: the changed line, chapter by chapter."""

from equal_changes_on_tensors import ON_TENSORS

EQUAL = {
    "weighted_average.by_hand": {
        "weights = np.array([3, 1, 1]) / 4",  # the value that this multiplies is 0
    },
    "weighted_average.very_wide": {  # through a kernel a million wide all is equally near
        "scores = ((2.5 - np.array([1.0, 2.0, 3.0])) / 1000000.0) ** 2",
        "scores = -0.5 * ((2.5 + np.array([1.0, 2.0, 3.0])) / 1000000.0) ** 2",
        "scores = -0.5 * ((2.5 - np.array([1.0, 2.0, 3.0])) / 1000000.0 * 2)",
        "scores = -0.5 * ((2.5 - np.array([1.0, 2.0, 3.0])) / 1000000.0)",
        "scores = -0.5 * ((2.5 - np.array([1.0, 2.0, 3.0])) / 1000000.0) ** 3",
        "scores = -0.5 * ((2.5 - np.array([1.0, 2.0, 3.0])) / 1000001.0) ** 2",
        "scores = -0.5 * ((2.5 - np.array([1.0, 2.0, 4.0])) / 1000000.0) ** 2",
        "scores = -0.5 * ((2.5 - np.array([1.0, 3.0, 3.0])) / 1000000.0) ** 2",
        "scores = -0.5 * ((2.5 - np.array([2.0, 2.0, 3.0])) / 1000000.0) ** 2",
        "scores = -0.5 * ((3.5 - np.array([1.0, 2.0, 3.0])) / 1000000.0) ** 2",
        "scores = -0.5 * (np.array([1.0, 2.0, 3.0]) / 1000000.0) ** 2",
        "scores = -1.5 * ((2.5 - np.array([1.0, 2.0, 3.0])) / 1000000.0) ** 2",
        "scores = 0.5 * ((2.5 - np.array([1.0, 2.0, 3.0])) / 1000000.0) ** 2",
    },
    "weighted_average.normalise": {
        "return affinities / np.where(total == 0, 2, total)",  # half of 0 is 0
    },
    "softmax.log_softmax": {
        "shifted = scores - np.where(np.isfinite(top), top, 1)",  # -inf stays -inf
        "return shifted - np.log(np.where(total == 0, 2, total))",
    },
    "temperature.powers": {  # they break as well, and the first four digits are the same
        "return (np.array([0.0, -1001.0]), 1000.0)",
        "return (np.array([1.0, -1000.0]), 1000.0)",
    },
    "masks.masked_softmax": {
        "lens = lens.reshape(len(scores), *[1] * (scores.ndim - 3), -2, 1)",  # NumPy's -1 as well
        "exp = np.exp(visible - np.where(np.isfinite(top), top, 1))",  # -inf stays -inf
        "return exp / np.where(total == 0, 2, total)",
    },
    "museum.influence": {
        "changed[j] += 2",
        # an output that is NaN is so whatever the values
        "same = (after == before) | (np.isnan(after) | np.isnan(before))",
        "same = (after == before) | np.isnan(after)",
        "same = (after == before) | np.isnan(before)",
        "moved[:, j] = np.any(~same, axis=1)",  # the last axis
    },
    "museum.renormalised": {
        "return np.array([0.0, 1.0, 1001.0])",  # as far above the others as need be
    },
    "museum.mended": {  # beside a NaN all else is lost
        "return np.array([np.nan, 2.0, 2.0])",
        "return np.array([np.nan, 1.0, 3.0])",
    },
    "dot_product.vector_sum": {  # a query cancels, whatever its numbers are
        "q = np.array([[1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 1.0]])",
        "q = np.array([[1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 1.0, 0.0]])",
        "q = np.array([[1.0, 0.0, 0.0, 0.0], [-1.0, 1.0, 0.0, 0.0]])",
        "q = np.array([[1.0, 0.0, 0.0, 0.0], [-2.0, 0.0, 0.0, 0.0]])",
        "q = np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])",
        "q = np.array([[1.0, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0, 0.0]])",
        "q = np.array([[1.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 0.0]])",
        "q = np.array([[1.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]])",
        "q = np.array([[2.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]])",
    },
    "dot_product.shapes": {
        "scores = q @ np.swapaxes(k, -1, 2)",  # of four axes 2 is the last but one
    },
    "dot_product.reshaped": {
        "k = np.array([[0.0, 0.0], [1.0, 1.0]])",  # the query meets the first entries alone
    },
    "scale.spread": {
        "d_k, spread_q, spread_k = (1025, 3, 1)",  # 96.05 is 96 to the accuracy asked for
        "unscaled = d_k ** 0.5 * spread_q",  # a factor of 1
        "unscaled = d_k ** 0.5 * spread_q / spread_k",
    },
    "scale.overflow": {
        "entries = np.arange(1, 201)",  # 32 and 91 lie in each of these ranges
        "entries = np.arange(2, 200)",
        # 65 · 31² fits as well, and no product is 65504 or 65505
        "product_first, query_first = (65 * entries ** 2, 64 * (entries / 8) * entries)",
        "return [entries[product > 65505][0] for product in (product_first, query_first)]",
        "return [entries[product >= 65504][0] for product in (product_first, query_first)]",
    },
    "scale.cosine_scores": {
        "k = k / np.where(length_k == 0, 2, length_k)",  # half of 0 is 0
        "q = q / np.where(length_q == 0, 2, length_q)",
    },
    "additive.without_tanh": {
        "return exps / exps.sum(axis=1, keepdims=True)",  # the last axis of a table
    },
    "additive.sharpest": {
        "bound = np.abs([1.0, 1.0, 0.5]).sum()",  # sizes alone are added up
    },
    "three_ways.rows_that_move": {
        # in all masks but the causal one a word is like its neighbour, and in the last both the
        # padding and the triangle hide key 4 from the rows 0 to 3
        "columns = (everything[:, 2], causal[:, 2], target_word[:, 2], "
        "source_word[:, 2], real_rows[:, 5])",
        "columns = (everything[:, 2], causal[:, 2], target_word[:, 2], "
        "source_word[:, 3], real_rows[:, 4])",
        "columns = (everything[:, 2], causal[:, 2], target_word[:, 3], "
        "source_word[:, 2], real_rows[:, 4])",
        "columns = (everything[:, 3], causal[:, 2], target_word[:, 2], "
        "source_word[:, 2], real_rows[:, 4])",
        "everything, causal = (np.ones((6, 6), bool), causal_mask(7, 6))",
        "everything, causal = (np.ones((6, 7), bool), causal_mask(6, 6))",
        "real_rows = (padding_mask(np.array([4]), 6) & causal)[0, :5]",
        "real_rows = (padding_mask(np.array([4]), 6) | causal)[0, :4]",
        "real_rows = (padding_mask(np.array([5]), 6) & causal)[0, :4]",
        "real_rows = padding_mask(np.array([4]), 6)[0, :4]",
        "target_word, source_word = (np.eye(4, dtype=bool), np.ones((4, 7), bool))",
        "target_word, source_word = (np.eye(5, dtype=bool), np.ones((4, 6), bool))",
    },
    "three_ways.first_moved": {
        "changed[t] = np.random.default_rng().standard_normal(x.shape[1])",  # of two axes
        "rows = np.any(attention(changed) != attention(x), axis=1)",
    },
    "three_ways.blind_test": {
        "mask[0, 2] = True",  # a leak of another word that the test does not change
    },
    "heads.two_averages": {  # the number of the minus is 0
        "left, right = (np.array([7, 2, 1]) @ numbers / 9, np.array([1, 1, 7]) @ numbers / 9)",
        "left, right = (np.array([7, 1, 1]) @ numbers / 9, np.array([1, 2, 7]) @ numbers / 9)",
    },
    "heads.write_matrices": {  # any negative size is the one to be found
        "rows = w_o.reshape(*w_o.shape[:-2], n_heads, -2, w_o.shape[-1])",
    },
    "positions.looks_back": {
        "return [6 * 2, 6, 7 // 3, -6]",  # whole words: this is 2, too
    },
    "gradients.rejected": {
        "return (1e-14, 1.5)",
    },
    "gradients.steps_in_float32": {
        "return np.round(np.log10([eps ** (1 / 4), eps ** (1 / 2)]))",  # 0.019 rounds to 10⁻²
    },
    "online.three_numbers": {  # times 1 is over 1
        "return [c, c + 1 + p, c * 6 + 1 + p * 2]",
        "return [c, c / 1 + 1 + p, c * 6 + 1 + p * 2]",
    },
    "online.start_at_zero": {
        "return np.array([-1001.0])",  # it breaks as well, and is off by a thousandth
    },
    "online.step": {
        "shift = np.where(new == -np.inf, 1, new)",  # -inf stays -inf
    },
    "online.block_gradient": {
        "shift = np.where(lse == -np.inf, 1, lse)[..., None]",  # -inf stays -inf
    },
    "linear.states": {
        # two equal decays, one for each feature
        "rules = ({}, {'log_decay': np.full((3, 2), np.log(0.5))}, {'beta': np.ones(3)})",
    },
    "linear.costs": {
        "n, d_k, d_v = (np.arange(2, 1000), 64, 128)",  # 86 lies in each of these ranges
        "n, d_k, d_v = (np.arange(1, 1001), 64, 128)",
        "return [n[left >= right][0], d_k * d_v, 10000 * (d_k + d_v)]",  # no n costs the same
    },
} | ON_TENSORS
