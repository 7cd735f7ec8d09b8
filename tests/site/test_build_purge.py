"""Stylesheets are served without the rules that no page can use, and with all others."""

import re

from book_purge import COPIED, purge


def test_rules_with_unknown_names_are_left_out():
    css = ".used{a:1}.unused{b:2}#gone p{c:3}@media print{.unused{d:4}.used p{e:5}}"
    assert purge(css, {"used"}) == ".used{a:1}@media print{.used p{e:5}}"


def test_of_a_list_of_selectors_the_used_ones_stay():
    assert purge(".used,.unused,p.used>b{a:1}", {"used"}) == ".used,p.used>b{a:1}"


def test_properties_that_nothing_reads_are_left_out():
    css = ".used{--gap:1em;--wide:2em;--named:3em;margin:var(--gap)}p{--wide:2em}"
    assert purge(css, {"used", "named"}) == ".used{--gap:1em;--named:3em;margin:var(--gap)}"


def test_what_cannot_be_judged_stays():
    css = '@font-face{src:url(x.woff2)}p:not(.unused){a:1}:is(.unused,p){b:2}[data-x="y"]{c:3}'
    assert purge(css, set()) == css


def test_licences_stay_and_are_no_selectors():
    css = "/*! Theme v1.2 (theme.example), MIT */.used{a:1}/*! Other */.unused{b:2}"
    assert purge(css, {"used"}) == "/*! Theme v1.2 (theme.example), MIT */.used{a:1}/*! Other */"


def test_the_sheets_that_tools_bring_are_served_without_unused_rules(folder):
    sheets = [sheet for pattern in COPIED for sheet in (folder / "_static").glob(pattern)]
    assert len(sheets) == len(COPIED)
    assert max(sheet.stat().st_size for sheet in sheets) < 12_000  # myst-nb's has 43,000 whole


def test_names_and_brackets_in_code_look_as_other_code_and_so_need_no_mark(folder):
    css = (folder / "_static/pygments.css").read_text(encoding="utf-8")
    colour = r"\.highlight {} \{{[^}}]*?(?<![\w-])color: (#\w+)"
    for scheme in ("light", "dark"):
        rules = css[css.index(f'"{scheme}"') :]
        found = {
            re.search(colour.format(kind).replace("  ", " "), rules)[1]
            for kind in ("", r"\.n", r"\.p")
        }
        assert len(found) == 1, scheme
    assert '<span class="n">' not in (folder / "book/numpy/softmax.html").read_text("utf-8")
