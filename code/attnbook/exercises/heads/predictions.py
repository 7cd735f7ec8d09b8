"""What to predict of heads: who reads whom, what two averages tell, and what is counted."""

from attnbook.exercises.additive.parts import mistakes_in_parts
from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import heads as solutions

who_reads_whom = Predict(
    name="heads.who_reads_whom",
    title="Who reads whom",
    level="easy",
    minutes=3,
    solution_of=solutions.who_reads_whom,
    hints=(
        "How many heads of queries share one head of keys and values?",
        "Neighbours share: each head of keys and values stands twice in a row.",
    ),
    explanation=(
        "Six heads of queries and three of keys and values: two share one. Repeated, the three "
        "stand as 0, 0, 1, 1, 2, 2, and query head m reads the one at place m."
    ),
    misconceptions=(
        Misconception(
            [0, 1, 2, 0, 1, 2],
            "that is the tile, m % 3; the heads are repeated: neighbours share.",
        ),
        Misconception(
            [0, 0, 0, 1, 1, 1],
            "that is for two heads of keys and values; of three, 6 / 3 = 2 heads share one.",
        ),
        Misconception(
            [0, 1, 2, 3, 4, 5],
            "that is multi-head attention; here only the heads 0, 1 and 2 have keys and values.",
        ),
        Misconception(
            [0, 0, 0, 0, 0, 0],
            "that is multi-query attention; here there are three heads of keys and values.",
        ),
        Misconception([1, 1, 2, 2, 3, 3], "heads count from 0."),
        Misconception([2, 2, 1, 1, 0, 0], "the order is reversed: head 0 reads head 0."),
        Misconception([1, 2, 3, 1, 2, 3], "heads count from 0, and neighbours share."),
        Misconception([1, 2, 3, 4, 5, 6], "heads count from 0, and two of them share one."),
        Misconception(
            [0, 1, 0, 1, 0, 1],
            "that is m % 2, two heads in turn; there are three, and neighbours share.",
        ),
        Misconception(
            [0, 1, 2, 2, 1, 0],
            "the three stand forth and back; neighbours share, and the order stays.",
        ),
        Misconception(
            [0, 1, 1, 2, 2, 2],
            "heads 0 and 1 of the queries are neighbours, and read one head: two by two they "
            "share.",
        ),
    ),
    notice="The rule is m // (h / h_kv), and with h_kv = h or h_kv = 1 it is the same formula.",
)

_IN_ORDER = "the two averages are exchanged: that of the left number comes first."
_MINUS = (
    "the minus takes part too: its affinity is 1 and its number 0, so the denominator is 7 + 1 + 1."
)

two_averages = Predict(
    name="heads.two_averages",
    title="Two other averages",
    level="easy",
    minutes=6,
    solution_of=solutions.two_averages,
    atol=0.01,
    hints=(
        "The weights are 7/9, 1/9 and 1/9: all three words take part, and the minus has number 0.",
        "The left average is (7 · 9 + 27) / 9.",
        "Which factor makes −18 of the difference of the two averages?",
    ),
    explanation=(
        "(7 · 9 + 27)/9 = 10 and (9 + 7 · 27)/9 = 22. Their difference is −12, and the right one "
        "is −18, so the factor is 18/12 = 1.5. In general it is (a + 2)/(a − 1) for the affinity "
        "a: near 1 for sharp weights, and for a = 1 there is none."
    ),
    misconceptions=(
        Misconception([22, 10, 1.5], _IN_ORDER),
        Misconception([22, 10, -1.5], _IN_ORDER),
        Misconception([11.25, 24.75, 4 / 3], _MINUS),
        *mistakes_in_parts(
            [10, 22, 1.5],
            (
                (0, 12, "12 is the average with equal weights; the left word has the affinity 7."),
                (0, 11.25, _MINUS),
                (0, 9, "9 is the left number itself; the others have weight too."),
                (0, 90, "these are the numbers times their affinities: divide by the sum, 9."),
                (0, 7, "7 · 9 / 9 leaves out the right number, whose weight is 1/9."),
                (0, 24 / 9, "that is for 2 and 10; the text is 9 − 27 here."),
                (1, 72 / 9, "that is for 2 and 10; the text is 9 − 27 here."),
                (1, 12, "12 is the average with equal weights; the right word has the affinity 7."),
                (1, 24.75, _MINUS),
                (1, 27, "27 is the right number itself; the others have weight too."),
                (1, 198, "these are the numbers times their affinities: divide by the sum, 9."),
                (1, 21, "7 · 27 / 9 leaves out the left number, whose weight is 1/9."),
                (2, 2, "2 is the factor of the affinity 4; here the averages lie 12 apart."),
                (2, 2 / 3, "the factor makes −18 of −12, not −12 of −18: divide the other way."),
                (2, 18 / 32, "32 is the sum of the averages; W_o takes their difference, −12."),
                (2, -18 / 32, "32 is the sum of the averages; W_o takes their difference, −12."),
                (2, -1.5, "both differences are negative, so the factor is positive."),
                (2, 1, "the averages lie 12 apart and the numbers 18: some factor is needed."),
                (2, 12, "12 is how far the averages lie apart; which factor makes 18 of it?"),
                (2, -12, "−12 is the difference of the averages; which factor makes −18 of it?"),
                (2, -18, "−18 is the difference itself; which factor makes it of 10 − 22?"),
                (2, 18, "18 is the difference itself; which factor makes it of 22 − 10?"),
                (2, 9 / 7, "9/7 undoes one weight; each average holds some of the other number."),
            ),
        ),
    ),
    notice=(
        "A learned output projection finds this factor by itself. No factor helps where both "
        "averages are equal."
    ),
)

_BYTES = "a number of 16 bits takes 2 bytes."
_FOUR_FULL = "W_k and W_v have 256 columns each, not 768: three heads share one."

counts = Predict(
    name="heads.counts",
    title="Count a grouped layer",
    level="medium",
    minutes=8,
    solution_of=solutions.counts,
    hints=(
        "The width of a head is that of the queries: d_model / h. Heads of keys are as wide.",
        "W_q and W_o are 768 × 768; W_k and W_v have h_kv · d_head columns.",
        "A product of a matrix with d_head columns and one with d_head rows has at most that rank.",
        "A word adds one key and one value for each head of keys and values, 2 bytes a number.",
    ),
    explanation=(
        "d_head = 768/12 = 64. W_k has 4 · 64 = 256 columns. The parameters are "
        "2 · 768 · 768 + 2 · 768 · 256 = 1,572,864. W_qk is made of two matrices with 64 columns, "
        "so its rank is at most 64. A word adds 256 numbers of keys and 256 of values, in 16 bits "
        "1,024 bytes."
    ),
    misconceptions=mistakes_in_parts(
        [64, 256, 1572864, 64, 1024],
        (
            (0, 192, "768 / 4 divides by h_kv; the width of a head is d_model / h = 768 / 12."),
            (0, 768, "768 is the width of the model; 12 heads share it."),
            (0, 12, "12 is the number of heads; each has a twelfth of 768 features."),
            (0, 48, "that is the number of heads times h_kv; a head has 768 / 12 features."),
            (0, 256, "256 is the width of all keys; a head has d_model / h of it."),
            (1, 768, "768 columns make keys for 12 heads; here there are 4 heads of keys."),
            (1, 64, "64 columns make one head of keys; there are 4."),
            (1, 192, "192 = 768 / 4; a head of keys is as wide as one of queries, 64."),
            (1, 3072, "3072 = 768 · 4; W_k has a column for each feature of its 4 heads of 64."),
            (1, 4, "4 is the number of heads of keys; each has 64 columns."),
            (1, 512, "512 are the columns of W_k and W_v together."),
            (2, 4 * 768**2, _FOUR_FULL),
            (2, 2 * 768**2 + 768 * 256, "W_v is missing, or W_k: both have 768 · 256 numbers."),
            (2, 768**2 + 2 * 768 * 256, "W_o is missing: it has 768 · 768 numbers."),
            (2, 2 * 768 * 256, "that is W_k and W_v; W_q and W_o have 768 · 768 numbers each."),
            (2, 4 * 768 * 256, "W_q and W_o have 768 columns: 12 heads ask, only 4 answer."),
            (
                2,
                4 * 768 * 64,
                "that is one head; the matrices make 12 of queries, 4 of keys.",
            ),
            (2, 2 * 768**2 + 2 * 768 * 64, "W_k and W_v make 4 heads, not one: 256 columns each."),
            (2, 2 * 768**2 + 2 * 256**2, "W_k and W_v are 768 × 256: the words come with 768."),
            (2, 2 * 768 * 1024 + 2048, "that counts biases, and the layer has none."),
            (2, 3 * 768**2, "W_q and W_o have 768 · 768 numbers each, W_k and W_v 768 · 256."),
            (
                2,
                2 * 768**2,
                "that is W_q and W_o alone, or W_o as narrow as W_k: W_k and W_v are "
                "768 × 256 each, W_q and W_o 768 × 768.",
            ),
            (3, 768, "W_qk is 768 × 768, but it is a product through 64 columns."),
            (3, 256, "W_qk belongs to one head: it is a product through 64 columns."),
            (3, 128, "ranks do not add up in a product: 64 columns meet 64 rows."),
            (3, 192, "the heads of a group share W_k and not W_q: it is a product for each."),
            (3, 4096, "64 · 64 is a number of entries; W_qk is a product through 64 columns."),
            (3, 4, "the number of heads does not bound it: W_qk is a product through 64 columns."),
            (3, 12, "the number of heads does not bound it: W_qk is a product through 64 columns."),
            (4, 512, "512 is half of it: a key and a value, and " + _BYTES),
            (4, 256, "a word has a key and a value for each of the 4 heads, and " + _BYTES),
            (4, 2048, "in 16 bits a number takes 2 bytes, not 4."),
            (4, 3072, "that is the cache of 12 heads; only the 4 of keys and values are kept."),
            (4, 8192, "that is bits; a byte has 8."),
            (4, 2560, "queries are not kept: the cache holds keys and values."),
            (4, 1536, "only 4 heads have keys and values, and both are kept: 2 · 256 numbers."),
            (4, 128, "that is one head's key; there are 4 heads, each with a key and a value."),
        ),
    ),
    notice="A third of the cache of multi-head attention, and two thirds of its parameters.",
)
