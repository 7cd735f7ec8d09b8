// One head of attention on an H100, by its data sheet: what it waits for, with the scores in memory and without.
import { dot, line, path, text } from "./drawing.mjs";

// Each second, for matrices that are not sparse: operations in products, by the bytes of a number, and bytes of memory.
const PEAKS = { 1: 1979e12, 2: 989e12, 4: 495e12 }, FORMATS = { 1: "FP8", 2: "BF16", 4: "TF32" }, BYTES = 3.35e12;
export const height = 312;
export const state = { power: 8, width: 128, bytes: 2 };
export const ask = "Lengthen the text. From which length on does the fused form wait for arithmetic? And the other form, which keeps its scores in memory: does any length bring it there, or any of these widths?";
export const controls = {
  power: { label: "length n of the text", min: 5, max: 17, step: 1, shown: (power) => `${2 ** power} keys` },
  width: { label: "width d of the head", min: 32, max: 256, step: 32, shown: (width) => `${width} numbers` },
  bytes: { label: "Bytes for each number", settings: Object.fromEntries([1, 2, 4].map((bytes) => [`${bytes} (${FORMATS[bytes]})`, { bytes }])) },
};

// Both products, against what is read and written: Q, K, V and O; in four steps the scores and weights, twice each.
export function compute({ power, width, bytes }) {
  const n = 2 ** power, operations = 4 * n * n * width, ends = 4 * n * width;
  const intensities = [ends + 4 * n * n, ends].map((numbers) => operations / (numbers * bytes));
  return { intensities, rates: intensities.map((each) => Math.min(PEAKS[bytes], each * BYTES)) };
}

const across = (intensity) => 50 + 63 * Math.log10(intensity), down = (rate) => 220 - 66 * (Math.log10(rate) - 12.4);
const NAMES = ["scores in memory", "fused"], LOOKS = ["fill-vermilion", "fill-blue"];
const figures = (number) => number < 99.95 ? number.toPrecision(3) : String(Math.round(number));

export function draw({ bytes }, { intensities, rates }) {
  const peak = PEAKS[bytes], end = peak / BYTES;
  const roof = path([[across(1), down(BYTES)], [across(end), down(peak)], [across(2e5), down(peak)]], "stroke-muted");
  const named = text(390, down(peak) - 9, `arithmetic: ${peak / 1e12} TFLOP/s in ${FORMATS[bytes]}`, "end", "quiet") + text(98, 192, `memory: ${BYTES / 1e12} TB/s`, "start", "quiet");
  const scale = [10, 100, 1000].map((rate) => text(44, down(rate * 1e12) + 4, rate, "end", "quiet")).join("")
    + [1, 10, 100, 1000, 10000, 100000].map((each) => text(across(each), 238, each, "middle", "quiet")).join("")
    + text(8, 18, "TFLOP/s", "start", "quiet") + text(390, 258, "operations for each byte", "end", "quiet");
  const ridge = line(across(end), down(peak), across(end), 222, "stroke-faint") + text(across(end) + 5, 214, `ridge: ${end.toFixed(0)}`, "start", "quiet");
  const points = rates.map((rate, i) => dot(across(intensities[i]), down(rate), LOOKS[i], 6) + dot(14, 280 + 22 * i, LOOKS[i], 6)
    + text(26, 284 + 22 * i, `${NAMES[i]}: ${figures(intensities[i])} operations a byte, ${figures(rate / 1e12)} TFLOP/s`, "start"));
  return scale + ridge + roof + named + points.join("");
}

export function say({ power, width, bytes }, { intensities, rates }) {
  const peak = PEAKS[bytes];
  const told = rates.map((rate, i) => `${NAMES[i]}, ${figures(intensities[i])} operations for each byte and at most ${figures(rate / 1e12)} TFLOP/s, so it waits for ${rate < peak ? "memory" : "arithmetic"}`);
  return `With a length of n = ${2 ** power} keys, a width of d = ${width} and ${bytes} ${bytes === 1 ? "byte" : "bytes"} for each number: ${told.join("; ")}. In ${FORMATS[bytes]} the H100 does at most ${peak / 1e12} TFLOP/s, so its ridge is at ${(peak / BYTES).toFixed(0)}.`;
}
