"""What can be wrong with a page, each as a list of sentences; empty where nothing is."""

import re
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

AXE = Path(__file__).with_name("axe.min.js").read_text(encoding="utf-8")

RAW_FORMULAS = r"""() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const {textContent, parentElement} = walker.currentNode;
    const code = parentElement.closest("pre, code, script, style, .katex");
    if (!code && /\$|\\[(\[]|\\begin\{/.test(textContent)) found.push(textContent.trim());
  }
  const unset = document.querySelectorAll(".math:not(:has(.katex))");
  return [...found, ...[...unset].map(node => node.textContent)];
}"""
THIN = """() => {  // what is left out are parts of formulas and of drawings, and code of one kind
  document.querySelectorAll(".katex, svg[role=img] > *").forEach(part => part.remove());
  const seen = new Set();
  document.querySelectorAll("pre span, .sig :is(span, em)").forEach(span => {
    const place = span.closest(".cell_output, .cell_input, .sig")?.className;
    const kind = `${span.className} in ${place}`;
    if (seen.has(kind)) span.replaceWith(span.textContent);
    seen.add(kind);
  });
}"""
RUN_AXE = """async options =>
  (await axe.run({...options, resultTypes: ["violations"]})).violations"""
# The theme waits for 300 ms before it looks for what scrolls; its timer was set before this one.
RESIZED = "new Promise(done => setTimeout(done, 300))"
OF_A_PHONE = ["target-size", "scrollable-region-focusable", "button-name", "link-name"]
CONTRAST = """async judged => {  // of text in one colour and size on one ground, one is enough
  const grounds = new Map([[null, ""]]);
  const ground = node => {
    if (!grounds.has(node)) {
      const {backgroundColor, backgroundImage, opacity} = getComputedStyle(node);
      const own = `${backgroundColor} ${backgroundImage} ${opacity}`;
      const seen = own === "rgba(0, 0, 0, 0) none 1" ? "" : ` on ${own}`;
      grounds.set(node, seen + ground(node.parentElement));
    }
    return grounds.get(node);
  };
  const kind = node => {
    const {color, fontSize, fontWeight} = getComputedStyle(node);
    return [color, fontSize, fontWeight].join(" on ") + ground(node);
  };
  const texts = [...document.querySelectorAll("body *")].filter(node =>
    node.checkVisibility({visibilityProperty: true}) && (node.matches("input")
    || [...node.childNodes].some(part => part.nodeType === 3 && part.data.trim())));
  const kinds = new Map(texts.map(node => [kind(node), node]));
  judged.forEach(kind => kinds.delete(kind));
  if (!kinds.size) return [[], []];
  const options = {runOnly: ["color-contrast"], resultTypes: ["violations"]};
  const {violations} = await axe.run({include: [...kinds.values()]}, options);
  return [violations, [...kinds.keys()]];
}"""


def elsewhere(visit):
    return [
        f"asks another host: {url}"
        for url in visit.requests
        if not url.startswith((f"{visit.root}/", "data:"))
    ]


def complaints(visit):
    return [f"the console says: {complaint}" for complaint in visit.complaints]


def raw_formulas(visit):
    return [f"a formula is not set: {text[:80]}" for text in visit.page.evaluate(RAW_FORMULAS)]


def _told(violations):
    return [
        f"{rule['id']} ({rule['impact']}) at {node['target'][0]}"
        for rule in violations
        for node in rule["nodes"]
    ]


def barriers(visit):
    """What axe finds at the desk, but for colours."""
    return _told(visit.page.evaluate(RUN_AXE, {"rules": {"color-contrast": {"enabled": False}}}))


def barriers_on_a_phone(visit):
    visit.page.evaluate(RESIZED)
    return _told(visit.page.evaluate(RUN_AXE, {"runOnly": OF_A_PHONE}))


def pale(visit):
    """Text that its ground does not set off, of the kinds that no page before had."""
    violations, kinds = visit.page.evaluate(CONTRAST, sorted(visit.judged))
    visit.judged.update(kinds)
    return _told(violations)


def strip(visit):
    """Leave to axe what it can judge: look at formulas and drawings before."""
    visit.page.evaluate(THIN)
    visit.page.evaluate(AXE)


def too_heavy(visit, most=570_000):  # the search page: an index of 34 chapters, up to 16 kB each
    """More bytes than a first view may weigh, without its figures."""
    weight = visit.weight()
    if weight > most:
        weight = visit.alone().weight()
    return [f"weighs {weight:,} bytes, more than {most:,}"] if weight > most else []


def formulas_by_script(html):
    """Formulas of a page, as it is served, that a reader without scripts would not see."""
    formulas = len(re.findall(r'class="math[ "]', html))
    typeset = len(re.findall(r'class="katex-html"', html))
    spoken = len(re.findall(r"<math\b", html))
    whole = formulas <= typeset == spoken
    return [] if whole else [f"{formulas} formulas: {typeset} typeset, {spoken} in MathML"]


def dead_links(folder):
    """Links inside the site whose page or anchor does not exist."""
    root = "http://site/"
    texts = {f: f.read_text(encoding="utf-8") for f in sorted(Path(folder).rglob("*.html"))}
    anchors = {f: set(re.findall(r'\bid="([^"]*)"', text)) for f, text in texts.items()}
    dead = []
    for file, text in texts.items():
        here = root + file.relative_to(folder).as_posix()
        for link in set(re.findall(r'<a\b[^>]*\bhref="([^"]*)"', text)):
            url, anchor = urldefrag(urljoin(here, link))
            target = Path(folder, unquote(url.removeprefix(root)))
            if url.startswith(root) and not (
                target.is_file() and (not anchor or unquote(anchor) in anchors.get(target, ()))
            ):
                dead.append(f"{file.relative_to(folder)} links to {link}")
    return dead
