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

// What either knows is kept: an exercise solved here or there is solved, and the more tries count.
function join(one = {}, other = {}) {
  const solved = [one.solved, other.solved].filter(Boolean).sort()[0];
  return { tries: Math.max(one.tries ?? 0, other.tries ?? 0), ...(solved && { solved }) };
}

async function load(file) {
  try {
    const found = JSON.parse(await file.text());
    const known = new Set([...document.querySelectorAll("[data-exercise]")].map((mark) => mark.dataset.exercise));
    const entries = Object.entries(found).filter(([name, entry]) => known.has(name) && typeof entry === "object");
    const all = progress.all();
    for (const [name, entry] of entries) all[name] = join(all[name], entry);
    progress.set(JSON.stringify(all));
    told.append(` ${entries.length} taken from ${file.name}.`);
  } catch {
    told.textContent = `${file.name} is not a record of exercises: it was left alone.`;
  }
}

const press = (name, does) => document.querySelector(`.live-page .${name}`).addEventListener("click", does);
const chooser = document.querySelector(".live-page input");
chooser.addEventListener("change", () => chooser.files[0] && load(chooser.files[0]));
press("save", save);
press("take", () => chooser.click());
addEventListener("attnbook-progress", show);
addEventListener("storage", show);
show();
