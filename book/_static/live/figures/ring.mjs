// A ring: at each step every rank works on the block of keys that it holds, and passes it on.
import { rect, text } from "./drawing.mjs";

const KEYS = 4096, WIDTH = 128, BYTES = 2;
export const height = 290;
export const state = { ranks: 4, step: 0 };
export const ask = "Go to the last step with 2 ranks, and then with 8. How much has each rank sent by then, and how much room did it need?";
export const controls = {
  ranks: {
    label: "ranks in the ring", min: 1, max: 3, step: 1, shown: (power) => `${2 ** power}`,
    of: ({ ranks }) => Math.log2(ranks), to: (power, { step }) => ({ ranks: 2 ** power, step: Math.min(step, 2 ** power - 1) }),
  },
  step: { label: "step of the ring", min: 0, max: ({ ranks }) => ranks - 1, step: 1, shown: String },
};

// Bytes of a rank, in keys and values: what it has sent, and its room for two blocks, the one at work and the next.
export function compute({ ranks, step }) {
  const holds = Array.from({ length: ranks }, (_, rank) => (rank - step + ranks) % ranks);
  const block = 2 * KEYS / ranks * WIDTH * BYTES;
  return { holds, sent: step * block, room: 2 * block };
}

const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(2)} MiB`;

export function draw({ ranks, step }, { holds, sent, room }) {
  const wide = 328 / ranks, high = 184 / ranks;
  const cells = holds.flatMap((_, rank) => holds.map((_, block) => {
    const met = (rank - block + ranks) % ranks, look = met === step ? "fill-vermilion" : met < step ? "fill-blue" : "fill-faint";
    return rect(64 + wide * block, 30 + high * rank, wide - 4, high - 4, look) + text(62 + wide * (block + 0.5), 32 + high * (rank + 0.5), met <= step ? met : "");
  }));
  const names = holds.map((_, i) => text(56, 32 + high * (i + 0.5), `rank ${i}`, "end") + text(62 + wide * (i + 0.5), 20, i));
  const key = ["A number is the step at which a rank meets a block of keys.", `Each rank has sent ${mebibytes(sent)} so far,`, `and has room for two blocks, ${mebibytes(room)}.`];
  return text(56, 20, "block", "end", "quiet") + cells.join("") + names.join("") + key.map((words, i) => text(8, 236 + 20 * i, words, "start", i ? "" : "quiet")).join("");
}

export const say = ({ ranks, step }, { holds, sent, room }) =>
  `At step ${step}, with ${ranks} ranks, ${holds.map((block, rank) => `rank ${rank} works on block ${block}`).join(", ")}. Each rank has sent ${mebibytes(sent)} of keys and values so far, and needs room for two blocks, ${mebibytes(room)}. (One head, ${KEYS} keys, ${WIDTH} numbers of ${BYTES} bytes in each key and value.)`;
