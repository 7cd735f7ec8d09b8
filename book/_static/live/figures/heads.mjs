// Two wishes for each word, the word before it and the words of its kind: in two heads, or in one that has both scores.
import { rect, softmax, text } from "./drawing.mjs";

const WORDS = ["Anna", "saw", "Ben", "and", "waved"], KINDS = ["name", "verb", "name", "other", "verb"];
export const height = 288;
export const state = { word: 4, sharpness: 1 };
export const ask = "“waved” looks for the word before it, “and”, and for the other verb, “saw”. Make the scores sharper: what do the two heads find, and how much does the single head leave for “saw”?";
export const controls = {
  word: { label: "The word that looks", settings: Object.fromEntries(WORDS.map((name, word) => [name, { word }])) },
  sharpness: { label: "sharpness of the scores", min: 0, max: 5, step: 0.5, shown: (factor) => `× ${factor.toFixed(1)}` },
};

export function compute({ word, sharpness }) {
  const before = WORDS.map((_, j) => -sharpness * Math.abs(word - 1 - j));
  const kind = WORDS.map((_, j) => sharpness * (KINDS[j] === KINDS[word]));
  return { before: softmax(before), kind: softmax(kind), one: softmax(before.map((score, j) => score + kind[j])) };
}

const ROWS = { before: "head 0 looks for the word before", kind: "head 1 looks for words of its kind", one: "a single head adds both scores" };

export function draw({ word }, found) {
  const looks = rect(8 + 78 * word, 2, 72, 40, "fill-faint");
  const names = WORDS.map((name, j) => text(44 + 78 * j, 19, name) + text(44 + 78 * j, 36, KINDS[j], "middle", "quiet"));
  const rows = Object.entries(ROWS).flatMap(([key, label], i) => [text(8, 68 + 78 * i, label, "start", "quiet"), ...found[key].map((weight, j) => {
    const x = 8 + 78 * j, y = 76 + 78 * i;
    return rect(x, y, 72, 44, "fill-faint") + rect(x, y + 44 - 44 * weight, 72, 44 * weight, i < 2 ? "fill-blue" : "fill-vermilion") + text(x + 36, y + 27, weight.toFixed(2));
  })]);
  return looks + names.join("") + rows.join("");
}

export function say({ word, sharpness }, found) {
  const told = ["head 0", "head 1", "the single head"].map((name, i) => `${name} gives ${Object.values(found)[i].map((weight, j) => `“${WORDS[j]}” ${weight.toFixed(2)}`).join(", ")}`);
  return `With a sharpness of ${sharpness.toFixed(1)} the word “${WORDS[word]}” looks, and ${told.join("; ")}.`;
}
