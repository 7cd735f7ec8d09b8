"""What NVIDIA's own tools say of the kernels, where they are installed: wrong accesses, and speed.

    python3 -m benchmarks.check.inspection [KEYS]

computes four cases, small ones by default, and ends with status 1 if one of them does not agree.
"""

import shutil
import sys

CHECK = "memcheck"
KERNELS = "regex:^(flash_|split_kernel|merge_kernel|row_deltas)"
LARGE = 4096


def commands(python):
    """A command for each tool that is here, by the name of its log."""
    run = [python, "-m", "benchmarks.check.inspection"]
    found = {}
    if sanitizer := tool("compute-sanitizer"):
        found[CHECK] = [sanitizer, "--tool", "memcheck", "--error-exitcode", "9", *run]
    if ncu := tool("ncu"):
        each = ["--clock-control", "none", "--section", "SpeedOfLight", "--kernel-name", KERNELS]
        found["counters"] = [ncu, *each, *run, str(LARGE)]
    return found


def tool(name):
    """Where a tool is: on the path, or in CUDA's own folder."""
    return shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")


def main(n=256):
    """Compute each case once, as the race does."""
    import torch

    from benchmarks.race import agreement, cases, forms

    sizes = {"n_q": n, "n_k": n, "batch": 2, "heads": 4, "kv_heads": 4}
    wrong = False
    for case in (
        cases.Case("plain", cases.FORWARD, width=64, **sizes),
        cases.Case("causal", cases.FORWARD, width=128, causal=True, **sizes),
        cases.Case("causal", cases.BACKWARD, width=64, causal=True, **sizes),
        cases.Case("grouped", cases.DECODE, width=128, **sizes | {"n_q": 1, "kv_heads": 1}),
    ):
        x = cases.drawn(case, "cuda")
        attend, leaves = forms.ours(case, x, None), (x.q, x.k, x.v)
        if case.way == cases.BACKWARD:
            leaves = [t.requires_grad_() for t in leaves]
            found = torch.autograd.grad(attend(*leaves), leaves, x.grad_out)
        else:
            found = attend(*leaves)
        with torch.no_grad():
            error = agreement.error(found, agreement.exact(case, x))
        print(f"{case.id}: {error}", flush=True)
        wrong |= not all(e <= most for e, most in zip(error, agreement.ROUNDING, strict=True))
    sys.exit(wrong)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
