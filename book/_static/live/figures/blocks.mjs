// Online softmax, key by key: the maximum m, the sum ℓ and the weighted sum o, and what a new maximum does to the two.
import { line, logarithm, rect, text } from "./drawing.mjs";

const SCORES = [0, Math.log(3), Math.log(4), Math.log(2), Math.log(12), 0], VALUES = [0, 4, 8, 4, 8, 0];
export const height = 284;
export const state = { seen: 3 };
export const ask = "Let key 4 arrive, whose score beats all before it. What happens to the ℓ and the o that were there, and what to the output o/ℓ that they stand for?";
export const controls = { seen: { label: "keys that have arrived", min: 1, max: SCORES.length, step: 1, shown: (seen) => `${seen} of ${SCORES.length}` } };

// After each key that was seen; `correction` is what it multiplies the earlier ℓ and o by.
export function compute({ seen }) {
  const found = { m: [], l: [], o: [], correction: [] };
  let m = -Infinity, l = 0, o = 0;
  for (let j = 0; j < seen; j++) {
    const top = Math.max(m, SCORES[j]), c = Math.exp(m - top), p = Math.exp(SCORES[j] - top);
    [m, l, o] = [top, c * l + p, c * o + p * VALUES[j]];
    Object.entries({ m, l, o, correction: c }).forEach(([name, value]) => found[name].push(value));
  }
  return found;
}

const ratio = (o, l) => l ? (o / l).toFixed(2) : "–";

function history(seen, { m, l, o }) {
  const rows = {
    "score s": SCORES.map(logarithm), "value v": VALUES, "m": m.map(logarithm), "ℓ": l.map((x) => x.toFixed(2)), "o": o.map((x) => x.toFixed(2)), "o/ℓ": o.map((x, j) => ratio(x, l[j])),
  };
  const now = rect(68 + 56 * (seen - 1), 2, 52, 144, "fill-faint");
  const heads = SCORES.map((_, j) => text(94 + 56 * j, 18, `key ${j}`, "middle", "quiet"));
  const lines = Object.entries(rows).map(([name, cells], i) => text(8, 40 + 20 * i, name, "start", "quiet") + cells.map((cell, j) => text(94 + 56 * j, 40 + 20 * i, cell)).join(""));
  return now + heads.join("") + lines.join("");
}

// The last step at length: what was there, what it is worth by the new maximum, what the key adds, what there is now.
function arrival(seen, { m, l, o, correction }) {
  const j = seen - 1, [before, above] = j ? [l[j - 1], o[j - 1]] : [0, 0], c = correction[j], p = Math.exp(SCORES[j] - m[j]);
  const rows = [["before", before, above], [`multiplied by c = ${c.toFixed(2)}`, c * before, c * above], [`key ${j} adds p = ${p.toFixed(2)} and p · v`, p, p * VALUES[j]], ["now", l[j], o[j]]];
  const heads = ["ℓ", "o", "o/ℓ"].map((name, i) => text(245 + 60 * i, 176, name, "middle", "quiet"));
  const lines = rows.map(([name, sum, weighted], i) => text(8, 200 + 25 * i, name, "start") + [sum.toFixed(2), weighted.toFixed(2), ratio(weighted, sum)].map((cell, k) => text(245 + 60 * k, 200 + 25 * i, cell)).join(""));
  return heads.join("") + lines.join("") + line(215, 257, 392, 257, "stroke-muted");
}

export const draw = ({ seen }, found) => history(seen, found) + line(8, 156, 392, 156, "stroke-faint") + arrival(seen, found);

export function say({ seen }, { m, l, o, correction }) {
  const j = seen - 1, arrives = `Key ${j} has arrived, with the score ${logarithm(SCORES[j])} and the value ${VALUES[j]}.`;
  const now = `Now ℓ = ${l[j].toFixed(2)}, o = ${o[j].toFixed(2)}, and the output o/ℓ is ${ratio(o[j], l[j])}.`;
  if (!j) return `${arrives} Nothing was there before. ${now}`;
  const change = m[j] > m[j - 1] ? `The maximum rises from ${logarithm(m[j - 1])} to ${logarithm(m[j])}, so the old ℓ and o are both multiplied by c = ${correction[j].toFixed(2)}`
    : `The maximum stays ${logarithm(m[j])}, so the old ℓ and o are multiplied by c = 1`;
  return `${arrives} ${change}, and their ratio stays ${ratio(o[j - 1], l[j - 1])} until the key adds its own. ${now}`;
}
