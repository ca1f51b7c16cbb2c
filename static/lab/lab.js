// Starts the experimenter's app. Its own file, because the page allows no inline script.

import "{{asset:relaxed.js}}";

/** The participant's texts in other languages than English: addresses by language. */
const TEXTS = {{texts}};

const boot = document.getElementById("boot");

try {
  const [{ default: init, start }, decoder] = await Promise.all([
    import("{{js:experimenter}}"),
    import("{{asset:decoder.js}}"),
  ]);
  await init({ module_or_path: "{{wasm:experimenter}}" });
  start(decoder.open, TEXTS);
  boot?.remove();
} catch (error) {
  console.error(error);
  if (boot) {
    boot.textContent = "The page did not start. Check the connection, and load it again in a current browser.";
  }
}
