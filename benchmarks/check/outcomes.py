"""What became of tests, in a file to which every process adds: a word and a test a line."""

WORDS = "begun", "ended", "failed"


def note(file, word, test):
    """Add a line, whole: several processes may write at once."""
    with open(file, "a", encoding="utf-8") as lines:
        lines.write(f"{word} {test}\n")


def after(word, files):
    """The tests that stand after a word in files, in their order, each once."""
    lines = [line for each in files for line in each.read_text(encoding="utf-8").splitlines()]
    return list(dict.fromkeys(x.partition(" ")[2] for x in lines if x.startswith(f"{word} ")))


def broken(files):
    """The tests that failed, and those that began and never ended."""
    begun, ended, failed = (set(after(word, files)) for word in WORDS)
    return [test for test in after("begun", files) if test in failed | (begun - ended)]
