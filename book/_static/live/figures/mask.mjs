// A mask to paint: what each of four words may look at, and the weights that are left of equal scores' neighbours.
import { rect, softmax, text } from "./drawing.mjs";

const WORDS = ["the", "cat", "sat", "pad"];
const SCORES = [[1, 0, 0, 0], [1, 2, 0, 0], [0, 2, 1, 0], [0, 0, 0, 1]];
export const height = 230;
export const state = { mask: WORDS.map((_, i) => WORDS.map((_, j) => j <= i)) };
export const controls = { mask: { label: "who may look at whom", rows: WORDS, columns: WORDS } };

export const compute = ({ mask }) => ({
  weights: SCORES.map((row, i) => softmax(row.map((score, j) => mask[i][j] ? score : -Infinity))),
});

export function draw({ mask }, { weights }) {
  const cells = weights.flatMap((row, i) => row.map((weight, j) => {
    const x = 110 + 80 * j, y = 30 + 48 * i;
    const ground = rect(x, y, 76, 44, mask[i][j] ? "fill-faint" : "fill-hidden");
    return ground + rect(x, y + 44 - 44 * weight, 76, 44 * weight, "fill-blue") + text(x + 38, y + 27, mask[i][j] ? weight.toFixed(2) : "hidden");
  }));
  const names = WORDS.map((word, i) => text(100, 57 + 48 * i, word, "end") + text(148 + 80 * i, 20, word));
  return cells.join("") + names.join("");
}

export function say({ mask }, { weights }) {
  const rows = weights.map((row, i) => {
    const seen = WORDS.filter((_, j) => mask[i][j]);
    return seen.length ? `${WORDS[i]} looks at ${seen.join(", ")} (${row.filter((_, j) => mask[i][j]).map((w) => w.toFixed(2)).join(", ")})` : `${WORDS[i]} sees nothing and gets zeros`;
  });
  return `${rows.join("; ")}.`;
}
