// Starts the app, or says why it does not start. Its own file, because the page allows no inline script.

const show = (id) => {
  document.getElementById("boot-wait")?.remove();
  document.getElementById(id)?.removeAttribute("hidden");
};

// The smallest module that uses a 128-bit vector: (func (result v128) i32.const 0 i8x16.splat i8x16.popcnt).
const vectors = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

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
    start(decoder.open);
  } catch (error) {
    console.error(error);
    show("boot-failed");
    return;
  }
  document.getElementById("boot")?.remove();
  // Only after the app has started, so that filling the cache does not compete with it.
  // Without a service worker everything works while there is a network.
  navigator.serviceWorker?.register("/sw.js").catch((error) => console.warn(error));
}

boot();
