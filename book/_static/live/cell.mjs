// One code cell of the page: its buttons, its editor, and what it shows after a run.
import { open, colour } from "./editor.mjs";
import { order } from "./python.mjs";
import { edits, progress } from "./store.mjs";

const MILLION = 1e6;
const UNCHECKED = "its last line, which calls check, is missing; Reset brings it back";

export class Cell {
  // `runFrom(cell)` runs a cell and what it needs above it; `stop()` ends Python; `loads(text)` says how far it is
  // loaded.
  constructor(element, { runFrom, stop, loads }) {
    this.loads = loads;
    this.element = element;
    this.number = Number(element.id.slice("cell-".length));
    this.name = `cell ${this.number}`;
    this.input = element.querySelector(".cell_input");
    this.shown = this.input.querySelector("pre").parentElement;
    this.original = this.shown.textContent.replace(/\n$/, "");
    this.card = element.closest("section.exercise");
    this.draws = element.matches(".quiet:not(#cell-1)");  // a figure, of what no other cell uses
    this.done = undefined;  // the code that has run in this Python
    this.edited = edits.of(this.number, this.original);
    this._attach({ runFrom, stop });
    if (this.edited !== undefined) this.edit();
  }

  get source() { return this.editor?.text ?? this.edited ?? this.original; }

  get exercise() { return this.original.match(/^exercises\.(\w+\.\w+)\.check\(/m)?.[1]; }

  get busy() { return this.element.classList.contains("live-busy"); }

  _attach({ runFrom, stop }) {
    const bar = this.element.querySelector(".live-bar");
    const press = (name, does) => {
      const button = bar.querySelector(`.${name}`);
      button?.addEventListener("click", does);
      return button;
    };
    this.press = () => this.busy ? stop() : runFrom(this);
    this.runs = press("run", this.press);
    this.word = this.runs.textContent;
    this.opens = press("edit", () => this.edit(true));
    this.resets = press("reset", () => this.reset());
    this.resets.hidden = this.edited === undefined;
    press("hint", () => this._hint());
    press("solution", () => this._solution());
    this.status = bar.querySelector("[role=status]");
    this.shown.addEventListener("dblclick", () => this.edit(true));
  }

  get hints() { return [...this.output?.querySelectorAll(":scope > [data-kind=hint]") ?? []]; }

  async _hint() {
    if (this.busy) {
      this.status.textContent = "still running: press Hint when it has ended";
      return;
    }
    const number = this.hints.length + 1;
    const ended = await this._do("hint", { exercise: this.exercise, number }, "gave a hint");
    if (ended && this.hints.length < number) this.status.textContent = "all hints are shown; Solution opens the answer";
  }

  _solution() {
    const box = this.card.querySelector("details.solution");
    box.open = true;
    box.querySelector("summary").focus();
  }

  async edit(focus = false) {
    this.opening ??= open(this.shown, {
      text: this.source, name: this.name, run: this.press, leave: () => this.runs.focus(), changed: () => this._keep(),
    });
    this.editor = await this.opening;
    this.opens.hidden = true;
    this.input.closest("details.code")?.setAttribute("open", "");
    if (focus) this.editor.focus();
  }

  reset() {
    this.edited = undefined;
    if (this.editor) this.editor.text = this.original;
    this.forget();
    this._keep();
    this.runs.focus();
    this.status.textContent = "the book's code is back, without your edits; Ctrl+Z in the editor brings them back";
  }

  _keep() {
    edits.set(this.number, this.original, this.source);
    this.resets.hidden = this.source === this.original;
  }

  // Say that this cell waits for those above it.
  wait() {
    this._clear();
    this._begin("running the cells above");
  }

  // Say that it did not run, and why.
  refuse(why) {
    this._show("error", why);
    this._end("did not run");
  }

  // Open the answer to the question above this cell.
  reveal() {
    const fold = this.element.querySelector("details.reveal");
    if (fold) fold.open = true;
  }

  // Run this cell alone; resolves to whether it came to its end.
  async run() {
    const source = this.source;
    this._clear();
    const did = this.exercise && !source.includes(".check(") ? `ran, but checked no answer: ${UNCHECKED}` : "ran in your browser";
    const ended = await this._do("run", { source, name: this.name }, did);
    this.done = ended ? source : undefined;
    return ended;
  }

  async _do(name, what, did) {
    this._begin("waiting");
    const ended = await order(name, what, (kind, text) => this._show(kind, text));
    this._end(ended ? did : "did not finish");
    return ended;
  }

  _begin(status) {
    this.element.classList.add("live-busy", "live-ran");
    this._name("Stop");
    this.status.textContent = status;
    this.output ??= this._place();
    this.output.setAttribute("aria-busy", "true");
  }

  // Hints stay: they are about the exercise, whatever its answer.
  _clear() {
    this.output?.querySelectorAll(":scope > :not([data-kind=hint])").forEach((shown) => shown.remove());
  }

  _name(word) {
    this.runs.textContent = word;
    this.runs.setAttribute("aria-label", `${word} ${this.name}`);
  }

  _end(status) {
    this.element.classList.remove("live-busy");
    this._name(this.word);
    this.status.textContent = status;
    this.output.removeAttribute("aria-busy");
    for (const shown of this.output.querySelectorAll("pre")) this._reach(shown);
  }

  // A long output scrolls, by the keyboard, too.
  _reach(shown) {
    if (shown.scrollHeight <= shown.clientHeight) return;
    shown.tabIndex = 0;
    shown.setAttribute("role", "region");
    shown.setAttribute("aria-label", `Output of ${this.name}`);
  }

  // Where the output goes: in front of what the page shows for it, which gives way.
  _place() {
    const output = document.createElement("div");
    output.className = "live-output";
    output.setAttribute("aria-live", "polite");
    let place = this.element.querySelector(".cell_output");
    if (!place) {
      place = Object.assign(document.createElement("div"), { className: "cell_output docutils container" });
      this.element.append(place);
    }
    const fold = place.querySelector("details.reveal");
    const figure = place.querySelector("figure.drawn");
    if (figure) figure.prepend(output);
    else if (fold) fold.querySelector("summary").after(output);
    else place.prepend(output);
    return output;
  }

  // What the page showed before anything ran.
  forget() {
    this.done = undefined;
    this.output?.remove();
    this.output = undefined;
    this.element.classList.remove("live-ran");
    this.element.querySelector("details.reveal")?.removeAttribute("open");
    this.status.textContent = "";
  }

  _show(kind, text) {
    if (kind === "loading") this.loads(`loading Python: ${(text / MILLION).toFixed(1)} MB, unpacked`);
    else if (kind === "running") this.status.textContent = "running";
    else if (kind === "progress") progress.add(text);
    else if (kind === "hint") this.output.append(this._shown(kind, text));
    else this.output.insertBefore(this._shown(kind, text), this.hints[0] ?? null);
  }

  _shown(kind, text) {
    const last = this.hints[0]?.previousElementSibling ?? this.output.lastElementChild;
    if (last?.dataset.kind === kind && ["stdout", "stderr"].includes(kind)) {
      last.append(text);
      return last;
    }
    const plain = !["svg", "html"].includes(kind);
    const made = document.createElement(plain ? "pre" : "div");
    made.dataset.kind = kind;
    if (plain) made.textContent = text;
    else made.innerHTML = text;
    made.querySelectorAll("code.language-python").forEach(colour);
    const drawing = made.querySelector("svg"), before = this.element.querySelector("figure.drawn svg[role=img]");
    if (kind === "svg" && before) {
      drawing.setAttribute("role", "img");
      drawing.setAttribute("aria-label", before.getAttribute("aria-label"));
    }
    return made;
  }
}
