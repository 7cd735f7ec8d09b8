// The parts of CodeMirror that the pages use: `npm install && npm run bundle`, here, writes them again.
export { EditorView, keymap } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
export { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
export { python, pythonLanguage } from "@codemirror/lang-python";
export { highlightCode, tagHighlighter, tags } from "@lezer/highlight";
