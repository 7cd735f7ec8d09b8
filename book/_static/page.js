// What a page does beyond showing itself: menus, focus, the contents' mark.

// What is too wide scrolls: it fades where there is more, and the keyboard reaches it.
const WIDE = ".bd-article :is(pre, .katex-display, .pst-scrollable-table-container, .linked)";
const hint = box => {
  const beyond = box.scrollWidth - box.clientWidth - box.scrollLeft;
  box.classList.toggle("more-before", box.scrollLeft > 1);
  box.classList.toggle("more-after", beyond > 1);
  if (box.scrollLeft > 1 || beyond > 1) box.tabIndex = 0;
  else if (box.matches(".katex-display")) box.tabIndex = -1;
};
// An output in columns keeps them on a phone, if its lines fit a desktop; other lines wrap.
const inColumns = text => {
  const lines = text.split("\n");
  return lines.every(line => line.length <= 86) && lines.filter(line => /\S {2,}\S/.test(line)).length > 1;
};
const hintAll = () => document.querySelectorAll(WIDE).forEach(box => {
  box.classList.toggle("columns", box.matches(".cell_output pre") && inColumns(box.textContent));
  hint(box);
});
hintAll();
document.fonts.ready.then(hintAll);
addEventListener("resize", hintAll);
matchMedia("print").addEventListener("change", hintAll);  // in print lines wrap
addEventListener("toggle", () => dispatchEvent(new Event("resize")), true);  // what was folded had no width
addEventListener("scroll", event => {
  if (event.target !== document && event.target.matches(WIDE)) hint(event.target);
}, {capture: true, passive: true});

// A long name in a table may go on below, after a sign; a short one stays whole.
document.querySelectorAll(".bd-article table code .pre").forEach(name => {
  if (name.textContent.length > 16) name.innerHTML = name.innerHTML.replace(/[_.(](?=\w)/g, "$&<wbr>");
});

// The list of chapters shows where the reader is, whichever way the page was reached.
const here = document.querySelector(".bd-sidebar-primary .current > a");
if (here) {
  const list = here.closest(".sidebar-primary-item");
  const {top, height} = here.getBoundingClientRect();
  list.scrollTop += top + height / 2 - list.getBoundingClientRect().top - list.clientHeight / 2;
}

// The book theme takes the focus from these buttons at each press, for a tooltip that is not here.
document.querySelectorAll(".theme-switch-button, .search-button, .sidebar-toggle").forEach(button => {
  button.blur = () => {};
});

document.querySelectorAll('[data-bs-toggle="dropdown"]').forEach(button => {
  const box = button.parentElement, menu = button.nextElementSibling;
  const show = open => {
    button.setAttribute("aria-expanded", open);
    menu.classList.toggle("show", open);
  };
  button.addEventListener("click", () => show(button.ariaExpanded !== "true"));
  box.addEventListener("keydown", event => {
    if (event.key === "Escape") { show(false); button.focus(); }
  });
  box.addEventListener("focusout", event => {
    if (event.relatedTarget && !box.contains(event.relatedTarget)) show(false);
  });
  document.addEventListener("click", event => { if (!box.contains(event.target)) show(false); });
});

// The contents mark the last heading above the first third of the window, and show the mark.
const entries = [...document.querySelectorAll(".page-toc a[href^='#']")].flatMap(link => {
  const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  return heading ? [{link, heading}] : [];
});
const contents = document.querySelector(".bd-sidebar-secondary");
const show = link => {
  const box = contents.getBoundingClientRect(), place = link.getBoundingClientRect();
  const outside = place.top < box.top || place.bottom > Math.min(box.bottom, innerHeight);
  if (outside) contents.scrollTop += place.top - box.top - box.height / 2;
};
const mark = () => {
  const above = entries.filter(({heading}) => heading.getBoundingClientRect().top < innerHeight / 3);
  const current = above.at(-1)?.link;
  entries.forEach(({link}) => {
    link.classList.toggle("active", link === current);
    if (link === current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  });
  if (current) show(current);
};
let waiting = false;
if (entries.length) {
  mark();
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; mark(); });
  }, {passive: true});
}
