// Starts the researcher's app. Its own file, because the page allows no inline script.

import "{{asset:relaxed.js}}";
import "{{asset:translated.js}}";
import { follow } from "{{asset:research/live.js}}";

// What static/able.js found out.
const { texts, lacks, show } = globalThis.redialBoot;

async function boot() {
  if (lacks) {
    return;
  }
  try {
    const [{ default: init, start }, decoder] = await Promise.all([
      import("{{js:researcher}}"),
      import("{{asset:decoder.js}}"),
    ]);
    await init({ module_or_path: new URL("{{wasm:researcher}}", import.meta.url) });
    start(decoder.open, texts, follow);
    document.getElementById("boot")?.remove();
  } catch (error) {
    console.error(error);
    show(error instanceof WebAssembly.CompileError ? "forbidden" : "failed");
  }
}

boot();
