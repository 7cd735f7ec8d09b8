// Two wishes for each word, the word before it and the words of its kind: in two heads, or in one that has both scores.
import { rect, softmax, text } from "./drawing.mjs";

const WORDS = ["Anna", "saw", "Ben", "and", "waved"], KINDS = ["name", "verb", "name", "word", "verb"];
export const height = 190;
export const state = { word: 4, sharpness: 2 };
export const controls = {
  word: { label: "the word that looks", min: 0, max: WORDS.length - 1, step: 1, shown: (i) => WORDS[i] },
  sharpness: { label: "sharpness", min: 0, max: 5, step: 0.5, shown: String },
};

export function compute({ word, sharpness }) {
  const before = WORDS.map((_, j) => -sharpness * Math.abs(word - 1 - j));
  const kind = WORDS.map((_, j) => sharpness * (KINDS[j] === KINDS[word]));
  return { before: softmax(before), kind: softmax(kind), one: softmax(before.map((score, j) => score + kind[j])) };
}

const ROWS = { before: "head 1: the word before", kind: "head 2: its kind", one: "one head: both scores" };

export function draw({ word }, found) {
  const names = WORDS.map((name, j) => text(195 + 64 * j, 24, j === word ? `[${name}]` : name));
  const rows = Object.entries(ROWS).flatMap(([key, label], i) => [text(155, 62 + 50 * i, label, "end"), ...found[key].map((weight, j) => {
    const x = 166 + 64 * j, y = 36 + 50 * i;
    return rect(x, y, 58, 42, "fill-faint") + rect(x, y + 42 - 42 * weight, 58, 42 * weight, i < 2 ? "fill-blue" : "fill-vermilion") + text(x + 29, y + 26, weight.toFixed(2));
  })]);
  return names.join("") + rows.join("");
}

export function say({ word }, found) {
  const told = Object.entries(ROWS).map(([key, label]) => `${label}, ${found[key].map((weight, j) => `${WORDS[j]} ${weight.toFixed(2)}`).join(", ")}`);
  return `“${WORDS[word]}” looks. ${told.join("; ")}.`;
}
