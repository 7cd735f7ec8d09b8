// A mask to paint: what each of four words may look at, and the weights that its scores get there.
import { rect, softmax, text } from "./drawing.mjs";

const WORDS = ["the", "cat", "sat", "pad"];
const SCORES = [[1, 0, 0, 0], [1, 2, 0, 0], [0, 2, 1, 0], [0, 0, 0, 1]];
const painted = (sees) => ({ mask: WORDS.map((_, i) => WORDS.map((_, j) => sees(i, j))) });
const causal = painted((i, j) => j <= i);
export const height = 268;
export const state = causal;
export const ask = "“sat” has its largest weight on “cat”. Hide “cat” from it: do the other words share that weight equally, or each in proportion to what it had? Then hide the whole row.";
export const controls = {
  preset: {
    label: "A mask to begin with",
    settings: {
      "causal": causal, "window of 2": painted((i, j) => j <= i && i - j < 2), "no padding": painted((i, j) => j < 3), "no mask": painted(() => true),
    },
  },
  mask: { label: "A row is a query, a column a key; a tick lets the query look.", rows: WORDS, columns: WORDS },
};

export const compute = ({ mask }) => ({
  weights: SCORES.map((row, i) => softmax(row.map((score, j) => mask[i][j] ? score : -Infinity))),
});

const STRIPES = `<pattern id="moving-stripes" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line y2="7" class="stroke-stripes"/></pattern>`;
const hatched = (x, y, width, height) => rect(x, y, width, height, "fill-hidden solid") + `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="url(#moving-stripes)"/>`;

export function draw({ mask }, { weights }) {
  const cells = weights.flatMap((row, i) => row.map((weight, j) => {
    const x = 44 + 89 * j, y = 26 + 52 * i, score = text(x + 8, y + 18, `s = ${SCORES[i][j]}`, "start");
    return mask[i][j] ? rect(x, y, 85, 48, "fill-faint") + rect(x, y + 48 - 48 * weight, 85, 48 * weight, "fill-blue") + score + text(x + 77, y + 38, weight.toFixed(2), "end")
      : hatched(x, y, 85, 48) + rect(x + 5, y + 5, 42, 18, "fill-paper solid") + score;
  }));
  const names = WORDS.map((word, i) => text(38, 55 + 52 * i, word, "end") + text(86 + 89 * i, 18, word));
  const key = text(44, 256, "s is the score, and below it stands the weight.", "start", "quiet") + hatched(328, 243, 16, 16) + text(349, 256, "hidden", "start", "quiet");
  return STRIPES + cells.join("") + names.join("") + key;
}

export function say({ mask }, { weights }) {
  const rows = weights.map((row, i) => {
    const seen = WORDS.flatMap((word, j) => mask[i][j] ? `“${word}” ${row[j].toFixed(2)}` : []);
    return seen.length ? `“${WORDS[i]}” gives ${seen.join(", ")}` : `“${WORDS[i]}” sees nothing, and its weights are all 0`;
  });
  return `With this mask ${rows.join("; ")}.`;
}
