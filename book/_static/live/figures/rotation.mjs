// A query and a key, each turned by its position: their product depends on the difference alone.
import { dot, line, path, signed, text } from "./drawing.mjs";

const LAST = 40;
export const height = 250;
export const state = { m: 3, n: 1, frequency: 0.3 };
export const ask = "Move both: which of the five numbers on the right stay as they are? Then move the query alone, away from the key: at what distance is the product back at 1, as if both stood at the same position?";
const place = { min: 0, max: LAST, step: 1, shown: String };

const first = ({ m, n }) => Math.min(m, n);
export const controls = {
  both: {
    label: "position of both", ...place, max: ({ m, n }) => LAST - Math.abs(m - n), shown: (at) => `first at ${at}`,
    of: first, to: (at, { m, n }) => ({ m: m + at - first({ m, n }), n: n + at - first({ m, n }) }),
  },
  m: { label: "position m of the query", ...place },
  n: { label: "position n of the key", ...place },
  frequency: { label: "angle θ per position", min: 0.05, max: 1, step: 0.05, shown: (value) => `${value.toFixed(2)} radians` },
};

const turned = ([x, y], angle) => [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)];

export function compute({ m, n, frequency }) {
  const q = turned([1, 0], m * frequency), k = turned([1, 0], n * frequency);
  return { q, k, product: q[0] * k[0] + q[1] * k[1] };
}

export function draw({ m, n, frequency }, { q, k, product }) {
  const at = ([x, y], radius) => [125 + radius * x, 125 - radius * y];
  const hand = (tip, colour, name, far) => {
    const [x, y] = at(tip, 82), [right, down] = at(tip, far);
    return line(125, 125, x, y, `stroke-${colour} wide`) + dot(x, y, `fill-${colour}`, 5) + text(right, down + 4, name);
  };
  const between = Array.from({ length: 121 }, (_, i) => at(turned([1, 0], (n + (m - n) * i / 120) * frequency), 30 + i / 12));
  const told = [`m = ${m}`, `n = ${n}`, `|m − n| = ${Math.abs(m - n)}`, `|m − n| · θ = ${(Math.abs(m - n) * frequency).toFixed(2)}`, `q · k = ${signed(product, 3)}`];
  return `<circle cx="125" cy="125" r="82" class="stroke-faint" fill="none"/>` + path(between, "stroke-green") + hand(q, "blue", "q", 116) + hand(k, "vermilion", "k", 97)
    + told.map((words, i) => text(260, 76 + 27 * i, words, "start")).join("");
}

export function say({ m, n, frequency }, { product }) {
  const apart = Math.abs(m - n), angle = apart * frequency;
  return `The query at ${m} and the key at ${n} are |m − n| = ${apart} apart. At ${frequency.toFixed(2)} radians per position the angle between their arrows is ${angle.toFixed(2)} radians, which are ${(angle / (2 * Math.PI)).toFixed(2)} turns of the circle; the product is ${signed(product, 3)}.`;
}
