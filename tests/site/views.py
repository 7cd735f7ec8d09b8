"""Three views of a page, each opened once, and what is looked at in each."""

import faults
import looks

LIGHT = (
    faults.too_heavy,
    faults.elsewhere,
    faults.complaints,
    faults.raw_formulas,
    looks.shifts,
    looks.overflow,
    looks.cut_formulas,
    looks.no_hint,
    looks.long_outputs,
    looks.wide_cells,
    looks.narrow_tables,
    looks.same_ids,
    looks.cramped,
    looks.shown_solutions,
    looks.pale_rings,
    looks.faults_in_print,
    faults.barriers,
)
DARK = (
    faults.elsewhere,
    faults.complaints,
    looks.shifts,
    looks.pale_rings,
    faults.barriers,
)
PHONE = (
    faults.elsewhere,
    faults.complaints,
    looks.shifts,
    looks.overflow,
    looks.cut_formulas,
    looks.no_hint,
    looks.tiny,
    *(looks.at(width, looks.overflow) for width in (320, 360, 375)),
    looks.at(390, faults.barriers),  # at that width the theme has looked for what scrolls
)
VIEWS = {
    "light": ({}, LIGHT),
    "dark": ({"scheme": "dark", "width": 1200}, DARK),
    "phone": ({"width": 390}, PHONE),
}


def found(visit, checks):
    return [fault for check in checks for fault in check(visit)]
