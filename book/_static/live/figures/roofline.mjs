// One head of attention on an H100, by its data sheet: what it waits for, with the scores in memory and without.
import { dot, line, path, text } from "./drawing.mjs";

const FLOPS = 989e12, BYTES = 3.35e12;  // products of 16 bits and main memory, each second
export const height = 240;
export const state = { power: 12, width: 128, bytes: 2 };
export const controls = {
  power: { label: "length n", min: 5, max: 17, step: 1, shown: (power) => String(2 ** power) },
  width: { label: "width d", min: 32, max: 256, step: 32, shown: String },
  bytes: { label: "bytes of a number", min: 1, max: 4, step: 1, shown: String },
};

// Both products, against what is read and written: Q, K, V and O; in four steps the scores and weights, twice each.
export function compute({ power, width, bytes }) {
  const n = 2 ** power, operations = 4 * n * n * width, ends = 4 * n * width;
  const intensities = [ends + 4 * n * n, ends].map((numbers) => operations / (numbers * bytes));
  return { intensities, rates: intensities.map((each) => Math.min(FLOPS, each * BYTES)) };
}

const across = (intensity) => 60 + 70 * Math.log10(intensity), down = (rate) => 210 - 60 * (Math.log10(rate) - 12);

export function draw(state, { intensities, rates }) {
  const ridge = FLOPS / BYTES;
  const roof = path([[across(1), down(BYTES)], [across(ridge), down(FLOPS)], [across(1e6), down(FLOPS)]], "stroke-muted");
  const points = rates.map((rate, i) => dot(across(intensities[i]), down(rate), i ? "fill-blue" : "fill-vermilion", 6)
    + text(across(intensities[i]), down(rate) + (i ? -12 : 22), i ? "in one" : "in steps"));
  return roof + line(across(ridge), down(FLOPS), across(ridge), 215, "stroke-faint") + text(across(ridge), 230, `ridge ${ridge.toFixed(0)}`) + points.join("");
}

export function say(state, { intensities, rates }) {
  const told = rates.map((rate, i) => `${i ? "in one" : "in steps"} ${intensities[i] < 100 ? intensities[i].toPrecision(3) : Math.round(intensities[i])} operations a byte, at most ${(rate / 1e12).toPrecision(3)} TFLOP/s`);
  return `n = ${2 ** state.power}, d = ${state.width}, ${state.bytes} bytes: ${told.join("; ")}.`;
}
