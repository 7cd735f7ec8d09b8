// One Python, in a worker of its own: the page stays alive whatever a cell does. It takes orders one after the
// other, `{id, order, …}`, and answers each with what it shows, `{id, kind, text}`, and at last with kind "done".
import { loadPyodide } from "../../python/pyodide.mjs";

const FILES = new URL("../../python/", import.meta.url).href;
// What in a cell asks for a package; the import of `plots` alone does not, since it draws nothing.
const PACKAGES = { matplotlib: /\bplots(\.\w|\s+import)|\bmatplotlib\b/, scipy: /\bscipy\b/ };
let current, loaded = 0;
const send = (kind, text) => postMessage({ id: current, kind, text });

// Every file passes here, so that the page can say how much has come.
const whole = globalThis.fetch;
globalThis.fetch = async (...wanted) => {
  const response = await whole(...wanted);
  if (!response.ok || !response.body) return response;
  const counted = response.body.pipeThrough(new TransformStream({
    transform(part, stream) { loaded += part.length; send("loading", loaded); stream.enqueue(part); },
  }));
  return new Response(counted, { headers: response.headers, status: response.status });
};

async function begin(progress) {
  const { first } = await (await fetch(`${FILES}first.json`)).json();
  const python = await loadPyodide({ indexURL: FILES, packages: first });
  const place = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
  const own = async (file) => new Uint8Array(await (await fetch(FILES + file)).arrayBuffer());
  python.unpackArchive(await own("attnbook.zip"), "zip", { extractDir: place });
  python.FS.writeFile(`${place}/kernel.py`, await own("kernel.py"));
  python.registerJsModule("page", { send });
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
  hint({ exercise }) {
    return begun.kernel.hint(exercise);
  },
};

let before = Promise.resolve();
addEventListener("message", ({ data }) => {
  before = before.then(async () => {
    current = data.id;
    try {
      send("done", await orders[data.order](data) ?? true);
    } catch (error) {  // Python itself has ended, as it does without memory
      send("ended", String(error.message ?? error));
    }
  });
});
