// The few shapes that figures are drawn with, on 400 units from left to right; a colour is a name of the page's own,
// as in `fill-blue`.
const round = (number) => Math.round(number * 100) / 100;

export const rect = (x, y, width, height, look) =>
  `<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(width, 0))}" height="${round(Math.max(height, 0))}" class="${look}"/>`;
export const line = (x, y, to, at, look) => `<line x1="${round(x)}" y1="${round(y)}" x2="${round(to)}" y2="${round(at)}" class="${look}"/>`;
export const dot = (x, y, look, r = 3) => `<circle cx="${round(x)}" cy="${round(y)}" r="${r}" class="${look}"/>`;
export const text = (x, y, words, anchor = "middle", look = "") => `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" class="${look}">${words}</text>`;
export const path = (points, look) => `<path d="M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}" class="${look}"/>`;

export const exponentials = (scores) => {
  const most = Math.max(...scores);
  return scores.map((score) => most === -Infinity ? 0 : Math.exp(score - most));
};

// Of a row without any key, which is all −∞, zeros.
export const softmax = (scores) => {
  const found = exponentials(scores), total = found.reduce((a, b) => a + b, 0);
  return found.map((each) => total ? each / total : 0);
};

// Two digits after the point, or of a small number two that are not 0.
export const fixed = (number) => number && Math.abs(number) < 0.1 ? number.toPrecision(2) : number.toFixed(2);

export const signed = (number, digits) => number.toFixed(digits).replace("-", "−");

// A score of the book's own, which is the logarithm of a whole number.
export const logarithm = (score) => score ? `ln ${Math.round(Math.exp(score))}` : "0";
