// A service worker: what a reader has opened or run is there without a network, too. With one, pages come from it,
// so that they are never old; only the files of Python, whose hash is in the name, come from what is kept.
const KEPT = "attnbook-@";

addEventListener("install", () => skipWaiting());

addEventListener("activate", (event) => event.waitUntil((async () => {
  const old = (await caches.keys()).filter((name) => name.startsWith("attnbook-") && name !== KEPT);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
})()));

addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && new URL(url).origin === location.origin) event.respondWith(answer(event.request));
});

addEventListener("message", (event) => event.waitUntil(keep(event.data)));

async function answer(request) {
  const kept = await caches.open(KEPT);
  const held = await kept.match(request);
  if (held && new URL(request.url).pathname.includes("/python/")) return held;
  try {
    const response = await fetch(request);
    if (response.ok) kept.put(request, response.clone());
    return response;
  } catch (offline) {
    if (held) return held;
    throw offline;
  }
}

// What a page had loaded before it was served from here, in its order.
async function keep(urls) {
  const kept = await caches.open(KEPT);
  for (const url of urls) await kept.match(url) ?? await kept.add(url).catch(() => {});  // one that is gone is left out
}
