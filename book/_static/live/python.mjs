// The page's Python: begun `ahead` or by the first order, ended by `stop`, begun anew by the next order.
import { progress } from "./store.mjs";

const WORKER = new URL("worker.mjs", import.meta.url);
const orders = new Map();  // what waits for its end: its number, and what is told of it
let worker, last = 0;

// Have Python do something. `show(kind, text)` gets what it shows; resolves to whether it came to its end.
export async function order(name, what, show) {
  if (!worker && !await begin(show)) return false;
  return give(name, what, show);
}

// Begin Python before it is ordered to do anything; if that fails, the first order begins it again, and says why.
export function ahead() {
  if (last === 0) begin(() => {});
}

// End Python: whatever waits is told why, and does not go on.
export function stop(why = "Stopped. The next run begins a new Python, without the variables of this one.") {
  worker?.terminate();
  worker = undefined;
  const waiting = [...orders.values()];
  orders.clear();
  for (const tell of waiting) {
    tell("error", why);
    tell("done", false);
  }
  dispatchEvent(new Event("python-ended"));
}

function begin(show) {
  worker = new Worker(WORKER, { type: "module" });
  worker.addEventListener("message", ({ data: { id, kind, text } }) => {
    if (kind === "ended") stop(`Python ended: ${text}. The next run begins a new one.`);
    else if (kind === "files") dispatchEvent(new CustomEvent("python-loaded", { detail: text }));
    else orders.get(id)?.(kind, text);
  });
  worker.addEventListener("error", () => stop("Python could not be loaded: look at the network, then run this again."));
  return give("begin", { progress: progress.text() }, show);
}

function give(order, what, show) {
  const id = ++last;
  return new Promise((resolve) => {
    orders.set(id, (kind, text) => {
      if (kind !== "done") return show(kind, text);
      orders.delete(id);
      resolve(text);
    });
    worker.postMessage({ id, order, ...what });
  });
}
