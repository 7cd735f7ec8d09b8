"""Which keys of a causal block need no mask, which need one, and where the loop ends."""

from attnbook.exercises.engine.exercise import Misconception
from attnbook.exercises.engine.write import Write, case, stress
from attnbook.exercises.solutions import triton as solutions


def bounds(past=None, round_to=None, floor=True, last=None):
    """The solution with one of its parts exchanged."""

    def phases(start, B, n_q, n_k):
        shift = n_k - n_q if past is None else past(n_q, n_k)
        end = (last(start, B, n_q) if last else min(start + B, n_q) - 1) + shift + 1
        full = start + shift + 1
        full = round_to(full, B) if round_to else full // B * B
        return (max(full, 0), max(end, 0)) if floor else (full, end)

    return phases


def exchanged(start, B, n_q, n_k):
    return solutions.phases(start, B, n_q, n_k)[::-1]


def in_blocks(start, B, n_q, n_k):
    full, end = solutions.phases(start, B, n_q, n_k)
    return full // B, -(-end // B)


def all_cut(start, B, n_q, n_k):
    return 0, solutions.phases(start, B, n_q, n_k)[1]


def full_below_0(start, B, n_q, n_k):
    return (start + n_k - n_q + 1) // B * B, solutions.phases(start, B, n_q, n_k)[1]


def rounded_by_bits(start, B, n_q, n_k):
    full, end = max(start + n_k - n_q + 1, 0) & ~(B - 1), solutions.phases(start, B, n_q, n_k)[1]
    return full, end


def truncated_below_0(start, B, n_q, n_k):
    return int((start + n_k - n_q + 1) / B) * B, solutions.phases(start, B, n_q, n_k)[1]


def one_short(start, B, n_q, n_k):
    full, end = solutions.phases(start, B, n_q, n_k)
    return full, max(end - 1, 0)


def strictly_before(start, B, n_q, n_k):
    return max((start + n_k - n_q) // B * B, 0), solutions.phases(start, B, n_q, n_k)[1]


def whole_block(start, B, n_q, n_k):
    full, end = solutions.phases(start, B, n_q, n_k)
    return full, -(-end // B) * B


def whole_block_of_keys(start, B, n_q, n_k):
    full, end = whole_block(start, B, n_q, n_k)
    return full, min(end, n_k)


def full_in_blocks(start, B, n_q, n_k):
    full, end = solutions.phases(start, B, n_q, n_k)
    return full // B, end


def full_from_key_0(start, B, n_q, n_k):
    return (start + 1) // B * B, solutions.phases(start, B, n_q, n_k)[1]


def end_from_key_0(start, B, n_q, n_k):
    return solutions.phases(start, B, n_q, n_k)[0], min(start + B, n_q)


def from_key_0_to_n_k(start, B, n_q, n_k):
    return (start + 1) // B * B, min(start + B, n_k)


def end_below_0(start, B, n_q, n_k):
    return solutions.phases(start, B, n_q, n_k)[0], min(start + B, n_q) + n_k - n_q


def one_more(start, B, n_q, n_k):
    full, end = solutions.phases(start, B, n_q, n_k)
    return full, end + 1


def first_ends(start, B, n_q, n_k):
    return solutions.phases(start, B, n_q, n_k)[0], max(start + n_k - n_q + 1, 0)


def not_rounded(start, B, n_q, n_k):
    return max(start + n_k - n_q, 0), solutions.phases(start, B, n_q, n_k)[1]


def one_cut_block(start, B, n_q, n_k):
    full, _ = solutions.phases(start, B, n_q, n_k)
    return full, full + B


def one_cut_block_of_keys(start, B, n_q, n_k):
    full, _ = solutions.phases(start, B, n_q, n_k)
    return full, min(full + B, n_k)


def without_its_own(start, B, n_q, n_k):
    return strictly_before(start, B, n_q, n_k)[0], one_short(start, B, n_q, n_k)[1]


def by_the_last(start, B, n_q, n_k):
    end = solutions.phases(start, B, n_q, n_k)[1]
    return end // B * B, end


def all_keys(start, B, n_q, n_k):
    return solutions.phases(start, B, n_q, n_k)[0], n_k


def _up(x, B):
    return -(-x // B) * B


FROM_0 = "query 0 stands at key n_k − n_q, not at key 0: the last query sees the last key."
CUT = "a block of queries may need two blocks of keys with a mask, and end inside one."
INSIDE = "full ends inside a block of B keys: the loop without a mask takes whole blocks."
UP = "end is rounded up to whole blocks: it is the number of visible keys."
phases = Write(
    name="triton.phases",
    title="Two loops for a causal mask",
    level="medium",
    minutes=12,
    solution_of=solutions.phases,
    results=("full", "end"),
    hints=(
        "Query i stands at key i + n_k − n_q: it sees that key and all before it.",
        "Keys that need no mask are seen by every query of the block: by the first of them, too.",
        "full is rounded down to whole blocks of B keys; neither number is ever below 0.",
        "The last query of the block is start + B − 1, or n_q − 1 if the queries end before.",
    ),
    explanation=(
        "The first query of the block sees the fewest keys, start + n_k − n_q + 1 of them; whole "
        "blocks among these are seen by all. The last query sees the most. With more queries than "
        "keys the first ones see nothing, so both numbers stop at 0."
    ),
    misconceptions=(
        Misconception(bounds(past=lambda n_q, n_k: 0), FROM_0),
        Misconception(from_key_0_to_n_k, FROM_0),
        Misconception(full_from_key_0, f"full is right only where n_q = n_k: {FROM_0}"),
        Misconception(end_from_key_0, f"end is right only where n_q = n_k: {FROM_0}"),
        Misconception(
            bounds(past=lambda n_q, n_k: n_q - n_k), "the shift is n_k − n_q: it is turned round."
        ),
        Misconception(
            bounds(last=lambda start, B, n_q: start + B - 1),
            "the last block of queries is shorter: its last query is n_q − 1.",
        ),
        Misconception(bounds(round_to=lambda x, B: x), INSIDE),
        Misconception(not_rounded, INSIDE),
        Misconception(
            bounds(round_to=_up), "full is rounded up: that block has keys some query must not see."
        ),
        Misconception(
            bounds(floor=False), "with more queries than keys the numbers fall below 0: stop there."
        ),
        Misconception(full_below_0, "with more queries than keys full falls below 0: stop there."),
        Misconception(
            truncated_below_0, "with more queries than keys full falls below 0: stop there."
        ),
        Misconception(
            rounded_by_bits, "& ~(B − 1) rounds down for powers of 2 alone: // B * B for any B."
        ),
        Misconception(end_below_0, "with more queries than keys end falls below 0: stop there."),
        Misconception(exchanged, "the two numbers are exchanged: first full, then end."),
        Misconception(in_blocks, "these count blocks; asked are keys."),
        Misconception(full_in_blocks, "full counts blocks; asked are keys."),
        Misconception(all_cut, "no block is full here: those that every query sees need no mask."),
        Misconception(one_short, "a query sees its own key: end is one further."),
        Misconception(without_its_own, "a query sees its own key: + 1 in both numbers."),
        Misconception(one_cut_block, CUT),
        Misconception(one_cut_block_of_keys, CUT),
        Misconception(one_more, "end is one past the last visible key, not two."),
        Misconception(first_ends, "end goes by the first query of the block; the last sees more."),
        Misconception(
            strictly_before, "a query sees its own key, so one block more can be full: + 1."
        ),
        Misconception(whole_block, UP),
        Misconception(whole_block_of_keys, UP),
        Misconception(
            by_the_last,
            "full goes by the last query of the block; the first sees fewer keys, and decides.",
        ),
        Misconception(all_keys, "no query of the block sees the last keys: the loop ends earlier."),
    ),
    notice="Of a long text most blocks are full: the mask costs something in one block of a row.",
    cases=(
        case(start=0, B=4, n_q=8, n_k=8),
        case(start=4, B=4, n_q=8, n_k=8),
        case(start=8, B=4, n_q=10, n_k=10),
        case(start=6, B=3, n_q=12, n_k=12),
        case(start=0, B=4, n_q=4, n_k=10),
        case(start=0, B=4, n_q=4, n_k=11),
        case(start=0, B=4, n_q=6, n_k=9),
        case(start=4, B=4, n_q=8, n_k=6),
        case(start=0, B=4, n_q=12, n_k=2),
        case(start=8, B=4, n_q=12, n_k=2),
        case(start=32, B=16, n_q=100, n_k=228),
        case(start=96, B=16, n_q=100, n_k=228),
        case(start=0, B=16, n_q=1, n_k=1000),
        stress(start=0, B=1, n_q=5, n_k=5),
        stress(start=3, B=1, n_q=5, n_k=4),
        stress(start=0, B=128, n_q=1, n_k=1),
    ),
)
