// A cell's code, to be edited: CodeMirror, loaded when the first editor opens.
const cm = () => import("./codemirror.mjs");
const LABEL = "Shift and Enter run the cell; Escape leaves the editor";

// Put an editor in the place of `shown`; returns what reads and writes its text.
export async function open(shown, { text, name, run, leave, changed }) {
  const { EditorView, keymap, ...parts } = await cm();
  const keys = [
    { key: "Shift-Enter", run: () => (run(), true) },
    { key: "Escape", run: () => (leave(), true) },
    { key: "Tab", run: parts.indentMore, shift: parts.indentLess },
  ];
  const view = new EditorView({
    doc: text,
    extensions: [
      keymap.of([...keys, ...parts.defaultKeymap, ...parts.historyKeymap]),
      parts.history(), parts.indentUnit.of("    "), parts.indentOnInput(), parts.bracketMatching(), parts.python(),
      parts.syntaxHighlighting(highlighter(parts)),
      EditorView.contentAttributes.of({ "aria-label": `Code of ${name}`, "aria-description": LABEL }),
      EditorView.updateListener.of((update) => update.docChanged && changed()),
    ],
  });
  const box = document.createElement("div");
  box.className = "live-editor highlight";
  box.append(view.dom);
  box.addEventListener("keydown", (event) => event.stopPropagation());  // "/" is a division here, not the page's search
  shown.replaceWith(box);
  return {
    focus: () => view.focus(),
    get text() { return view.state.doc.toString(); },
    // an event of its own, which Ctrl+Z takes back alone
    set text(text) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: "reset" }); },
  };
}

// Colour the code that Python has sent.
export async function colour(code) {
  const parts = await cm();
  const text = code.textContent, spans = [];
  const put = (part, className) => spans.push(Object.assign(document.createElement("span"), { className, textContent: part }));
  parts.highlightCode(text, parts.pythonLanguage.parser.parse(text), highlighter(parts), put, () => spans.push("\n"));
  code.replaceChildren(...spans);
  code.closest("pre").className = "highlight";
}

// The names that the page's stylesheet knows: Pygments' own.
const highlighter = ({ tagHighlighter, tags }) => tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.definitionKeyword, tags.moduleKeyword, tags.controlKeyword], class: "k" },
  { tag: [tags.bool, tags.null], class: "kc" },
  { tag: [tags.string, tags.special(tags.string)], class: "s1" },
  { tag: tags.number, class: "mi" },
  { tag: tags.comment, class: "c1" },
  { tag: tags.function(tags.definition(tags.variableName)), class: "nf" },
]);
