// Three scores, 0, ln 3 and ln 4, divided by a temperature: from a lookup to the plain average.
import { line, rect, softmax, text } from "./drawing.mjs";

const SCORES = [0, Math.log(3), Math.log(4)], VALUES = [0, 4, 8];
export const height = 190;
export const state = { power: 0 };
export const controls = {
  power: { label: "temperature T", min: -2, max: 2, step: 0.05, shown: (power) => (10 ** power).toPrecision(3) },
};

export function compute({ power }) {
  const weights = softmax(SCORES.map((score) => score / 10 ** power));
  return { weights, output: weights.reduce((sum, weight, j) => sum + weight * VALUES[j], 0) };
}

export function draw(state, { weights, output }) {
  const bars = weights.map((weight, j) => {
    const x = 60 + 90 * j;
    return rect(x, 150 - 120 * weight, 50, 120 * weight, "fill-blue") + text(x + 25, 142 - 120 * weight, weight.toFixed(3)) + text(x + 25, 170, `value ${VALUES[j]}`);
  });
  const place = 150 - 120 * output / 8;
  return bars.join("") + line(330, 30, 330, 150, "stroke-muted") + rect(322, place - 2, 16, 4, "fill-vermilion")
    + text(350, place + 4, `output ${output.toFixed(2)}`, "start") + text(318, 154, "0", "end") + text(318, 34, "8", "end");
}

export const say = ({ power }, { weights, output }) =>
  `At T = ${(10 ** power).toPrecision(3)} the weights are ${weights.map((weight) => weight.toFixed(3)).join(", ")}, and the output is ${output.toFixed(2)}.`;
