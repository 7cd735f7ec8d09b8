// A ring of four: in each turn every rank works on the keys that it holds, and passes them on.
import { rect, text } from "./drawing.mjs";

const RANKS = 4, KEYS = 4096, WIDTH = 128, BYTES = 2;
export const height = 230;
export const state = { turn: 0 };
export const controls = { turn: { label: "turn", min: 0, max: RANKS - 1, step: 1, shown: String } };

export function compute({ turn }) {
  const holds = Array.from({ length: RANKS }, (_, rank) => (rank - turn + RANKS) % RANKS);
  return { holds, sent: turn * 2 * KEYS / RANKS * WIDTH * BYTES };
}

export function draw({ turn }, { holds }) {
  const cells = holds.flatMap((_, rank) => holds.map((_, block) => {
    const met = (rank - block + RANKS) % RANKS, look = met === turn ? "fill-vermilion" : met < turn ? "fill-blue" : "fill-faint";
    return rect(130 + 80 * block, 30 + 46 * rank, 76, 42, look) + text(168 + 80 * block, 56 + 46 * rank, met <= turn ? `turn ${met}` : "");
  }));
  const names = holds.map((_, i) => text(120, 56 + 46 * i, `rank ${i}`, "end") + text(168 + 80 * i, 20, `keys ${i}`));
  return cells.join("") + names.join("");
}

export const say = ({ turn }, { holds, sent }) =>
  `In turn ${turn} ${holds.map((block, rank) => `rank ${rank} works on keys ${block}`).join(", ")}; each rank has sent ${(sent / 2 ** 20).toPrecision(3)} MiB of keys and values.`;
