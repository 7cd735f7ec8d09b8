"""Find the missing waits · medium · 8 min

Hints
1. Copies and products stand in lines 0, 1, 4, 6, 13 and 15. For each of the six lines, which earlier
   one of these makes what it uses, or still uses what it overwrites?
2. Look between the two lines for a wait of the right kind. How many copies or products have been
   issued since the one you care about, and how many does the wait allow to be pending?
3. Registers are a thread's own, and there its own group's wait is enough. A block in shared memory is
   filled by all threads and read by both groups. What has to follow a wait so that it speaks for all?

Why
Before line 4, line 2 lets only the values be pending, and line 3 makes this hold for all threads.
Before line 6 a thread has waited for its own part of the values, but no barrier waits for the other
parts. Line 8 is right, because line 7 leaves only the later of two products pending. That product, of
line 6, still reads the old weights in R120, so line 11 should stand before the packing in line 10.
Before line 13 nothing says that the other group is done with the keys, so line 14 should stand before
these copies. Line 15 is right again: both groups have waited for line 6 in line 11, and for each
other in line 14.

Notice
An assembler has made the mistake of line 10: it reused registers that a product was still reading,
and the results were wrong without any error (Triton #9433). In the listing of the package's Gluon
kernel all weights are packed after the second wait.
"""

from attnbook.exercises.engine import predict

LISTING = (
    ("LDGSTS", "keys"),
    ("LDGSTS", "values"),
    ("DEPBAR.LE", 1),
    ("BAR.SYNC",),
    ("HGMMA", "R24", "queries", "keys"),
    ("DEPBAR.LE", 0),
    ("HGMMA", "R88", "R120", "values", "R88"),
    ("WARPGROUP.DEPBAR.LE", 1),
    ("FMNMX", "R3", "R24", "R3"),
    ("MUFU.EX2", "R4", "R3"),
    ("F2FP", "R120", "R4", "R5"),
    ("WARPGROUP.DEPBAR.LE", 0),
    ("FMUL", "R88", "R88", "R6"),
    ("LDGSTS", "keys"),
    ("BAR.SYNC",),
    ("LDGSTS", "values"),
)
WAITS = {"LDGSTS": "DEPBAR.LE", "HGMMA": "WARPGROUP.DEPBAR.LE"}
ASKED = 4, 6, 8, 10, 13, 15
SHARED = {"keys", "values"}  # all threads fill these, and both groups read them


def conflict(work, line):
    """What two lines share, if one of them writes it: the first operand is what is written."""
    (_, written, *_), (_, overwritten, *_) = LISTING[work], LISTING[line]
    return {written} & {*LISTING[line][1:]} | {overwritten} & {*LISTING[work][1:]}


def is_finished(work, line):
    """Whether the copies or the product of one line are certainly finished at another."""
    name = LISTING[work][0]
    for wait in range(work + 1, line):
        since = sum(each[0] == name for each in LISTING[work + 1 : wait])
        if LISTING[wait][0] == WAITS[name] and since >= LISTING[wait][1]:
            return not conflict(work, line) & SHARED or ("BAR.SYNC",) in LISTING[wait:line]
    return False


def missing_waits():
    """For each line, the earlier one that may still be in its way, or −1."""
    found = []
    for line in ASKED:
        earlier = [n for n in range(line) if LISTING[n][0] in WAITS]
        in_its_way = [n for n in earlier if conflict(n, line)]
        found.append(next((n for n in in_its_way if not is_finished(n, line)), -1))
    return found


MISTAKES = """
line 4: `0x1` leaves the copies pending that were issued last, those of line 1. So after line 3 the
keys are there.
    at 0: 0
line 4 reads the queries and the keys, and no values.
    at 0: 1
line 6: `DEPBAR.LE` waits for a thread's own copies. Does anything wait for the parts of the values
that the other threads copy?
    at 1: -1
line 6 uses nothing that line 4 writes, and two products of a group are done in order anyway.
    at 1: 4
line 6 reads the values, not the keys.
    at 1: 0
line 8: `0x1` leaves one product pending. Products are done in order, so it is the one issued last.
    at 2: 4
line 8 reads R24, with which line 6 has nothing to do.
    at 2: 6
lines 8 and 10 use registers, and the copies of lines 0 and 1 go to shared memory.
    at 2: 1
    at 3: 0 || 1
line 10 overwrites R120. Who may still be reading it after line 7?
    at 3: -1
line 10 uses none of the scores, which are finished since line 7 anyway: look for R120.
    at 3: 4
only a copy or a product can be unfinished: other instructions are done when the next one begins.
    at 3: 8 || 9
    at 4: 8 || 9 || 10 || 12
    at 5: 8 || 9 || 10 || 12
line 13: the waits of lines 7 and 11 speak for a thread's own group. Who else reads the keys?
    at 4: -1
line 13 overwrites the keys, which line 6 does not read.
    at 4: 6
line 13 overwrites the keys, and the copies of line 1 are values.
    at 4: 1
line 13: no thread goes past line 3 before all copies of the keys have arrived.
    at 4: 0
line 15: both groups have waited for their products in line 11, and then for each other in line 14.
    at 5: 6
line 15: every thread has waited for its copies of the values in line 5, and for all others in line
14.
    at 5: 1
line 15 overwrites the values, which line 4 does not read.
    at 5: 4
line 13 copies keys, which lie elsewhere: line 15 has nothing to do with them.
    at 5: 13
asked for is the copy or the product that may be unfinished, and not the wait that should see to it.
    at 0: 2 || 3
    at 1: 2 || 3 || 5
    at 2: 2 || 3 || 5 || 7
    at 3: 2 || 3 || 5 || 7
    at 4: 2 || 3 || 5 || 7 || 11
    at 5: 2 || 3 || 5 || 7 || 11 || 14
asked for is an earlier line, neither the line itself nor a later one.
    at 0: 4 || 5 || 6 || 7 || 8 || 9 || 10 || 11 || 12 || 13 || 14 || 15
    at 1: 6 || 7 || 8 || 9 || 10 || 11 || 12 || 13 || 14 || 15
    at 2: 8 || 9 || 10 || 11 || 12 || 13 || 14 || 15
    at 3: 10 || 11 || 12 || 13 || 14 || 15
    at 4: 13 || 14 || 15
    at 5: 15
the only negative answer is −1, where the listing makes sure of everything.
    [-2, 1, -2, 6, 4, -2]
    at 0: -2
    at 1: -2
    at 2: -2
    at 3: -6
    at 4: -4
    at 5: -2
where nothing is missing the answer is −1; 0 is the number of a line.
    [0, 1, 0, 6, 4, 0]
    at 2: 0
    at 5: 0
these are truth values: give the number of the line that may be unfinished, or −1.
    [False, True, False, True, True, False]
    [True, False, True, False, False, True]
"""

exercise = predict(missing_waits, MISTAKES, stated=[-1, 1, -1, 6, 4, -1])
