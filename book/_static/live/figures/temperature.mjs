// Three scores, 0, ln 3 and ln 4, divided by a temperature: from a lookup to the plain average.
import { fixed, line, logarithm, rect, softmax, text } from "./drawing.mjs";

const SCORES = [0, Math.log(3), Math.log(4)], VALUES = [0, 4, 8];
export const height = 230;
export const state = { power: 0 };
export const ask = "Cool down until key 2 has at least 90 % of the weight. By how much does its divided score lead then? And when you heat as far as it goes, does the output ever fall below 4?";
export const controls = {
  power: { label: "temperature T", min: -2, max: 2, step: 0.05, shown: (power) => (10 ** power).toPrecision(3) },
  preset: { label: "Set the temperature to", settings: { "cold": { power: -2 }, "T = 1": { power: 0 }, "hot": { power: 2 } } },
};

export function compute({ power }) {
  const divided = SCORES.map((score) => score / 10 ** power), weights = softmax(divided);
  return { divided, weights, output: weights.reduce((sum, weight, j) => sum + weight * VALUES[j], 0) };
}

export function draw(state, { divided, weights, output }) {
  const names = ["score s", "s / T", "weight", "value"].map((name, i) => text(8, [42, 64, 150, 222][i], name, "start", "quiet"));
  const keys = weights.map((weight, j) => {
    const x = 105 + 74 * j, top = 202 - 100 * weight;
    return text(x, 18, `key ${j}`, "middle", "quiet") + text(x, 42, logarithm(SCORES[j])) + text(x, 64, fixed(divided[j]))
      + rect(x - 25, top, 50, 202 - top, "fill-blue solid") + text(x, top - 5, weight.toFixed(3)) + text(x, 222, VALUES[j]);
  });
  const place = 202 - 100 * output / 8, marks = VALUES.map((value) => text(317, 207 - 100 * value / 8, value, "end", "quiet"));
  return names.join("") + keys.join("") + line(325, 102, 325, 202, "stroke-muted") + marks.join("")
    + rect(317, place - 2, 16, 4, "fill-vermilion solid") + text(338, place + 5, output.toFixed(2), "start") + text(325, 86, "output", "middle", "quiet");
}

export const say = ({ power }, { divided, weights, output }) =>
  `At a temperature of T = ${(10 ** power).toPrecision(3)} the scores divided by T are ${divided.map(fixed).join(", ")}, so key 2 leads key 1 by ${fixed(divided[2] - divided[1])}; the weights are ${weights.map((weight) => weight.toFixed(3)).join(", ")}, and the output is ${output.toFixed(2)}.`;
