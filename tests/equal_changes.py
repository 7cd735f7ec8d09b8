"""Changes of solutions that leave every result as it is: the changed line, chapter by chapter."""

EQUAL = {
    "softmax.log_softmax": {
        "shifted = scores - np.where(np.isfinite(top), top, 1)",  # -inf stays -inf
        "return shifted - np.log(np.where(total == 0, 2, total))",
    },
}
