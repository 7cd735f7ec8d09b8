// Figures that a reader moves. Each module in `figures` has a `state` to begin with, in `ask` what is worth trying,
// `controls` that change the state, `compute(state)`, which `attnbook` computes, too, `draw(state, found)` and
// `say(state, found)`. A figure moves by sliders, boxes and buttons, so by keys as well; what it says is the drawing's
// text for those who do not see it. The label of a control names the thing that it moves, which is in what it says, too.

const SETTLED = 400;  // milliseconds without a change, after which a figure is read aloud: a drag would chatter
const UNLOADED = "The script of this figure could not be loaded: look at the network, then reload the page.";

const element = (tag, properties, ...inside) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...inside);
  return made;
};

// A control is its element and what brings it to the state. A slider's end may depend on the state, and what it shows
// need not be the state's own value: `of(state)` is where it stands, `to(value, state)` the part of the state that changes.
function slider(name, { label, min, max, step, shown, of = () => state[name], to = (value) => ({ [name]: value }) }, state, change) {
  const end = typeof max === "function" ? max : () => max;
  const input = element("input", { type: "range", min, step }), value = element("span", { ariaHidden: "true" });
  input.addEventListener("input", () => change(to(Number(input.value), state)));
  return [element("label", {}, `${label} `, input, value), () => {
    input.max = end(state);
    input.value = of(state);
    input.ariaValueText = value.textContent = shown(of(state));
  }];
}

function boxes(name, { label, rows, columns }, state, change) {
  const refresh = [];
  const heads = columns.map((word) => element("th", { textContent: word, scope: "col" }));
  const lines = rows.map((row, i) => element("tr", {}, element("th", { textContent: row, scope: "row" }), ...columns.map((column, j) => {
    const input = element("input", { type: "checkbox", ariaLabel: `${row} sees ${column}` });
    input.addEventListener("change", () => change({ [name]: state[name].map((line, r) => line.with(j, r === i ? input.checked : line[j])) }));
    refresh.push(() => { input.checked = state[name][i][j]; });
    return element("td", {}, input);
  })));
  const table = element("table", {}, element("caption", { textContent: label }), element("tr", {}, element("td", {}), ...heads), ...lines);
  return [table, () => refresh.forEach((each) => each())];
}

// Settings to choose from: each has its words and a part of a state.
function choices(name, { label, settings }, state, change) {
  const same = (part) => Object.keys(part).every((key) => JSON.stringify(part[key]) === JSON.stringify(state[key]));
  const buttons = Object.entries(settings).map(([words, part]) => {
    const button = element("button", { type: "button", textContent: words });
    button.addEventListener("click", () => change(part));
    return [button, () => { button.ariaPressed = String(same(part)); }];
  });
  const row = element("div", { className: "choices", role: "group", ariaLabel: label }, label, ...buttons.map(([button]) => button));
  return [row, () => buttons.forEach(([, refresh]) => refresh())];
}

const kind = (control) => control.rows ? boxes : control.settings ? choices : slider;

export function mount(place, figure) {
  const state = structuredClone(figure.state);
  const drawing = element("div", { innerHTML: `<svg viewBox="0 0 400 ${figure.height}" role="img"></svg>` }), svg = drawing.firstChild;
  const said = element("p", { className: "said", ariaHidden: "true" }), heard = element("p", { role: "status" });
  const reset = element("button", { type: "button", textContent: "Reset the figure" });
  let waiting;
  const say = () => { heard.textContent = said.textContent; };
  const show = () => {
    const found = figure.compute(state);
    parts.forEach(([, refresh]) => refresh());
    svg.innerHTML = figure.draw(state, found);
    svg.ariaLabel = said.textContent = figure.say(state, found);
  };
  const change = (part) => {
    Object.assign(state, structuredClone(part));
    show();
    clearTimeout(waiting);
    waiting = setTimeout(say, SETTLED);
  };
  const parts = Object.entries(figure.controls).map(([name, control]) => kind(control)(name, control, state, change));
  reset.addEventListener("click", () => change(figure.state));
  const ask = element("p", { className: "ask", id: `try-${place.dataset.figure}` }, element("b", {}, "Try this: "), figure.ask);
  const controls = element("div", { className: "controls", role: "group", ariaLabel: "What moves the figure" }, ...parts.map(([part]) => part), reset);
  controls.setAttribute("aria-describedby", ask.id);
  place.replaceChildren(ask, controls, drawing, said, heard);
  show();
  say();
}

for (const place of document.querySelectorAll(".moving[data-figure]")) {
  place.firstElementChild.addEventListener("click", async () => {
    const figure = await import(`./figures/${place.dataset.figure}.mjs`).catch(() => {});
    if (!figure) return place.replaceChildren(element("p", { role: "status", textContent: UNLOADED }));
    mount(place, figure);
    place.querySelector("input, .controls button").focus();
  });
}
