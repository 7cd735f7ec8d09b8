"""Bytes to predict: those of a ring, and those of a ring against an exchange of heads."""

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.predict import Predict
from attnbook.exercises.solutions import many_gpus as solutions

bytes_sent = Predict(
    name="many_gpus.bytes_sent",
    title="What a rank sends",
    level="easy",
    minutes=4,
    solution_of=solutions.bytes_sent,
    atol=0.01,
    explanation=(
        "A rank keeps $65536 / 16 = 4096$ positions. Their keys and values are "
        "$2 \\cdot 8 \\cdot 4096 \\cdot 128$ numbers of 2 bytes, 16 MiB. They are "
        "sent at 15 of the 16 steps: 240 MiB."
    ),
    hints=(
        "How many positions does a rank keep, and how many bytes are their keys and values?",
        "The heads of the queries do not travel: 8 heads of keys, 8 of values.",
        "After the last step nobody needs the block any more: how often is one sent?",
    ),
    misconceptions=(
        Misconception(
            256.0, "that is 16 sendings: the last block is not sent on, 15 of 16 steps send one."
        ),
        Misconception(120.0, "that is half: values travel with keys, and a number has 2 bytes."),
        Misconception(128.0, "that is the keys alone, and 16 times: values travel with them."),
        Misconception(16.0, "that is one block: one is sent at each step but the last."),
        Misconception(
            3840.0,
            "that is what all ranks send together, or the whole sequence each time: a rank sends "
            "blocks of 65536 / 16 positions.",
        ),
        Misconception(4096.0, "a block has 65536 / 16 positions, and is sent 15 times."),
        Misconception(
            480.0,
            "that is double: 2 bytes a number, keys and values alone, and what is sent alone.",
        ),
        Misconception(
            75.0, "that is what an exchange of heads sends; in a ring queries and outputs stay."
        ),
        Misconception(1200.0, "that is with queries and outputs, which stay where they are."),
        Misconception(
            600.0, "that is with the queries, of 32 heads: they stay, and values travel."
        ),
        Misconception(
            496.0, "that is the way back, on which gradients travel too: asked is forward."
        ),
        Misconception(752.0, "that is the way back, with float32 gradients: asked is forward."),
        Misconception(1920.0, "that is 8 times as much, as in bits: a byte has 8 of them."),
        Misconception(245760.0, "that is in KiB; asked are MiB."),
        Misconception(15.0, "that is one head, of keys alone: 8 of keys travel, and 8 of values."),
        Misconception(960.0, "32 heads are those of the queries: keys and values have 8."),
        Misconception(1024.0, "32 heads are those of the queries, which stay; and 15 times."),
        Misconception(
            720.0, "that is with the queries, of 32 heads: they stay, keys and values travel."
        ),
        Misconception(
            360.0, "queries stay where they are: keys and values travel, two, not three."
        ),
        Misconception(251.65824, "that is in millions of bytes: a MiB has 2^20."),
        Misconception(0.234375, "that is in GiB; asked are MiB."),
        Misconception(251658240.0, "that is in bytes; asked are MiB, of 2^20 each."),
        Misconception(30.0, "8 heads of 128 numbers each: the heads are missing, once."),
    ),
    notice="The number of ranks hardly matters: (w − 1)/w of all keys and values pass by each.",
)

ring_against_exchange = Predict(
    name="many_gpus.ring_against_exchange",
    title="A ring against an exchange",
    level="medium",
    minutes=5,
    solution_of=solutions.ring_against_exchange,
    atol=0.005,
    explanation=(
        "In units of $B\\,(n/w)\\,d$ numbers the ring sends $2\\,(w-1)\\,h_{kv} = 2 \\cdot 7 "
        "\\cdot 8 = 112$, the exchanges $2\\,\\frac{w-1}{w}\\,(h + h_{kv}) = 2 \\cdot \\frac78 "
        "\\cdot 40 = 70$. So the ring sends 1.6 times as much: $w\\,h_{kv}/(h + h_{kv})$."
    ),
    hints=(
        "Queries and outputs have 32 heads, keys and values 8. Which of the four does each send?",
        "An exchange sends of each tensor all but the share that stays, 7 of 8.",
        "The number of positions, the width and the bytes a number cancel: w · h_kv / (h + h_kv).",
    ),
    misconceptions=(
        Misconception(
            4.0, "w / 2 holds for as many heads of keys as of queries; here the ring has a quarter."
        ),
        Misconception(
            0.625,
            "that is the exchanges' number over the ring's: the question has it the other way.",
        ),
        Misconception(
            6.4, "keys and values have 8 heads, and so in the ring: not the 32 of the queries."
        ),
        Misconception(
            2.0,
            "keys and values are exchanged too: 40 heads each way, not 32.",
        ),
        Misconception(
            8.0, "keys and values alone would be 8 to 1: queries and outputs are exchanged as well."
        ),
        Misconception(
            1.4, "of each tensor an eighth stays where it is: the exchanges send 7/8 of it."
        ),
        Misconception(
            64 / 35, "the ring sends at 7 of 8 steps: the block of the last is not sent on."
        ),
        Misconception(
            3.2, "the ring sends keys and values, two of 8 heads; the exchanges two of 32 and of 8."
        ),
        Misconception(
            0.8, "the ring sends keys and values, two of 8 heads; the exchanges two of 32 and of 8."
        ),
        Misconception(
            8 / 3,
            "three tensors go out, and the output comes back: two of 32 heads, two of 8.",
        ),
        Misconception(
            0.2, "the number of ranks is missing: the ring sends 7 blocks, an exchange 7/8 of one."
        ),
        Misconception(
            5.6,
            "the ring sends 8 heads, not the 32 of the queries; and of each tensor 1/8 stays.",
        ),
        Misconception(
            11.2, "an exchange sends of each tensor 7 eighths of what a rank keeps, not an eighth."
        ),
        Misconception(
            8 / 35, "that is one step of the ring over the whole exchange: the ring has 7 of them."
        ),
    ),
    notice="Shared heads favour the ring: with h_kv = h it would send 4 times as much.",
)
