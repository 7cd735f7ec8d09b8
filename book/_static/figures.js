// A drawing opens large: by a click on it, or by its link, which without this leads to its file.
const dialog = document.createElement("dialog");
dialog.className = "enlarged";
dialog.addEventListener("click", () => dialog.close());

function enlarge(figure) {
  const close = document.createElement("button");
  close.textContent = "Close";
  const caption = Object.assign(document.createElement("div"), {className: "caption"});
  caption.append(...figure.querySelector("figcaption").cloneNode(true).childNodes);
  dialog.replaceChildren(close, figure.querySelector("svg").cloneNode(true), caption);
  // What a copy refers to (patterns, clips) is found in the page: an id stands there once.
  dialog.querySelectorAll("[id]").forEach((element) => element.removeAttribute("id"));
  dialog.setAttribute("aria-label", figure.querySelector(".caption-number").textContent);
  dialog.showModal();
}

document.addEventListener("click", (event) => {
  const figure = event.target.closest("figure.drawn");
  if (figure && event.target.closest("svg[role=img], a.enlarge") && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    enlarge(figure);
  }
});
document.body.append(dialog);
