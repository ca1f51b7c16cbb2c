// Starts the app, or says why it does not start. Its own file, because the page allows no inline script.

import "{{asset:relaxed.js}}";
import "{{asset:translated.js}}";

// What static/able.js found out.
const { base, language, texts: TEXTS, lacks, show } = globalThis.redialBoot;

// Fetched beside the app. Nothing waits for it: where it is late, the first words are English.
let words;
if (TEXTS[language]) {
  fetch(base + TEXTS[language])
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
  navigator.sendBeacon?.(`${base}/api/page-errors`, new Blob([report], { type: "application/json" }));
  if (mayReload()) {
    location.reload();
    return;
  }
  document.body.replaceChildren(stopped);
  show("crashed");
  // What is left of the app may still run, and would take away by this name what waited for it.
  stopped.removeAttribute("id");
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

// Kept, because the app takes it away as soon as it has something to show.
const stopped = document.getElementById("boot");

async function boot() {
  if (lacks) {
    return;
  }
  try {
    const [{ default: init, start }, decoder] = await Promise.all([
      import("{{js:redial}}"),
      import("{{asset:decoder.js}}"),
    ]);
    await init({ module_or_path: new URL("{{wasm:redial}}", import.meta.url) });
    // Fetched only where a study records.
    const recorder = () => import("{{asset:recorder.js}}");
    start(decoder.open, recorder, crashed, TEXTS, language, words);
  } catch (error) {
    console.error(error);
    if (!crashed.already) {
      // A policy can also forbid what the browser has.
      show(error instanceof WebAssembly.CompileError ? "forbidden" : "failed");
    }
    return;
  }
  // Only after the app has started, so that filling the cache does not compete with it.
  // Without a service worker everything works while there is a network.
  navigator.serviceWorker?.register(`${base}/sw.js`).catch((error) => console.warn(error));
}

// A trap of the app without a panic, such as an exhausted stack. What other scripts do is not ours.
const isTrap = (error) => !lacks && error instanceof WebAssembly.RuntimeError;
addEventListener("error", ({ error, message }) => isTrap(error) && crashed(message));
addEventListener("unhandledrejection", ({ reason }) => isTrap(reason) && crashed(reason.message));

boot();
