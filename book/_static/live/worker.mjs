// One Python, in a worker of its own: the page stays alive whatever a cell does. It takes orders one after the
// other, `{id, order, …}`, and answers each with what it shows, `{id, kind, text}`, and at last with kind "done".
import { loadPyodide } from "../../python/pyodide.mjs";

const FILES = new URL("../../python/", import.meta.url).href;
// What in a cell asks for a package; the import of `plots` alone does not, since it draws nothing.
const PACKAGES = { matplotlib: /\bplots(\.\w|\s+import)|\bmatplotlib\b/, scipy: /\bscipy\b/ };
const MOST = 100_000;  // characters that a cell may print
const LINE = 50;  // as many of them a line counts at least: empty lines fill a page, too
const SOON = 200;  // pieces that are sent one by one, as they come
let current, loaded = 0, printed, pieces, waiting, since;
const send = (kind, text) => postMessage({ id: current, kind, text });

// What Python shows. Whoever prints much is sent on in larger pieces, and not for ever: a page would drown in it.
function show(kind, text) {
  if (kind !== "stdout" && kind !== "stderr") {
    flush();
    return send(kind, text);
  }
  if (printed > MOST) return;
  printed += text.length + LINE * (text.split("\n").length - 1);
  if (printed > MOST) text = `${text.slice(0, 1000)}\n… what it prints from here on is not shown\n`;
  if (waiting.kind !== kind) flush();
  waiting = { kind, text: waiting.text + text };
  if (++pieces < SOON || printed > MOST || performance.now() - since > 50) flush();
}

function flush() {
  if (waiting.text) send(waiting.kind, waiting.text);
  waiting = { text: "" };
  since = performance.now();
}

// Every file passes here, so that the page can say how much has come. What is counted is a copy: of the response that
// came itself the browser keeps the compiled code, so that Python begins sooner from the second page on.
const whole = globalThis.fetch;
globalThis.fetch = async (...wanted) => {
  const response = await whole(...wanted);
  if (!response.ok || !response.body) return response;
  const counts = new WritableStream({ write(part) { loaded += part.length; send("loading", loaded); } });
  response.clone().body.pipeTo(counts).catch(() => {});  // who asked for the file hears of it
  return response;
};

async function begin(progress) {
  const { first } = await (await fetch(`${FILES}first.json`)).json();
  const python = await loadPyodide({ indexURL: FILES, packages: first });
  const place = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
  const own = async (file) => new Uint8Array(await (await fetch(FILES + file)).arrayBuffer());
  python.unpackArchive(await own("attnbook.zip"), "zip", { extractDir: place });
  python.FS.writeFile(`${place}/kernel.py`, await own("kernel.py"));
  python.registerJsModule("page", { send: show });
  const kernel = python.pyimport("kernel");
  kernel.keep(progress);
  return { python, kernel };
}

let begun;
const orders = {
  async begin({ progress }) {
    begun = await begin(progress);
  },
  async run({ source, name }) {
    const asked = Object.keys(PACKAGES).filter((each) => PACKAGES[each].test(source));
    const missing = asked.filter((each) => !(each in begun.python.loadedPackages));
    if (missing.length) await begun.python.loadPackage(missing, { messageCallback() {} });
    send("running", "");
    return begun.kernel.run(source, name);
  },
  hint({ exercise, number }) {
    return begun.kernel.hint(exercise, number);
  },
};

let before = Promise.resolve();
addEventListener("message", ({ data }) => {
  before = before.then(async () => {
    [current, printed, pieces, waiting, since] = [data.id, 0, 0, { text: "" }, performance.now()];
    try {
      const ended = await orders[data.order](data) ?? true;
      flush();
      const files = performance.getEntriesByType("resource").map(({ name }) => name);
      performance.clearResourceTimings();
      if (files.length) send("files", files);
      send("done", ended);
    } catch (error) {  // Python itself has ended, as it does without memory
      send("ended", String(error.message ?? error));
    }
  });
});
