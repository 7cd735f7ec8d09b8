"""Three views of a page that is opened once, on a phone, and what is looked at in each."""

import faults
import looks

OPENED = (faults.elsewhere, faults.complaints, looks.shifts)
PHONE = (
    *OPENED,
    faults.too_heavy,
    looks.overflow,
    looks.cut_formulas,
    looks.no_hint,
    looks.tiny,
    *(looks.at(width, looks.overflow) for width in (320, 360, 375)),
)
LIGHT = (
    faults.raw_formulas,
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
)
WHOLE = (("light", 390, PHONE), ("light", 1280, LIGHT), ("dark", 1280, (looks.pale_rings,)))
STRIPPED = (
    ("dark", 1280, (faults.pale,)),
    ("light", 1280, (faults.pale, faults.barriers)),
    ("light", 390, (faults.barriers_on_a_phone,)),
)


def found(window):
    """The faults of a page that was opened on a phone; axe, at the end, strips it."""
    said = _said(window, WHOLE)
    faults.strip(window)
    return said + _said(window, STRIPPED)


def _said(window, views):
    said = []
    for scheme, width, checks in views:
        window.look(scheme, width)
        found = [fault for check in checks for fault in check(window)]
        said += [f"{fault}, in {scheme} colours at {width} px" for fault in found]
    return said
