"""The theme's stylesheet is served without the rules that no page can use, and with all others."""

from book_purge import purge


def test_rules_with_unknown_names_are_left_out():
    css = ".used{a:1}.unused{b:2}#gone p{c:3}@media print{.unused{d:4}.used p{e:5}}"
    assert purge(css, {"used"}) == ".used{a:1}@media print{.used p{e:5}}"


def test_of_a_list_of_selectors_the_used_ones_stay():
    assert purge(".used,.unused,p.used>b{a:1}", {"used"}) == ".used,p.used>b{a:1}"


def test_what_cannot_be_judged_stays():
    css = '@font-face{src:url(x.woff2)}p:not(.unused){a:1}:is(.unused,p){b:2}[data-x="y"]{c:3}'
    assert purge(css, set()) == css


def test_licences_stay_and_are_no_selectors():
    css = "/*! Theme v1.2 (theme.example), MIT */.used{a:1}/*! Other */.unused{b:2}"
    assert purge(css, {"used"}) == "/*! Theme v1.2 (theme.example), MIT */.used{a:1}/*! Other */"
