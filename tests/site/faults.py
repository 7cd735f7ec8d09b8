"""What can be wrong with a page, each as a list of sentences; empty where nothing is."""

import json
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
RUN_AXE = """async () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;  // changes nothing but colours
  const contrast = {"color-contrast": {enabled: innerWidth > 600}};  // a phone has the same colours
  const options = dark ? {runOnly: ["color-contrast"]} : {rules: contrast};
  options.resultTypes = ["violations"];
  return (await axe.run({exclude: [[".katex"]]}, options)).violations;
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


def overflow(visit):
    beyond = visit.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return [f"scrolls sideways by {beyond} px"] if beyond > 0 else []


def barriers(visit):
    visit.page.evaluate(AXE)
    return [
        f"{rule['id']} ({rule['impact']}) at {node['target'][0]}"
        for rule in visit.page.evaluate(RUN_AXE)
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def all_faults(visit):
    checks = (elsewhere, complaints, raw_formulas, overflow, barriers)
    return [fault for check in checks for fault in check(visit)]


def too_heavy(weight, limit=1_200_000):
    return [f"weighs {weight:,} bytes, more than {limit:,}"] if weight > limit else []


def has_formulas(source):
    """Whether the source of a page, a notebook or Markdown, has a formula outside its code."""
    text = Path(source).read_text(encoding="utf-8")
    if source.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    prose = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    return bool(re.search(r"\$[^$]+\$|\\begin\{", prose))


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
