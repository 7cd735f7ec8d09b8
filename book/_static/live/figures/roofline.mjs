// One head of attention on an H100, by its data sheet: what it waits for, with the scores in memory and without.
import { dot, line, path, text } from "./drawing.mjs";

const FLOPS = 989e12, BYTES = 3.35e12, RIDGE = FLOPS / BYTES;  // products of 16 bits and main memory, each second
export const height = 312;
export const state = { power: 8, width: 128, bytes: 2 };
export const ask = "Lengthen the text. From which length on does the fused form wait for arithmetic? And the other form, which keeps its scores in memory: does any length bring it there, or any width?";
export const controls = {
  power: { label: "length n", min: 5, max: 17, step: 1, shown: (power) => `${2 ** power} keys` },
  width: { label: "width d", min: 32, max: 256, step: 32, shown: (width) => `${width} numbers` },
  bytes: { label: "A number takes", settings: { "1 byte": { bytes: 1 }, "2 bytes": { bytes: 2 }, "4 bytes": { bytes: 4 } } },
};

// Both products, against what is read and written: Q, K, V and O; in four steps the scores and weights, twice each.
export function compute({ power, width, bytes }) {
  const n = 2 ** power, operations = 4 * n * n * width, ends = 4 * n * width;
  const intensities = [ends + 4 * n * n, ends].map((numbers) => operations / (numbers * bytes));
  return { intensities, rates: intensities.map((each) => Math.min(FLOPS, each * BYTES)) };
}

const across = (intensity) => 50 + 63 * Math.log10(intensity), down = (rate) => 220 - 66 * (Math.log10(rate) - 12.4);
const NAMES = ["scores in memory", "fused"], LOOKS = ["fill-vermilion", "fill-blue"];
const figures = (number) => number < 99.95 ? number.toPrecision(3) : String(Math.round(number));

export function draw(state, { intensities, rates }) {
  const roof = path([[across(1), down(BYTES)], [across(RIDGE), down(FLOPS)], [across(2e5), down(FLOPS)]], "stroke-muted");
  const named = text(390, 38, `arithmetic: ${FLOPS / 1e12} TFLOP/s`, "end", "quiet") + text(98, 204, `memory: ${BYTES / 1e12} TB/s`, "start", "quiet");
  const scale = [10, 100, 1000].map((rate) => text(44, down(rate * 1e12) + 4, rate, "end", "quiet")).join("")
    + [1, 10, 100, 1000, 10000, 100000].map((each) => text(across(each), 238, each, "middle", "quiet")).join("")
    + text(8, 18, "TFLOP/s", "start", "quiet") + text(390, 258, "operations for each byte", "end", "quiet");
  const ridge = line(across(RIDGE), down(FLOPS), across(RIDGE), 222, "stroke-faint") + text(across(RIDGE) + 5, 214, `ridge: ${RIDGE.toFixed(0)}`, "start", "quiet");
  const points = rates.map((rate, i) => dot(across(intensities[i]), down(rate), LOOKS[i], 6) + dot(14, 280 + 22 * i, LOOKS[i], 6)
    + text(26, 284 + 22 * i, `${NAMES[i]}: ${figures(intensities[i])} operations a byte, ${figures(rate / 1e12)} TFLOP/s`, "start"));
  return scale + ridge + roof + named + points.join("");
}

export function say(state, { intensities, rates }) {
  const told = rates.map((rate, i) => `${NAMES[i]}, ${figures(intensities[i])} operations for each byte and at most ${figures(rate / 1e12)} TFLOP/s, so it waits for ${rate < FLOPS ? "memory" : "arithmetic"}`);
  return `With n = ${2 ** state.power} keys, d = ${state.width} and ${state.bytes} ${state.bytes === 1 ? "byte" : "bytes"} for each number: ${told.join("; ")}. The ridge is at ${RIDGE.toFixed(0)}.`;
}
