"""What one pytest run found, by kind of check, from the JUnit file that it wrote."""

from dataclasses import dataclass, field
from xml.etree import ElementTree

EXPECTED = "this machine has no "  # in the reason of a skip that is no failure
LEFT_OUT = "only `make test ALL=1` runs it"  # nor is this: it was not asked for
KINDS = {  # by the beginning of their module's name; the first that fits
    "browser tests": "tests.site",
    "tests": "tests",
    "doctests": "code",
    "notebook cells": "book",
}


@dataclass
class Result:
    step: str
    seconds: float = 0
    passed: int = 0
    failed: int = 0
    skipped: list = field(default_factory=list)
    left_out: int = 0
    ok: bool = True

    def add(self, case):
        self.seconds += float(case.get("time", 0))
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            self.failed += 1
        elif skip is not None:
            reason = skip.text or skip.get("message") or "no reason"
            if LEFT_OUT in reason:
                self.left_out += 1
                return
            self.skipped.append(f"{case.get('classname')} {case.get('name')}: {reason}")
        else:
            self.passed += 1

    def judge(self):
        """Fail on a failure, on a skip that is not expected, and where nothing ran at all."""
        unexpected = [skip for skip in self.skipped if EXPECTED not in skip]
        self.ok = self.passed > 0 and not self.failed and not unexpected
        return self


def by_kind(path):
    results = {kind: Result(f"  {kind}") for kind in KINDS}
    for case in ElementTree.parse(path).iter("testcase"):
        module = case.get("classname") or case.get("name")
        kind = next((kind for kind, start in KINDS.items() if module.startswith(start)), "tests")
        results[kind].add(case)
    return [result.judge() for result in results.values()]


def table(results):
    """The lines of the summary."""
    yield f"{'step':18}{'result':8}{'passed':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}"
    for result in results:
        verdict = "passed" if result.ok else "FAILED"
        counted = result.passed or result.failed or result.skipped
        counts = (result.passed, result.failed, len(result.skipped)) if counted else ("", "", "")
        row = "{:>8}{:>8}{:>9}".format(*counts)
        yield f"{result.step:18}{verdict:8}{row}{result.seconds:9.1f}"
    for result in results:
        for skip in result.skipped:
            yield f"skipped: {skip}"
        if result.left_out:
            yield f"left out: {result.left_out} of the {result.step.strip()}: {LEFT_OUT}"
