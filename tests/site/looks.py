"""What a reader sees or reaches wrongly on a page, each as a list of sentences."""

WATCH_SHIFTS = """
window.shifted = 0;
new PerformanceObserver(list => list.getEntries().forEach(entry => {
  if (!entry.hadRecentInput) window.shifted += entry.value;
})).observe({type: "layout-shift", buffered: true});
"""
CUT_FORMULAS = """() => [...document.querySelectorAll(".katex-display")].filter(formula =>
  formula.scrollWidth > formula.clientWidth + 1
  && (innerWidth > 600 || getComputedStyle(formula).maskImage === "none")
).map(f => `${f.scrollWidth} px for ${f.querySelector("annotation").textContent}`)"""
NO_HINT = """() => [...document.querySelectorAll("article :is(pre, [class*=scrollable])")]
  .filter(box => box.scrollWidth > box.clientWidth + 1)
  .filter(box => getComputedStyle(box).maskImage === "none")
  .map(box => box.textContent.trim().slice(0, 60))"""
LONG_OUTPUTS = """() => [...document.querySelectorAll(".cell_output pre")]
  .filter(output => !output.closest(".highlight-python"))  // its lines stay as they are
  .filter(output => output.scrollWidth > output.clientWidth + 1)
  .map(output => output.textContent.trim().slice(0, 60))"""
TINY = """() => [...new Set([...document.querySelectorAll(".katex-html .mtight")]
  .map(part => parseFloat(getComputedStyle(part).fontSize))
  .filter(size => size < 10)
  .map(size => size.toFixed(1)))]"""
WIDE_CELLS = """() => {
  const closed = [...document.querySelectorAll("article details:not([open])")];
  closed.forEach(box => { box.open = true; });
  const wide = [...document.querySelectorAll(":is(.cell_input, .solution) pre")]
    .filter(code => code.scrollWidth > code.clientWidth + 1)
    .map(code => code.textContent.trim().slice(0, 60));
  closed.forEach(box => { box.open = false; });
  return wide;
}"""
NARROW_TABLES = """() => [...document.querySelectorAll(".pst-scrollable-table-container > table")]
  .filter(table => table.offsetWidth < table.parentElement.clientWidth - 1)
  .map(table => table.textContent.trim().slice(0, 60))"""
SAME_IDS = """() => {
  const ids = [...document.querySelectorAll("[id]:not(svg *)")].map(node => node.id);
  return [...new Set(ids.filter((id, i) => ids.indexOf(id) < i))];
}"""
CLOSED = """() => [...document.querySelectorAll("article details:not(.code)")].filter(box => {
  const last = box.lastElementChild.getBoundingClientRect();
  return last.height === 0 || box.getBoundingClientRect().bottom < last.bottom;
}).length"""
OPEN = """() => [...document.querySelectorAll("details.solution[open]")]
  .map(box => box.textContent.trim().slice(0, 60))"""
UNEVEN = """() => [...document.querySelectorAll("article .reading > p")].filter(read =>
  getComputedStyle(read).fontSize !== getComputedStyle(read.closest("article")).fontSize
).length"""
LOOSE_LINES = """() => [...document.querySelectorAll("article div.highlight pre")].filter(pre => {
  const style = getComputedStyle(pre);
  return parseFloat(style.lineHeight) < 1.45 * parseFloat(style.fontSize);
}).length"""
RINGS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgb = colour => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = colour => {
    const part = c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
    return .2126 * part(colour[0]) + .7152 * part(colour[1]) + .0722 * part(colour[2]);
  };
  const ground = node => {
    for (; node; node = node.parentElement) {
      const colour = rgb(getComputedStyle(node).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255];
  };
  const contrast = (a, b) => (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  const kinds = new Map();
  document.querySelectorAll("a[href], button, input, summary, [tabindex='0']").forEach(node => {
    const place = node.closest("nav, header, footer, form, article, aside, dialog")?.className;
    const seen = node.checkVisibility({visibilityProperty: true});
    if (seen) kinds.set(`${node.tagName}.${node.className} in ${place}`, node);
  });
  return [...kinds].flatMap(([kind, node]) => {
    node.focus({focusVisible: true, preventScroll: true});
    const {outlineStyle, outlineWidth, outlineColor} = getComputedStyle(node);
    const ring = outlineStyle === "none" ? 0 : parseFloat(outlineWidth);
    const ratio = contrast(light(rgb(outlineColor)), light(ground(node.parentElement)));
    node.blur();
    return ring >= 2 && ratio >= 3 ? [] : [`${kind}: ${ring} px, ${ratio.toFixed(1)} to 1`];
  });
}"""


def _told(sentence, script):
    return lambda visit: [sentence.format(found) for found in visit.page.evaluate(script)]


cut_formulas = _told("a formula is cut off: {}", CUT_FORMULAS)
no_hint = _told("nothing says that this scrolls: {}", NO_HINT)
long_outputs = _told("an output does not wrap: {}", LONG_OUTPUTS)
tiny = _told("a formula has letters of {} px", TINY)
wide_cells = _told("a line of a cell is cut off: {}", WIDE_CELLS)
narrow_tables = _told("a table is not as wide as the text: {}", NARROW_TABLES)
same_ids = _told("an id stands twice: {}", SAME_IDS)
shown_solutions = _told("a solution is open before it is asked for: {}", OPEN)
pale_rings = _told("no focus ring that can be seen: {}", RINGS)


def cramped(visit):
    found = visit.page.evaluate(LOOSE_LINES)
    return [f"the lines of {found} blocks of code are cramped"] if found else []


def shifts(visit, most=0.02):
    moved = visit.page.evaluate("window.shifted")
    width = visit.page.viewport_size["width"]
    return [f"moves by {moved:.3f} while it loads, at {width} px"] if moved >= most else []


def overflow(visit):
    page = visit.page
    beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    width = page.viewport_size["width"]
    return [f"scrolls sideways by {beyond} px at {width} px"] if beyond > 0 else []


def at(width, check):
    """The check of a page in a window as wide as this from now on."""

    def resized(visit):
        visit.resize(width)
        visit.settle()
        return check(visit)

    return resized


def faults_in_print(visit):
    visit.page.emulate_media(media="print")
    closed, uneven = visit.page.evaluate(CLOSED), visit.page.evaluate(UNEVEN)
    visit.page.emulate_media(media="screen")
    found = [f"{closed} folded boxes are closed in print"] if closed else []
    return found + ([f"{uneven} answers are not printed as large as text"] if uneven else [])
