// Online softmax, key by key: the maximum m, the sum ℓ, and the output o that is already known.
import { line, rect, text } from "./drawing.mjs";

const SCORES = [0, Math.log(3), Math.log(4), Math.log(2), Math.log(12), 0], VALUES = [0, 4, 8, 4, 8, 0];
export const height = 210;
export const state = { seen: 3 };
export const controls = { seen: { label: "keys seen", min: 1, max: SCORES.length, step: 1, shown: String } };

export function compute({ seen }) {
  let m = -Infinity, l = 0, o = 0;
  for (let j = 0; j < seen; j++) {
    const top = Math.max(m, SCORES[j]), c = Math.exp(m - top), p = Math.exp(SCORES[j] - top);
    [m, l, o] = [top, c * l + p, c * o + p * VALUES[j]];
  }
  const before = Math.max(-Infinity, ...SCORES.slice(0, seen - 1));
  return { m, l, output: o / l, correction: Math.exp(before - m) };
}

export function draw({ seen }, { m, l, output, correction }) {
  const cells = SCORES.map((score, j) => {
    const x = 30 + 72 * j, look = j < seen ? (j === seen - 1 ? "fill-vermilion" : "fill-blue") : "fill-faint";
    return rect(x, 30, 62, 40, look) + text(x + 31, 55, score ? `ln ${Math.round(Math.exp(score))}` : "0") + text(x + 31, 88, `value ${VALUES[j]}`);
  });
  const found = [`m = ln ${Math.round(Math.exp(m))}`, `c = ${correction.toFixed(3)}`, `ℓ = ${l.toFixed(3)}`, `o/ℓ = ${output.toFixed(3)}`];
  return text(30, 20, "scores", "start") + cells.join("") + line(30, 110, 452, 110, "stroke-faint")
    + found.map((words, i) => text(30 + 115 * i, 145, words, "start")).join("");
}

export const say = ({ seen }, { m, l, output, correction }) =>
  `After ${seen} ${seen === 1 ? "key" : "keys"} the maximum is ln ${Math.round(Math.exp(m))}; the last key shrank what was there by ${correction.toFixed(3)}; the sum is ${l.toFixed(3)}, and the output so far ${output.toFixed(3)}.`;
