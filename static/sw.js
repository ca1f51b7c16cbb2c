// Keeps the app in the browser, so that a study that was begun survives a reload without a
// network. It never touches what is said to the server; models are kept by the app itself.

importScripts("{{asset:relaxed.js}}");

/** The path that everything lies below; empty at the top of the server's address. */
const BASE = self.location.pathname.replace(/\/sw\.js$/, "");
/** What the caches of this app are called; another one may lie below another path of the same address. */
const SHELLS = BASE ? `redial-shell:${BASE}:` : "redial-shell-";
const SHELL = `${SHELLS}{{version}}`;
const PRECACHE = {{precache}};
/** The build of the decoder that static/decoder.js takes; the one with candle is kept once it was fetched. */
const DECODER = self.redialRelaxedSimd
  ? ["{{js:decoder_relaxed}}", "{{wasm:decoder_relaxed}}"]
  : ["{{js:decoder_simd}}", "{{wasm:decoder_simd}}"];
/** After this long without an answer the page comes from the cache. */
const PATIENCE_MS = 4000;

self.addEventListener("install", (event) => {
  // "reload" is for the page alone: the other addresses change with their content.
  const page = new Request(`${BASE}/`, { cache: "reload" });
  event.waitUntil(
    caches
      .open(SHELL)
      .then((cache) => cache.addAll([page, ...PRECACHE, ...DECODER]))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith(SHELLS) && name !== SHELL;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const path = url.pathname.startsWith(`${BASE}/`) ? url.pathname.slice(BASE.length) : "";
  if (request.method !== "GET" || url.origin !== self.location.origin || !path) {
    return;
  }
  if (request.mode === "navigate") {
    // The pages of experimenters and researchers are of no use without a network.
    if (!path.startsWith("/api/") && path !== "/lab" && !/^\/research(\/|$)/.test(path)) {
      event.respondWith(page(request));
    }
  } else if (path.startsWith("/assets/")) {
    event.respondWith(cacheFirst(event));
  }
});

async function cacheFirst(event) {
  const cache = await caches.open(SHELL);
  const kept = await cache.match(event.request);
  if (kept) {
    return kept;
  }
  const answer = await fetch(event.request);
  if (answer.status === 200) {
    // A full disk must not keep the answer from the page.
    event.waitUntil(cache.put(event.request, answer.clone()).catch(() => {}));
  }
  return answer;
}

// One page serves every address of the app.
async function page(request) {
  const kept = await (await caches.open(SHELL)).match(`${BASE}/`);
  if (!kept) {
    return fetch(request);
  }
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return answer.status < 500 ? answer : kept;
  } catch {
    return kept;
  }
}
