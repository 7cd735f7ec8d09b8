"""What every function on tensors does before and after its own lines."""

import torch
from test_twins import NAMES, others, tensors

from attnbook import pytorch


def test_mixed_dtypes_meet_in_the_wider_one():
    q, k, v = tensors("scaled_dot_product_attention", dtype=torch.float16)
    attend = pytorch.scaled_dot_product_attention
    assert attend(q, k.float(), v).dtype == torch.float32
    assert attend(q.float(), k, v.bfloat16()).dtype == torch.float32
    assert attend(q, k, v, bias=torch.zeros(3, 5, dtype=torch.float64)).dtype == torch.float16


def test_functions_are_compiled_one_after_another_without_a_limit():
    torch.compiler.reset()
    assert len(NAMES) > torch._dynamo.config.recompile_limit
    for name in NAMES:
        compiled = torch.compile(getattr(pytorch, name), fullgraph=True, backend="eager")
        compiled(*tensors(name), **others(name))
