// Figures that a reader moves. Each module in `figures` has a `state` to begin with, `controls` that change it,
// `compute(state)`, which `attnbook` computes, too, `draw(state, found)` and `say(state, found)`. A figure moves
// by sliders and buttons, so by keys as well; what it says is the drawing's text for those who do not see it.

function slider(name, { label, min, max, step, shown }, state, changed) {
  const box = document.createElement("label"), input = document.createElement("input"), value = document.createElement("output");
  Object.assign(input, { type: "range", min, max, step, value: state[name] });
  const tell = () => { value.textContent = shown(Number(input.value)); };
  input.addEventListener("input", () => {
    state[name] = Number(input.value);
    tell();
    changed();
  });
  tell();
  box.append(`${label} `, input, value);
  return box;
}

function switches(name, { label, rows, columns }, state, changed) {
  const table = document.createElement("table");
  table.createCaption().textContent = label;
  const head = table.createTHead().insertRow();
  head.append(...["", ...columns].map((word) => Object.assign(document.createElement("th"), { textContent: word, scope: "col" })));
  rows.forEach((row, i) => {
    const line = table.insertRow();
    line.append(Object.assign(document.createElement("th"), { textContent: row, scope: "row" }));
    columns.forEach((column, j) => {
      const input = Object.assign(document.createElement("input"), { type: "checkbox", checked: state[name][i][j] });
      input.setAttribute("aria-label", `${row} sees ${column}`);
      input.addEventListener("change", () => {
        state[name][i][j] = input.checked;
        changed();
      });
      line.insertCell().append(input);
    });
  });
  return table;
}

export function mount(place, figure) {
  const state = structuredClone(figure.state);
  const drawing = document.createElement("div"), said = document.createElement("p"), controls = document.createElement("div");
  const show = () => {
    const found = figure.compute(state);
    said.textContent = figure.say(state, found);
    drawing.innerHTML = `<svg viewBox="0 0 480 ${figure.height}" role="img" aria-label="${said.textContent}">${figure.draw(state, found)}</svg>`;
  };
  controls.className = "controls";
  for (const [name, control] of Object.entries(figure.controls)) {
    controls.append((control.rows ? switches : slider)(name, control, state, show));
  }
  said.setAttribute("role", "status");
  place.replaceChildren(controls, drawing, said);
  show();
}

for (const place of document.querySelectorAll(".moving[data-figure]")) {
  place.firstElementChild.addEventListener("click", async () => {
    mount(place, await import(`./figures/${place.dataset.figure}.mjs`));
    place.querySelector("input").focus();
  });
}
