// Whether this browser has relaxed SIMD, for the page (a module) and the service worker (none).
// The smallest module that uses it: (func (result v128) f32x4.relaxed_madd of three zero vectors).
globalThis.redialRelaxedSimd =
  typeof WebAssembly === "object" &&
  WebAssembly.validate(
    new Uint8Array([
      0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0,
      65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253, 15, 253, 133, 2, 11,
    ]),
  );
