"""Solutions to the exercises of the chapter on what libraries do with masks."""


def visible(attn_mask, key_padding_mask):
    """Our mask, True = may look, from two in which True = hidden."""
    return ~attn_mask & ~key_padding_mask[:, None, :]


def two_corners():
    """One query, two keys: the triangle at the top left shows it the first key alone."""
    q = [[0.0]]
    k = [[0.0], [0.0]]
    v = [[0.0], [1.0]]
    return q, k, v


def polarity():
    """The visible keys have the mean 2, the hidden ones 10."""
    return [[True, True, False, False]]
