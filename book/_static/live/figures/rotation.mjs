// A query and a key, each turned by its position: their product depends on the difference alone.
import { line, text } from "./drawing.mjs";

export const height = 220;
export const state = { m: 3, n: 1, frequency: 0.3 };
const place = { min: 0, max: 20, step: 1, shown: String };
export const controls = {
  m: { label: "position of the query", ...place },
  n: { label: "position of the key", ...place },
  frequency: { label: "frequency", min: 0.05, max: 1, step: 0.05, shown: (value) => value.toFixed(2) },
};

const turned = ([x, y], angle) => [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)];

export function compute({ m, n, frequency }) {
  const q = turned([1, 0], m * frequency), k = turned([1, 0], n * frequency);
  return { q, k, product: q[0] * k[0] + q[1] * k[1] };
}

export function draw({ m, n }, { q, k, product }) {
  const hand = ([x, y], look, name) => line(150, 110, 150 + 90 * x, 110 - 90 * y, look) + text(150 + 102 * x, 114 - 102 * y, name);
  return `<circle cx="150" cy="110" r="90" class="stroke-faint" fill="none"/>` + hand(q, "stroke-blue wide", "q") + hand(k, "stroke-vermilion wide", "k")
    + text(290, 100, `m − n = ${m - n}`, "start") + text(290, 126, `q · k = ${product.toFixed(3)}`, "start");
}

export const say = ({ m, n, frequency }, { product }) =>
  `The query at ${m} and the key at ${n} are ${m - n} apart; at frequency ${frequency.toFixed(2)} their product is ${product.toFixed(3)}.`;
