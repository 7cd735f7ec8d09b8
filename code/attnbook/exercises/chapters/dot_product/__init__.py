"""Exercises of the chapter on the dot product."""

EXERCISES = (
    "toy_keys",
    "vector_sum",
    "bilinear_scores",
    "shapes",
    "reshaped",
    "four_tests",
    "scaled_dot_product_attention",
)
