// Make the page's cells run: each with what it needs above it, all of them, or none any more.
import { Cell } from "./cell.mjs";
import { download } from "./notebook.mjs";
import { ahead, stop } from "./python.mjs";
import { progress } from "./store.mjs";

const root = new URL(document.documentElement.dataset.content_root, location.href);
const told = document.querySelector(".live-page [role=status]");
const loads = (text) => { (pressed?.status ?? told).textContent = text; };
const cells = [...document.querySelectorAll(".bd-article div.cell[id^=cell-]")].map((element) => new Cell(element, { runFrom, stop, loads }));
const BOOKS = "It is the book's own code: if you have changed a name that it uses, Restart makes all names anew.";
let pressed;  // the cell that the reader wants to see, unless it is all of them
let round = 0;  // a stop ends the round of runs that is under way

// The cells above that have not run as they stand: not those that only draw, and of exercises those that are begun.
const needed = (cell) => cells.filter((other) => other.number < cell.number && other.done !== other.source
  && (other.source !== other.original || !other.exercise && !other.draws));

// Run cells one after the other; returns why they did not all come to their end, if they did not.
async function runEach(chosen) {
  const mine = ++round;
  keepOffline();
  for (const cell of chosen) {
    const ended = await cell.run();
    if (mine !== round) return `${cell.name} was stopped.`;
    if (!ended && !cell.exercise) {
      return `${cell.name} ended with an error. ${cell.source === cell.original ? BOOKS : "You have edited it: Reset brings the book's code back."}`;
    }
  }
}

async function runFrom(cell) {
  pressed = cell;
  const above = needed(cell);
  if (above.length) {
    cell.wait();
    const wrong = await runEach(above);
    if (wrong) return cell.refuse(`This cell needs those above it, and ${wrong}`);
  }
  cell.reveal();
  return runEach([cell]);
}

async function runAll({ target }) {
  if (target.textContent === "Stop") return stop();
  pressed = undefined;
  target.textContent = "Stop";
  told.textContent = "running all cells";
  const wrong = await runEach(cells.filter((cell) => !cell.exercise));
  target.textContent = "Run all";
  told.textContent = wrong ? `Not all cells ran: ${wrong}` : "All cells ran; the exercises wait for your answers.";
}

addEventListener("python-ended", () => {
  round++;
  for (const cell of cells) cell.done = undefined;
});

function restart() {
  stop();
  for (const cell of cells) cell.forget();
  told.textContent = "Restarted: all variables are gone, and your edits are kept.";
}

// From the first run on, the browser keeps what it has loaded, so that the page runs without a network, too. Python
// tells of its files when it has them: the service worker may have come too late to see them pass.
async function keepOffline(files = []) {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register(new URL("offline.js", root));
    const { active } = await navigator.serviceWorker.ready;
    const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
    active.postMessage([location.href, new URL("codemirror.mjs", import.meta.url).href, ...loaded, ...files]);  // and to edit
  } catch {}  // a browser that keeps nothing
}

addEventListener("python-loaded", ({ detail }) => keepOffline(detail));

// Where the browser keeps all of Python, whoever comes to a cell finds it begun: nothing is downloaded for that.
async function beginAhead() {
  if (!await globalThis.caches?.match(new URL("python/kernel.py", root))) return;  // the file that comes last
  for (const { element } of cells) {
    element.addEventListener("pointerover", ahead);
    element.addEventListener("focusin", ahead);
  }
}

// A card says that its exercise is solved.
function mark() {
  const all = progress.all();
  for (const cell of cells) if (cell.exercise) cell.card?.classList.toggle("solved", Boolean(all[cell.exercise]?.solved));
}
addEventListener("attnbook-progress", mark);
addEventListener("storage", mark);
mark();

const press = (name, does) => document.querySelector(`.live-page .${name}`).addEventListener("click", does);
beginAhead();
press("run-all", runAll);
press("restart", restart);
press("download", () => download(cells));
document.documentElement.dataset.live = cells.length;
