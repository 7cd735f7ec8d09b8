// A position as the hands of four clocks: which of them confuse it with position 0, and which tells the two apart.
import { dot, fixed, line, path, text } from "./drawing.mjs";

const PAIRS = 4, TURN = 2 * Math.PI, RADIUS = 40;
export const height = 212;
export const state = { position: 3, power: 4 };
export const ask = "Which position from 1 to 99 has the hands of both pair 0 and pair 1 back where they were at position 0, to within 10°, and which pair tells the two positions apart? How far is it until all four are back, to within 15°? And which hand stays where it is when you change the base?";

const ones = (position) => position % 100;
export const controls = {
  position: {
    label: "position, one by one", min: 0, max: 99, step: 1, shown: String,
    of: ({ position }) => ones(position), to: (one, { position }) => ({ position: position - ones(position) + one }),
  },
  hundreds: {
    label: "position, by hundreds", min: 0, max: 6200, step: 100, shown: String,
    of: ({ position }) => position - ones(position), to: (hundreds, { position }) => ({ position: hundreds + ones(position) }),
  },
  power: { label: "base", min: 2, max: 5, step: 1, shown: (power) => `${10 ** power}` },
};

const frequencies = (power) => Array.from({ length: PAIRS }, (_, m) => (10 ** power) ** (-m / PAIRS));

// The row is the position's encoding: of each hand's tip the sine, and then the cosine.
export function compute({ position, power }) {
  const turned = frequencies(power).map((theta) => position * theta);
  const row = turned.flatMap((angle) => [Math.sin(angle), Math.cos(angle)]);
  return { row, turned, away: turned.map((_, m) => Math.abs(Math.atan2(row[2 * m], row[2 * m + 1]))) };
}

const degrees = (angle) => `${Math.round(angle * 360 / TURN)}°`;

export function draw({ position, power }, { row, turned, away }) {
  const clocks = frequencies(power).map((theta, m) => {
    const x = 50 + 100 * m, y = 72, sign = Math.sign(row[2 * m]), up = RADIUS * row[2 * m], right = RADIUS * row[2 * m + 1];
    const between = Array.from({ length: 41 }, (_, i) => away[m] * i / 40).map((angle) => [x + 22 * Math.cos(angle), y - 22 * sign * Math.sin(angle)]);
    return `<circle cx="${x}" cy="${y}" r="${RADIUS}" class="${turned[m] < TURN ? "fill-paper" : "fill-oranges-8"} stroke-muted"/>`
      + line(x, y, x + RADIUS, y, "stroke-muted") + path(between, "stroke-ink") + line(x, y, x + right, y - up, "stroke-blue wide") + dot(x + right, y - up, "fill-blue", 4)
      + text(x, 20, `pair ${m}`) + text(x, 136, `θ = ${Number(theta.toPrecision(3))}`, "middle", "quiet") + text(x, 156, `${fixed(turned[m] / TURN)} turns`) + text(x, 176, `${degrees(away[m])} away`);
  });
  return clocks.join("") + text(200, 204, `position ${position} in blue, position 0 in grey`);
}

const listed = (words) => `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

export function say({ position, power }, { turned, away }) {
  const most = away.indexOf(Math.max(...away));
  const told = position ? `Pair ${most} tells the two positions apart best, by ${degrees(away[most])}.` : "This is position 0 itself.";
  return `With the base ${10 ** power}, at position ${position}, the hands of pairs 0 to 3 have made ${listed(turned.map((angle) => fixed(angle / TURN)))} turns, and stand ${listed(away.map(degrees))} away from where they stood at position 0. ${told}`;
}
