"""What a lent GPU is for: the race of the kernels, and a kernel that no GPU has run yet."""
