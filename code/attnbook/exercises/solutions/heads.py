"""Solutions to the exercises of the chapter on heads."""

import numpy as np

from attnbook.reference import scaled_dot_product_attention, softmax, split_heads


def who_reads_whom():
    """The head of keys and values that each of six heads of queries reads, of three."""
    n_heads, n_kv_heads = 6, 3
    return [head // (n_heads // n_kv_heads) for head in range(n_heads)]


def two_averages():
    """Both averages of 9 − 27 with the affinity 7, and the factor that makes them a difference."""
    numbers = np.array([9, 0, 27])
    left, right = np.array([7, 1, 1]) @ numbers / 9, np.array([1, 1, 7]) @ numbers / 9
    return [left, right, (9 - 27) / (left - right)]


def counts():
    """Width, columns of W_k, parameters, rank and cache of 12 heads of which 3 share one."""
    d_model, n_heads, n_kv_heads = 768, 12, 4
    d_head = d_model // n_heads
    d_kv = n_kv_heads * d_head
    return [d_head, d_kv, 2 * d_model * (d_model + d_kv), d_head, 2 * d_kv * 2]


def write_matrices(w_v, w_o, n_heads):
    """Columns of W_v times rows of W_o, for each head."""
    columns = split_heads(w_v, n_heads)
    rows = w_o.reshape(*w_o.shape[:-2], n_heads, -1, w_o.shape[-1])
    return columns @ rows


def grouped_attention(q, k, v):
    """Attention whose heads of queries share heads of keys and values."""
    times = q.shape[-3] // k.shape[-3]
    k, v = (np.repeat(x, times, axis=-3) for x in (k, v))
    return scaled_dot_product_attention(q, k, v)


def weights_with_sink(scores, sink):
    """The sink is one more score in each row, whose weight is dropped."""
    column = np.broadcast_to(sink[:, None, None], (*scores.shape[:-1], 1))
    return softmax(np.concatenate([scores, column], axis=-1))[..., :-1]


def tiled():
    """Head 1 of the queries reads head 0 of the values, and by the tile it reads head 1."""
    q = np.zeros((4, 1, 1))
    k = np.zeros((2, 1, 1))
    v = np.array([[[0.0]], [[1.0]]])
    return q, k, v
