// Starts the app, or says why it does not start. Its own file, because the page allows no inline script.

import "{{asset:relaxed.js}}";

const show = (id) => {
  document.getElementById("boot-wait")?.remove();
  document.getElementById(id)?.removeAttribute("hidden");
};

// The smallest module that uses a 128-bit vector: (func (result v128) i32.const 0 i8x16.splat i8x16.popcnt).
const vectors = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

/** The app's texts in other languages than English: addresses by language. */
const TEXTS = {{texts}};

/**
 * The language that link or browser want most, of those that the app has: for all that is shown
 * before the study says its own.
 */
function wanted() {
  const link = new URLSearchParams(location.search).get("lang");
  const offered = ["en", ...Object.keys(TEXTS)];
  const tags = [link, ...(navigator.languages ?? [])].filter(Boolean);
  const found = (tag) => offered.find((known) => known === tag || known === tag.split("-")[0]);
  return tags.map(found).find(Boolean) ?? "en";
}

const language = wanted();
document.documentElement.lang = language;

// Fetched beside the app. Nothing waits for it: where it is late, the first words are English.
let words;
if (TEXTS[language]) {
  fetch(TEXTS[language])
    .then(async (answer) => {
      words = answer.ok ? await answer.text() : undefined;
    })
    .catch((error) => console.warn(error));
}

const CRASHES = "redial-crashes";
const AT_MOST = 3;
const WITHIN_MS = 120_000;

/**
 * The app has panicked and cannot go on. The server's log hears why, and the page loads again: the
 * session goes on from what is stored. A page that breaks down over and over stops and says so.
 */
function crashed(message) {
  // What follows in the same breath is the same crash.
  if (crashed.already) {
    return;
  }
  crashed.already = true;
  const report = JSON.stringify({ message: String(message), path: location.pathname });
  navigator.sendBeacon?.("/api/page-errors", new Blob([report], { type: "application/json" }));
  if (mayReload()) {
    location.reload();
    return;
  }
  document.body.replaceChildren(stopped);
  show("boot-crashed");
}

// Whether the page has not broken down too often lately. Without a store that cannot be known.
function mayReload() {
  try {
    const now = Date.now();
    const lately = JSON.parse(sessionStorage.getItem(CRASHES) ?? "[]").filter((at) => now - at < WITHIN_MS);
    sessionStorage.setItem(CRASHES, JSON.stringify([...lately, now]));
    return lately.length < AT_MOST;
  } catch {
    return false;
  }
}

// Kept, because the app takes its place.
const stopped = document.getElementById("boot");

async function boot() {
  if (typeof WebAssembly !== "object" || !WebAssembly.validate(vectors)) {
    show("boot-old");
    return;
  }
  try {
    const [{ default: init, start }, decoder] = await Promise.all([
      import("{{js:redial}}"),
      import("{{asset:decoder.js}}"),
    ]);
    await init({ module_or_path: "{{wasm:redial}}" });
    // Fetched only where a study records.
    const recorder = () => import("{{asset:recorder.js}}");
    start(decoder.open, recorder, crashed, TEXTS, language, words);
  } catch (error) {
    console.error(error);
    if (!crashed.already) {
      show("boot-failed");
    }
    return;
  }
  stopped?.remove();
  // Only after the app has started, so that filling the cache does not compete with it.
  // Without a service worker everything works while there is a network.
  navigator.serviceWorker?.register("/sw.js").catch((error) => console.warn(error));
}

// A trap of the app without a panic, such as an exhausted stack. What other scripts do is not ours.
const isTrap = (error) => error instanceof WebAssembly.RuntimeError;
addEventListener("error", ({ error, message }) => isTrap(error) && crashed(message));
addEventListener("unhandledrejection", ({ reason }) => isTrap(reason) && crashed(reason.message));

boot();
