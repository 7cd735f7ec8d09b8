// Where the pointer rests, or the keyboard's focus, a link shows what it leads to: the entry of a source, an equation,
// a figure, a function's signature, or a chapter's or section's title, each of these two with its first paragraph. A preview has nothing in it to press.
(() => {
const LINKS = ":is(a.internal:not([title]), a.external[title], svg a)";
const KINDS = "section, figure.drawn, div.math, div.citation, dt.sig";
const REST = 250;  // milliseconds, as many for going over into the preview

const article = document.querySelector(".bd-article");
const box = Object.assign(document.createElement("div"), {id: "preview", hidden: true});
box.setAttribute("role", "tooltip");
article.append(box);
let link, entry, timer, touched;

// A page of the site; from a file only the one that is open can be read.
async function read(address) {
  if (address.pathname === location.pathname) return document;
  if (location.protocol === "file:") return;
  try {
    const answer = await fetch(address);
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : undefined;
  } catch {}  // without a network
}

function target(page, {hash}) {
  if (!hash) return page.querySelector(".bd-article section");
  const named = page.getElementById(decodeURIComponent(hash.slice(1)));
  const whole = named?.matches("section > span") ? named.parentElement : named;
  return whole?.matches(KINDS) ? whole : null;
}

function copy(part) {
  const made = part.cloneNode(true);
  made.querySelectorAll(".headerlink, a.enlarge, .film, annotation").forEach(piece => piece.remove());
  made.querySelectorAll("[tabindex]").forEach(piece => piece.removeAttribute("tabindex"));
  made.querySelectorAll("a").forEach(inner => inner.replaceWith(...inner.childNodes));
  return made;
}

function excerpt(found) {
  if (found.matches("div.citation")) return copy(found.querySelector("p")).outerHTML;
  if (!found.matches("section, dt")) return copy(found).outerHTML;
  const [title, first] = found.matches("dt") ? [found, found.nextElementSibling.querySelector(":scope > p")]
    : ["h1, h2, h3, h4", "p"].map(kind => found.querySelector(`:scope > :is(${kind})`));
  return `<p class="title">${copy(title).innerHTML}</p>${first ? copy(first).outerHTML : ""}`;
}

// A page without formulas has no styles for them.
async function style(page, address) {
  const sheet = "link[rel=stylesheet][href*=katex]";
  if (!box.querySelector(".katex") || document.querySelector(sheet)) return;
  const href = new URL(page.querySelector(sheet).getAttribute("href"), address);
  const added = Object.assign(document.createElement("link"), {rel: "stylesheet", href});
  document.head.append(added);
  await new Promise(done => { added.onload = added.onerror = done; });
}

async function fill(from) {
  if (from.matches(".external")) return box.replaceChildren(entry);
  const address = new URL(from.getAttribute("href"), location.href);
  const page = await read(address), found = page && target(page, address);
  if (link !== from) return;
  // What an id names inside a drawing is looked for in the page: in the copy it has another name.
  box.innerHTML = found ? excerpt(found).replace(/(?<= id="|url\(#|href="#)/g, "preview-") : "";
  await style(page, address);
}

// Never upon the link: below it, or above it where there is more room. In a drawing it stands at the link's right, if
// that is wide enough, so that the pointer finds the names below.
function place() {
  const {left, right, top, bottom} = link.getBoundingClientRect(), gap = 6, edge = 16;
  const across = document.documentElement.clientWidth - edge, below = innerHeight - bottom;
  const beside = link.matches("svg a") && across - right > 300;
  if (beside) box.style.maxWidth = `${across - right - gap}px`;
  const above = box.offsetHeight + gap > below && top > below;
  if (!beside) box.style.maxHeight = `${(above ? top : below) - 2 * gap}px`;
  const x = beside ? right + gap : Math.max(edge, Math.min(left, across - box.offsetWidth));
  const y = beside ? Math.min(top, innerHeight - box.offsetHeight) : above ? top - box.offsetHeight - gap : bottom + gap;
  const frame = box.offsetParent.getBoundingClientRect();
  box.style.translate = `${x - frame.left}px ${y - frame.top}px`;
}

async function open(from) {
  close();
  [link, entry] = [from, from.title];
  if (entry) link.title = "";  // which the browser would show, too
  await fill(from);
  if (link !== from || !box.hasChildNodes()) return;
  Object.assign(box, {hidden: false, style: ""});
  place();
  link.setAttribute("aria-describedby", box.id);
}

function close() {
  box.hidden = true;
  link?.removeAttribute("aria-describedby");
  if (entry) link.title = entry;
  link = entry = null;
}

function settle() {
  if (box.matches(":hover")) return;
  const pointed = touched ? null : article.querySelector(`${LINKS}:hover`);
  const wanted = pointed ?? article.querySelector(`${LINKS}:focus-visible`);
  if (!wanted) close();
  else if (wanted !== link) open(wanted);
}

for (const kind of ["pointerover", "pointerout", "focusin", "focusout"]) {
  article.addEventListener(kind, ({pointerType}) => {
    if (pointerType) touched = pointerType === "touch";
    clearTimeout(timer);
    timer = setTimeout(settle, REST);
  });
}
// After Escape it stays closed until the pointer or the focus has been elsewhere.
addEventListener("keydown", ({key}) => { if (key === "Escape") box.hidden = true; });
})();
