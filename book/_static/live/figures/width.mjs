// The chapter's sixty points, the curve that attention finds in them, and the bell that weighs them for one query.
import { dot, line, path, softmax } from "./drawing.mjs";

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
export const height = 270;
export const state = { power: -0.5, query: 2.5 };
export const controls = {
  power: { label: "width of the kernel", min: -1.7, max: 0.7, step: 0.05, shown: (power) => (10 ** power).toPrecision(2) },
  query: { label: "query", min: 0, max: 5, step: 0.05, shown: (query) => query.toFixed(2) },
};

const weighed = (query, width) => softmax(POINTS.map(([x]) => -((query - x) ** 2) / (2 * width ** 2)));
const predicted = (query, width) => weighed(query, width).reduce((sum, weight, j) => sum + weight * POINTS[j][1], 0);

export const compute = ({ power, query }) => ({ weights: weighed(query, 10 ** power), output: predicted(query, 10 ** power) });

export function draw({ power, query }, { weights, output }) {
  const across = (x) => 30 + 84 * x, down = (y) => 150 - 36 * y;
  const curve = Array.from({ length: 101 }, (_, i) => [across(i / 20), down(predicted(i / 20, 10 ** power))]);
  const most = Math.max(...weights);
  const bell = POINTS.map(([x], j) => line(across(x), 262, across(x), 262 - 50 * weights[j] / most, "stroke-green wide"));
  return POINTS.map(([x, y]) => dot(across(x), down(y), "fill-muted", 2.5)).join("") + path(curve, "stroke-blue wide")
    + line(across(query), 10, across(query), 262, "stroke-faint") + dot(across(query), down(output), "fill-vermilion", 5) + bell.join("");
}

export function say({ power, query }, { weights, output }) {
  const keys = Math.exp(-weights.reduce((sum, weight) => sum + (weight > 0 ? weight * Math.log(weight) : 0), 0));
  return `With a kernel as wide as ${(10 ** power).toPrecision(2)}, a query at ${query.toFixed(2)} listens to as many points as ${keys.toFixed(1)} with equal weights, and the output is ${output.toFixed(2)}.`;
}
