// Fold what waits to be asked for: the answers to predictions, and asides. The page is sent with all of
// them open, so that it reads whole without scripts and in print; a button and the key "a" show or fold every
// answer, and the choice is kept.
(() => {
  const root = document.documentElement;
  const answers = () => document.querySelectorAll("details.reveal");
  const shown = () => root.classList.contains("answers-shown");
  const typing = (element) => element.closest("input, textarea, select, [contenteditable]");

  const button = Object.assign(document.createElement("button"), {className: "btn btn-sm show-answers"});

  function place() {
    for (const answer of answers()) answer.open = shown();
    button.textContent = shown() ? "Fold the answers" : "Show all answers";
  }

  function turn() {
    root.classList.toggle("answers-shown");
    try {
      localStorage.setItem("answers", shown() ? "shown" : "folded");
    } catch {}
    place();
  }

  if (answers().length) document.querySelector(".article-header-buttons")?.prepend(button);
  button.addEventListener("click", turn);

  for (const aside of document.querySelectorAll("details.aside")) aside.open = false;
  place();
  root.classList.remove("folding");

  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let box = target?.closest("details"); box; box = box.parentElement.closest("details")) {
    box.open = true;
  }
  if (target?.closest("details")) target.scrollIntoView();

  document.addEventListener("keydown", (event) => {
    if (event.key === "a" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target)) turn();
  });
})();
