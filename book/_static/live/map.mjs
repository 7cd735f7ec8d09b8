// On the map of the book, at each chapter, how many of its exercises the reader has solved: a bar behind its name,
// and a word beside it. Where none is solved, the map stays as it was drawn.
import { progress } from "./store.mjs";

const ROOM = 176;  // from the names to the first way, in the drawing's units

function shape(tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

function mark(link, all) {
  const exercises = link.dataset.exercises.split(" "), name = link.querySelector("text");
  const solved = exercises.filter((exercise) => all[exercise]?.solved).length, finished = solved === exercises.length;
  link.replaceChildren(name);
  link.removeAttribute("aria-label");
  if (!solved) return;
  const x = name.getAttribute("x") - 5, y = name.getAttribute("y") - 12.5, height = 17, rx = 3;
  const told = finished ? "finished" : `${solved} of ${exercises.length}`;
  name.before(
    shape("rect", { class: "to-solve", x, y, height, rx, width: ROOM }),
    shape("rect", { class: "solved", x, y, height, rx, width: ROOM * solved / exercises.length }),
  );
  name.after(" ", shape("text", { class: "told", x: x + ROOM - 5, y: y + 12, "text-anchor": "end", "font-size": 11 }, told));
  link.setAttribute("aria-label", `${name.textContent} ${told}${finished ? "" : " exercises solved"}`);
}

function show() {
  const all = progress.all();
  for (const link of document.querySelectorAll("a[data-exercises]")) mark(link, all);
}
addEventListener("attnbook-progress", show);
addEventListener("storage", show);
show();
