"""Changes of solutions on tensors that leave every result as it is, from the twins on."""

FLASH_CALLS = (
    "calls = (((q, q, q), {}), "
    "((q, q, q), {'attn_mask': torch.zeros(16, 16, requires_grad=True)}), "
    "((q, q, q[..., :32]), {}), ((q, q, q), {'attn_mask': causal}), "
    "((q, q, q), {'dropout_p': 0.1}), ((q, q.mT.contiguous().mT, q), {}))"
)

FIVE_ZEROS = (
    "zeros = (torch.where(x[0] > 0, torch.log(x[0]), 0), torch.log(torch.where(x[1] > 0, x[1], 1))"
    ", 0 * torch.sqrt(x[2]), torch.sqrt(x[3]), torch.exp(-1 / x[4].abs()))"
)

DTYPES = (
    "results = (torch.tensor([0.0, 4.0]), torch.from_numpy(np.array([0.0, 4.0])), half * 0.5, "
    "half + half.to(torch.bfloat16), pytorch.softmax(half))"
)
FILLS = "for fill in (-10000.0, -65504.0, -100000.0, torch.finfo(torch.bfloat16).min, -torch.inf):"

DROPOUT = (
    "p, weights, values = (0.25, torch.tensor([1 / 4, 3 / 4, 0]), torch.tensor([0.0, 4.0, 8.0]))"
)

ON_TENSORS = {
    "twins.lse_gradient": {  # the last score of the second query is hidden
        "scores = torch.log(torch.tensor([[1.0, 3.0, 4.0], [1.0, 3.0, 5.0]])).requires_grad_()",
    },
    "twins.five_zeros": {
        FIVE_ZEROS.replace(*change)
        for change in (
            ("x[0] > 0", "x[1] > 0"),  # 0 is compared, whichever it is
            ("x[0] > 0", "x[0] > 1"),
            ("torch.log(x[0]), 0", "torch.log(x[0]), 1"),  # a constant has no slope
            ("x[1] > 0", "x[2] > 0"),
            ("x[1] > 0", "x[1] > 1"),
            ("x[1] > 0", "x[1] >= 0"),  # ∞, the slope of the logarithm, arrives alone
            ("x[1], 1", "x[2], 1"),  # never chosen
            ("x[1], 1", "x[1], 2"),  # the slope at 2 is finite as well
            ("0 * torch", "0 / torch"),  # 0/0 is NaN as well
            ("x[3]", "x[4]"),  # the gradient of x[4] is NaN already
            ("-1 /", "-2 /"),  # the slopes are 0 and ∞ as well
            ("-1 /", "1 /"),  # ∞ · 0, the slope of |x| in PyTorch
        )
    },
    "precision.result_bits": {  # dtypes do not depend on numbers
        "half = torch.tensor([0.0, 5.0], dtype=torch.float16)",
        "half = torch.tensor([1.0, 4.0], dtype=torch.float16)",
        DTYPES.replace("tensor([0.0", "tensor([1.0"),
        DTYPES.replace("tensor([0.0, 4.0", "tensor([0.0, 5.0"),
        DTYPES.replace("array([0.0", "array([1.0"),
        DTYPES.replace("array([0.0, 4.0", "array([0.0, 5.0"),
        DTYPES.replace("half * 0.5", "half * 1.5"),
        DTYPES.replace("half * 0.5", "half / 0.5"),
        DTYPES.replace("half * 0.5", "half"),
        DTYPES.replace("half + half", "half - half"),
    },
    "precision.fills": {  # the range ends at 65504 on both sides, and one place to fill is enough
        "zeros, everywhere = (torch.zeros(2, dtype=torch.float16), torch.tensor([False, True]))",
        "zeros, everywhere = (torch.zeros(2, dtype=torch.float16), torch.tensor([True, False]))",
        FILLS.replace("-10000.0", "10000.0"),
        FILLS.replace("-10000.0", "-10001.0"),
        FILLS.replace("-65504", "65504"),
        FILLS.replace("-100000", "100000"),
        FILLS.replace("-100000", "-100001"),
        FILLS.replace("-torch.inf", "torch.inf"),
    },
    "precision.roundings": {  # however many parts are merged at once
        "return [1, max(1, 1) + 1, max([1]) + 1, in_turn]",
        "return [1, max(1, 1) + 1, max([1] * 9) + 1, in_turn]",
    },
    "precision.half_mean": {  # float16 rounds 40001 to 40000
        "return ([40001.0, 40000.0],)",
        "return ([40000.0, 40001.0],)",
    },
    "modules.parameters": {  # heads are a way to use the parameters, whatever their number
        "modules = (pytorch.DotProductAttention(dropout=0.1), "
        "pytorch.AdditiveAttention(d_q=5, d_k=3, d_hidden=7), "
        "pytorch.MultiHeadAttention(d_model=12, n_heads=4), "
        "pytorch.MultiHeadAttention(d_model=12, n_heads=4, bias=True))",
    },
    "modules.dropout": {  # the first value is 0, and the last key is hidden
        DROPOUT.replace("1 / 4", "2 / 4"),
        DROPOUT.replace("1 / 4", "1 / 5"),
        DROPOUT.replace("1 / 4", "1 * 4"),
        DROPOUT.replace("1 / 4", "1"),
        DROPOUT.replace("1 / 4", "4"),
        DROPOUT.replace("8.0", "9.0"),
    },
    "libraries.two_corners": {
        "q = [[1.0]]",  # the keys are 0
    },
    "cost.roofs": {  # the longest of three times stays the longest
        "times = [(0.2, 0, 0.408), (2, 0, 0.48), (0, 0.5, 0.8), (0.32, 0.5, 0.0128), (4, 0.5, 81)]",
        "times = [(0.2, 0, 0.408), (2, 0, 0.48), (0, 0.5, 0.8), (0.32, 0.5, 0.0128), (4, 1.5, 80)]",
        "times = [(0.2, 0, 0.408), (2, 0, 0.48), (0, 0.5, 0.8), (0.32, 0.5, 0.0128), (5, 0.5, 80)]",
        "times = [(0.2, 0, 0.408), (2, 0, 0.48), (0, 0.5, 0.8), (0.32, 1.5, 0.0128), (4, 0.5, 80)]",
        "times = [(0.2, 0, 0.408), (2, 0, 0.48), (0, 0.5, 1.8), (0.32, 0.5, 0.0128), (4, 0.5, 80)]",
        "times = [(0.2, 0, 0.408), (2, 0, 1.48), (0, 0.5, 0.8), (0.32, 0.5, 0.0128), (4, 0.5, 80)]",
        "times = [(0.2, 0, 0.408), (2, 1, 0.48), (0, 0.5, 0.8), (0.32, 0.5, 0.0128), (4, 0.5, 80)]",
        "times = [(0.2, 0, 0.408), (3, 0, 0.48), (0, 0.5, 0.8), (0.32, 0.5, 0.0128), (4, 0.5, 80)]",
        "times = [(0.2, 0, 1.408), (2, 0, 0.48), (0, 0.5, 0.8), (0.32, 0.5, 0.0128), (4, 0.5, 80)]",
    },
    "cost.two_roofs": {  # one key or feature more, and the same roofs
        "return (4096, 9)",
        "return (4097, 8)",
    },
    "cost.one_after_the_other": {  # the median of the first four is as slow, or slower
        "return np.array([3.0] * 4 + [1.0] * 4)",
    },
    "cost.overtakes": {
        "d = 4097",  # 13 more, where an answer may be 60 off
    },
    "fused.which_flash": {  # no size matters but that two widths differ, and any dropout is one
        "q, causal = (torch.zeros(3, 8, 16, 64), torch.ones(16, 16, dtype=torch.bool).tril())",
        "q, causal = (torch.zeros(2, 9, 16, 64), torch.ones(16, 16, dtype=torch.bool).tril())",
        "q, causal = (torch.zeros(2, 8, 16, 65), torch.ones(16, 16, dtype=torch.bool).tril())",
        FLASH_CALLS.replace("16, 16", "17, 16"),  # refused for its gradient before its shape
        FLASH_CALLS.replace("16, 16", "16, 17"),
        FLASH_CALLS.replace(":32", ":33"),
        FLASH_CALLS.replace("0.1", "1.1"),
    },
    "fused.document_blocks": {
        "documents = np.repeat([0, 2], [8, 16])",  # other numbers of the same two documents
    },
    "triton.programs": {
        # three blocks of 129 hold 300 queries, too
        "lanes, blocks = (triton.next_power_of_2(n_k), triton.cdiv(n_q, 129))",
    },
    "triton.wide_softmax": {
        "l = 1.0",  # times exp(-inf), before anything is seen
        "shift = tl.where(new == -float('inf'), 1.0, new)",  # -inf stays -inf
        "shift = tl.where(m == -float('inf'), 1.0, m)",
        "l = tl.where(l == 0, 2.0, l)",  # half of 0 is 0
        # in the second loop, which stores nothing of these lanes
        "s = tl.load(x_ptr + row + j, mask=j < n, other=float('inf'))",
    },
    "triton.registers": {
        "return [4 * 32, s / (4 * 32), (o + s) / (8 * 32)]",  # o is the square of 4 * 32
    },
    "triton.merge": {  # where both blocks are empty -inf stays -inf, and half of 0 is 0
        "shift = tl.where(top == -float('inf'), 1.0, top)",
        "some = tl.where(total == 0, 2.0, total)",
    },
    "machine_code.unordered": {  # a float32 near 1e8 is a multiple of 8
        "return np.array([100000000.0, -100000001.0, 1.0])",
        "return np.array([100000001.0, -100000000.0, 1.0])",
    },
    "machine_code.stages": {
        "return [2 * block, (228 - block) // (2 * block)]",  # what is left is no stage
        "return [2 * block, 227 // (2 * block)]",
    },
    "machine_code.idle_mask": {
        "return np.array([-101.0])",  # its exponential overflows as well
    },
    "machine_code.hot_loop": {  # forward all slices are empty, and from -1 none is the shortest
        "jumps = np.flatnonzero(target >= 0)",
        "jumps = np.flatnonzero(target <= np.arange(target.size))",
        "jumps = np.flatnonzero((target >= 0) | (target <= np.arange(target.size)))",
    },
    "many_gpus.bytes_sent": {
        "w, positions = (16, 65537 // 16)",  # // leaves the rest out
    },
    "many_gpus.zigzag": {
        "cut = np.arange(n).reshape(2 * n_ranks, -2)",  # NumPy takes any negative length for -1
    },
    "many_gpus.skipped": {
        "return (0, 2)",  # another input that breaks the rule
    },
    "many_gpus.in_hand": {
        "home = np.arange(n_ranks) - step",  # an index from -w to -1 counts from the end
    },
    "many_gpus.shared_heads": {
        "return (4001, 32, 8)",  # others that break it
    },
}
