"""What to predict of a state: its numbers under three rules, and what it costs."""

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import linear as solutions

SUM, FADED, CORRECTED = [7, 6], [5.5, 3], [5, 6]

states = Predict(
    name="linear.states",
    title="Three rules by hand",
    level="easy",
    minutes=6,
    solution_of=solutions.states,
    atol=0.006,
    hints=(
        "The key (1, 0) writes into the first number of H alone, the key (0, 1) into the second.",
        "The decay halves both numbers at each of the three steps, before the step writes.",
        "By the delta rule with β = 1 the key reads its newest value afterwards.",
    ),
    explanation=(
        "The sum: 2 + 5 = 7 and 6. With the decay the 2 is halved by two steps, the 6 by one: "
        "2/4 + 5 = 5.5 and 6/2 = 3. By the delta rule the third step reads 2, misses 3, and writes "
        "3: the first number is 5, and the second is left alone."
    ),
    misconceptions=(
        Misconception(
            [[5, 6], FADED, CORRECTED],
            "the plain sum overwrites nothing: the key's second value is added to its first.",
        ),
        Misconception(
            [SUM, [2.75, 1.5], CORRECTED],
            "the decay comes before a step writes: what a step writes is halved by later steps "
            "only.",
        ),
        Misconception(
            [SUM, [6, 3], CORRECTED],
            "the first value is halved by two steps, the second and the third: 2/4 of it is left.",
        ),
        Misconception(
            [SUM, [6, 6], CORRECTED],
            "the whole state is halved at each step, not only the number that is written to.",
        ),
        Misconception(
            [SUM, [5.5, 6], CORRECTED],
            "the third step halves the second number too: the whole state fades.",
        ),
        Misconception(
            [SUM, SUM, CORRECTED], "nothing is halved in the second row: that is the plain sum."
        ),
        Misconception(
            [SUM, [7, 3], CORRECTED],
            "the first number is halved too, twice before the 5 is added: the whole state fades.",
        ),
        Misconception(
            [SUM, [5, 3], CORRECTED],
            "with a decay nothing is overwritten: 2/4 of the first value is left beside the 5.",
        ),
        Misconception(
            [SUM, [5.25, 1.5], CORRECTED],
            "that is one step too much: the first step halves zeros, and nothing follows the "
            "third.",
        ),
        Misconception(
            [SUM, [3.5, 3], CORRECTED],
            "this halves the sum at the end; each step halves what stands there before it writes.",
        ),
        Misconception(
            [SUM, FADED, SUM],
            "the delta rule first takes off what the key reads: 2, so that 3 is written.",
        ),
        Misconception(
            [SUM, FADED, [3, 6]],
            "3 is what the third step writes; it is added to the 2 that stands there.",
        ),
        Misconception(
            [SUM, FADED, [3.5, 6]],
            "that is the average of the two values, as β = 1/2 would give on the second write.",
        ),
        Misconception(
            [SUM, FADED, [5, 3]],
            "there is no decay in the third row: the delta rule takes off what the key (1, 0) "
            "reads, and leaves the other key's 6.",
        ),
        Misconception(
            [SUM, FADED, [5, 0]],
            "the second number belongs to another key, and the third step does not touch it.",
        ),
        Misconception(
            [[3.5, 6], FADED, CORRECTED], "nothing is divided here: H holds sums, not averages."
        ),
        Misconception(
            [SUM[::-1], FADED[::-1], CORRECTED[::-1]],
            "the two numbers are exchanged: the key (1, 0) writes into the first.",
        ),
        Misconception([SUM, CORRECTED, FADED], "the second and the third row are exchanged."),
    ),
    notice=(
        "Three rules, three memories: the sum of all, the recent, and the newest value of each key."
    ),
)

costs = Predict(
    name="linear.costs",
    title="Which way is cheaper",
    level="medium",
    minutes=6,
    solution_of=solutions.costs,
    hints=(
        "From the left: n² · 64 multiplications for the scores, and n² · 128 for the outputs.",
        "From the right: n · 64 · 128 for the state, and as many to read it.",
        "n² · 192 > n · 16,384 from which whole n on? Softmax keeps a key and a value for each "
        "position.",
    ),
    explanation=(
        "192 n² is more than 16,384 n above n = 85.3, so from 86 on. The state has 64 · 128 = 8192 "
        "numbers at any n; 10,000 keys and values have 10,000 · (64 + 128) = 1,920,000."
    ),
    misconceptions=(
        Misconception(
            [85, 8192, 1_920_000], "at 85 the left way is still cheaper: 16,320 < 16,384."
        ),
        Misconception(
            [256 / 3, 8192, 1_920_000],
            "that is where both cost the same; n is whole, so the next number is meant.",
        ),
        Misconception(
            [85.3, 8192, 1_920_000],
            "that is where both cost the same; n is whole, so the next number is meant.",
        ),
        *(
            Misconception(
                [n, 8192, 1_920_000],
                "n = d is the bound where both widths are d; here 192 n² meets 16,384 n.",
            )
            for n in (64, 65)
        ),
        *(
            Misconception(
                [n, 8192, 1_920_000],
                "the left way costs n² · (64 + 128): the scores take 64 n² of it, the outputs "
                "128 n², and both count.",
            )
            for n in (128, 129, 256, 257)
        ),
        Misconception(
            [43, 8192, 1_920_000],
            "reading the state costs as much as making it: n · 64 · 128 twice.",
        ),
        Misconception(
            [42, 8192, 1_920_000],
            "reading the state costs as much as making it: n · 64 · 128 twice.",
        ),
        Misconception(
            [171, 8192, 1_920_000],
            "this is half of the left side, or twice the right one: 192 n² stands against "
            "16,384 n.",
        ),
        Misconception(
            [96, 8192, 1_920_000],
            "the mean width does not stand for both: the right way has the product 64 · 128.",
        ),
        Misconception(
            [86, 8256, 1_920_000],
            "that is a column more, of ones, for a denominator; the values here have 128 numbers.",
        ),
        Misconception(
            [86, 4096, 1_920_000], "the state has a row for each of 64 features and 128 columns."
        ),
        Misconception(
            [86, 16_384, 1_920_000],
            "16,384 multiplications belong to a position; the state has 64 · 128 numbers.",
        ),
        Misconception(
            [86, 192, 1_920_000], "192 numbers are one key and one value; the state is a matrix."
        ),
        Misconception(
            [86, 81_920_000, 1_920_000], "the state has the same size at every n: no factor 10,000."
        ),
        Misconception(
            [86, 8192, 640_000], "these are the keys alone; softmax needs the values as well."
        ),
        Misconception(
            [86, 8192, 1_280_000], "keys have 64 features and values 128: 192 for a position."
        ),
        Misconception(
            [86, 8192, 2_560_000], "keys have 64 features and values 128: 192 for a position."
        ),
        Misconception(
            [86, 8192, 100_000_000],
            "that is the matrix of scores; one step needs the keys and values that it is made of.",
        ),
        Misconception(
            [86, 8192, 81_920_000],
            "that is a state for each position; softmax keeps a key and a value, 64 + 128 numbers.",
        ),
        Misconception(
            [86, 8192, 192], "that is kept for one position; softmax keeps all 10,000 of them."
        ),
        Misconception(
            [86, 1_920_000, 8192], "the last two are exchanged: the state is the small one."
        ),
    ),
    notice=(
        "A state as large as the keys and values of some 43 positions stands for 10,000 of them; "
        "something has to be lost."
    ),
)
