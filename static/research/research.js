// Starts one of the two apps of the researcher's area. Its own file, because the page allows no inline script.

import "{{asset:relaxed.js}}";
import "{{asset:translated.js}}";
import { follow } from "{{asset:research/live.js}}";

// Replays are an app of their own: `Route::part` in frontend/researcher/src/route.rs says the same.
const REPLAYS = /\/studies\/[^/]+\/(replay\/|beside\/?$)/;

// What static/able.js found out.
const { texts, lacks, show } = globalThis.redialBoot;

async function tables() {
  const { default: init, start } = await import("{{js:researcher}}");
  await init({ module_or_path: new URL("{{wasm:researcher}}", import.meta.url) });
  start(follow);
}

async function replays() {
  const [{ default: init, start }, decoder] = await Promise.all([
    import("{{js:replay}}"),
    import("{{asset:decoder.js}}"),
  ]);
  await init({ module_or_path: new URL("{{wasm:replay}}", import.meta.url) });
  start(decoder.open, texts);
}

async function boot() {
  if (lacks) {
    return;
  }
  try {
    await (REPLAYS.test(location.pathname) ? replays() : tables());
    document.getElementById("boot")?.remove();
  } catch (error) {
    console.error(error);
    show(error instanceof WebAssembly.CompileError ? "forbidden" : "failed");
  }
}

boot();
