// The chapter's sixty points, the curve that attention finds in them, and the bell that weighs them for one query.
import { dot, line, path, signed, softmax, text } from "./drawing.mjs";

const POINTS = [
  [0.014, -0.097], [0.083, -0.145], [0.142, 0.872], [0.168, 0.265], [0.205, 0.599], [0.260, 0.550],
  [0.293, 1.174], [0.420, 1.351], [0.621, 1.447], [0.675, 0.653], [0.751, 1.389], [0.878, 1.627],
  [1.136, 1.633], [1.153, 1.133], [1.197, 1.825], [1.349, 0.708], [1.499, 0.695], [1.551, 1.095],
  [1.609, 0.742], [1.681, 1.223], [1.690, 0.666], [1.789, 0.282], [1.918, 0.205], [1.945, -0.035],
  [1.958, -0.104], [2.113, 0.361], [2.252, 0.322], [2.429, 0.614], [2.627, 0.230], [2.707, 1.097],
  [2.718, 0.524], [2.858, 1.363], [2.972, 1.022], [3.033, 1.081], [3.077, 1.484], [3.116, 1.816],
  [3.185, 1.727], [3.236, 1.630], [3.252, 1.443], [3.353, 1.667], [3.428, 2.406], [3.442, 2.584],
  [3.607, 2.557], [3.647, 2.349], [3.648, 2.935], [3.935, 2.583], [3.982, 2.771], [4.066, 3.181],
  [4.079, 2.319], [4.163, 3.088], [4.287, 2.721], [4.316, 2.903], [4.382, 2.782], [4.447, 2.790],
  [4.451, 2.933], [4.564, 2.347], [4.670, 2.846], [4.675, 2.629], [4.904, 2.331], [4.986, 2.322],
];
export const height = 306;
export const state = { width: 0.3, query: 2.5 };
export const ask = "Make the kernel as narrow as it goes, and then as wide as it goes. To how many points does the query listen each time, and what does the fit look like? Then, at the width you like best, take the query to 0: on which side of it are the points?";
const WIDTHS = [0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3, 5];
export const controls = {
  width: {
    label: "width of the kernel", min: 0, max: WIDTHS.length - 1, step: 1, shown: (i) => String(WIDTHS[i]),
    of: ({ width }) => WIDTHS.indexOf(width), to: (i) => ({ width: WIDTHS[i] }),
  },
  query: { label: "position of the query", min: 0, max: 5, step: 0.05, shown: (query) => query.toFixed(2) },
};

const weighed = (query, width) => softmax(POINTS.map(([x]) => -((query - x) ** 2) / (2 * width ** 2)));
const predicted = (query, width) => weighed(query, width).reduce((sum, weight, j) => sum + weight * POINTS[j][1], 0);

export const compute = ({ width, query }) => ({
  weights: weighed(query, width), output: predicted(query, width), fit: Array.from({ length: 101 }, (_, i) => predicted(i / 20, width)),
});

const across = (x) => 30 + 70 * x, down = (y) => 176 - 42 * y;
const LEGEND = dot(14, 14, "fill-muted", 2.5) + text(22, 18, "points", "start") + line(76, 14, 96, 14, "stroke-blue wide") + text(102, 18, "fit", "start")
  + dot(138, 14, "fill-vermilion", 5) + text(148, 18, "the query’s output", "start") + line(276, 8, 276, 20, "stroke-green wide") + text(283, 18, "weights: the bell", "start");
const SCALE = [0, 1, 2, 3].map((y) => text(20, down(y) + 4, y, "end", "quiet")).join("") + [0, 1, 2, 3, 4, 5].map((x) => text(across(x), 278, x, "middle", "quiet")).join("")
  + text(20, down(3.5) + 4, "y", "end", "quiet") + text(396, 278, "x", "end", "quiet");

export function draw({ query }, { weights, output, fit }) {
  const most = Math.max(...weights);
  const bell = POINTS.map(([x], j) => line(across(x), 262, across(x), 262 - 54 * weights[j] / most, "stroke-green wide"));
  return LEGEND + SCALE + line(across(0), 262, across(5), 262, "stroke-faint") + line(across(query), 30, across(query), 284, "stroke-muted")
    + text(Math.min(Math.max(across(query), 60), 350), 300, `query at ${query.toFixed(2)}`)
    + POINTS.map(([x, y]) => dot(across(x), down(y), "fill-muted", 2.5)).join("") + path(fit.map((y, i) => [across(i / 20), down(y)]), "stroke-blue wide")
    + dot(across(query), down(output), "fill-vermilion", 5) + bell.join("");
}

export function say({ width, query }, { weights, output, fit }) {
  const keys = Math.exp(-weights.reduce((sum, weight) => sum + (weight > 0 ? weight * Math.log(weight) : 0), 0));
  const left = weights.reduce((sum, weight, j) => sum + (POINTS[j][0] < query ? weight : 0), 0);
  return `With a kernel of width ${width} the fit lies between ${signed(Math.min(...fit), 2)} and ${signed(Math.max(...fit), 2)}. The query at ${query.toFixed(2)} listens to as many points as ${keys.toFixed(1)} with equal weights, with ${Math.round(100 * left)} % of its weight on those to its left, and its output is ${signed(output, 2)}.`;
}
