"""Grade learners' notebooks.

    python -m attnbook.exercises grade NOTEBOOK… [--json FILE]

prints what each exercise came to, and writes the same to FILE. Each notebook runs in a process of
its own, with limits of time and memory and, where Linux allows it, without a network. A notebook
that changes the checks can grade itself: a grade is as honest as the cells, which a reader sees.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from attnbook.exercises.engine.grade import grade, told


def main():
    parser = argparse.ArgumentParser(prog="python -m attnbook.exercises", description=__doc__)
    parser.add_argument("command", choices=["grade"])
    parser.add_argument("notebooks", nargs="+", type=Path, metavar="NOTEBOOK")
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    grades = []
    for notebook in chosen.notebooks:
        grades.append(grade(notebook))
        print(told(grades[-1]), flush=True)
    if chosen.json:
        text = json.dumps([asdict(each) for each in grades], indent=1)
        chosen.json.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
