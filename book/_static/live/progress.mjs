// "My progress": the state of every exercise, taken to another browser or a notebook and back in a file.
import { progress } from "./store.mjs";

const told = document.querySelector(".live-page [role=status]");

function state({ solved, tries } = {}) {
  if (solved) return `solved on ${solved}`;
  return tries ? `${tries} ${tries === 1 ? "try" : "tries"}` : "";
}

function show() {
  const all = progress.all(), marks = [...document.querySelectorAll("[data-exercise]")];
  for (const mark of marks) {
    const entry = all[mark.dataset.exercise];
    mark.textContent = state(entry);
    mark.closest("li").classList.toggle("solved", Boolean(entry?.solved));
  }
  const solved = marks.filter((mark) => all[mark.dataset.exercise]?.solved).length;
  told.textContent = `${solved} of ${marks.length} solved.`;
}

function save() {
  const file = new Blob([progress.text() || "{}"], { type: "application/json" });
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: "progress.json" });
  link.click();
  URL.revokeObjectURL(link.href);
}

async function load(file) {
  try {
    const found = JSON.parse(await file.text());
    if (Array.isArray(found) || typeof found !== "object") throw new TypeError("no record");
    const known = new Set([...document.querySelectorAll("[data-exercise]")].map((mark) => mark.dataset.exercise));
    const right = ({ tries = 0, solved = "" }) => Number.isInteger(tries) && typeof solved === "string";
    const entries = Object.entries(found).filter(([name, entry]) => known.has(name) && right(entry));
    progress.add(JSON.stringify(Object.fromEntries(entries)));
    told.append(` ${entries.length} taken from ${file.name}${entries.length ? "" : ", which names no exercise of this book"}.`);
  } catch {
    told.textContent = `${file.name} is not a record of exercises, in which each has a name, tries and a day: it was left alone.`;
  }
}

const press = (name, does) => document.querySelector(`.live-page .${name}`).addEventListener("click", does);
const chooser = document.querySelector(".live-page input");
chooser.addEventListener("change", () => chooser.files[0] && load(chooser.files[0]));
chooser.addEventListener("click", () => { chooser.value = ""; });  // the same file may be taken again
press("save", save);
press("take", () => chooser.click());
addEventListener("attnbook-progress", show);
addEventListener("storage", show);
show();
