"""The race on a GPU: our kernels beside every other, in one run, after they have agreed."""
