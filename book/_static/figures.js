// A drawing opens large: by a click on it, or by its link, which without this leads to its file.
const dialog = document.createElement("dialog");
dialog.className = "enlarged";
dialog.addEventListener("click", (event) => event.target.closest(".film") || dialog.close());
dialog.addEventListener("close", pause);

function enlarge(figure) {
  const close = document.createElement("button");
  close.textContent = "Close";
  const caption = Object.assign(document.createElement("div"), {className: "caption"});
  caption.append(...figure.querySelector("figcaption").cloneNode(true).childNodes);
  const [...shown] = figure.querySelectorAll(".film, svg[aria-label]");
  dialog.replaceChildren(close, ...shown.map((part) => part.cloneNode(true)), caption);
  // What a copy refers to (patterns, clips) is found in the page: an id stands there once.
  dialog.querySelectorAll("[id]").forEach((element) => element.removeAttribute("id"));
  dialog.setAttribute("aria-label", figure.querySelector(".caption-number").textContent);
  dialog.showModal();
}

// A film's pictures stand side by side, and all can be read. Step lights the first alone, then the next, and after
// the last one all of them again; Play does that by itself.
let clock, playing;

function step(film) {
  const pictures = [...film.querySelectorAll("[class^=step-]")];
  const next = pictures.findIndex((picture) => picture.classList.contains("lit")) + 1;
  pictures.forEach((picture, place) => picture.classList.toggle("lit", place === next));
  if (film === dialog) pictures[next]?.scrollIntoView({block: "nearest", inline: "center"});
  return next < pictures.length;
}

function pause() {
  clearInterval(clock);
  if (playing) playing.textContent = "Play";
  playing = null;
}

function press(button) {
  const film = button.closest("figure, dialog"), paused = button === playing;
  pause();
  if (paused) return;
  step(film);
  if (button.matches(".play")) {
    playing = Object.assign(button, {textContent: "Pause"});
    clock = setInterval(() => step(film) || pause(), 2400);
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest(".film button");
  if (button) press(button);
  const figure = event.target.closest("figure.drawn");
  if (figure && event.target.closest("svg[aria-label], a")?.matches("svg, .enlarge") && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    pause();
    enlarge(figure);
  }
});
document.body.append(dialog);
