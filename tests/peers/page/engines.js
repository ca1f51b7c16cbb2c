// One function for each engine: it takes a model and returns a function from z to the instance,
// read back into an array of the page.
//
// A model has `card` (and `cardText`), `weights` as they are stored, `expanded` (safetensors in
// single precision), `tensors` (the same, read) and `onnx`. Only ours takes `z`; the others take
// `input`, what the first layer reads. `channelsFirst` on a function says that its instances lie
// channel by channel; the others' lie pixel by pixel.

import * as onnx from "../onnxruntime/ort.wasm.bundle.min.mjs";
import * as candle from "../decoder_candle/decoder_candle.js";
import * as plain from "../plain_candle/plain_candle.js";
import * as relaxed from "../decoder_relaxed/decoder_relaxed.js";
import * as simd from "../decoder_simd/decoder_simd.js";
import * as tfjs from "../tfjs/tfjs.js";

const at = (path) => new URL(`../${path}`, import.meta.url).href;

/** By the name of their folder. */
export const engines = {
  decoder_simd: () => ours(simd, "decoder_simd"),
  decoder_relaxed: () => ours(relaxed, "decoder_relaxed"),
  decoder_candle: () => ours(candle, "decoder_candle"),
  async onnxruntime() {
    onnx.env.wasm.numThreads = 1;
    onnx.env.wasm.wasmPaths = { wasm: at("onnxruntime/ort-wasm-simd-threaded.wasm") };
    return async ({ card, onnx: bytes }) => {
      const options = { executionProviders: ["wasm"], graphOptimizationLevel: "all" };
      const session = await onnx.InferenceSession.create(bytes, options);
      const [name] = session.inputNames;
      const decode = async ({ input }) => {
        const z = new onnx.Tensor("float32", input, [1, input.length]);
        return (await session.run({ [name]: z }))[session.outputNames[0]].data;
      };
      return Object.assign(decode, { channelsFirst: endsInMaps(card) });
    };
  },
  async tfjs() {
    await tfjs.start(at("tfjs/"));
    return ({ card, tensors }) => {
      const decode = tfjs.load(card, tensors);
      return ({ input }) => decode(input);
    };
  },
  async plain_candle() {
    await plain.default({ module_or_path: at("plain_candle/plain_candle_bg.wasm") });
    return ({ card, cardText, expanded }) => {
      const decoder = plain.Plain.load(cardText, expanded);
      const decode = ({ input }) => decoder.decode(input);
      return Object.assign(decode, { channelsFirst: endsInMaps(card) });
    };
  },
};

function endsInMaps({ architecture: { layers } }) {
  // A graph's output is in the order in which PyTorch gives it.
  if (!layers) return true;
  const turns = layers.filter(({ layer }) => layer === "reshape" || layer === "flatten");
  return turns.at(-1)?.layer === "reshape";
}

// What static/decoder.js does for the app: the vector goes in, and the instance comes out, through
// places in the module's memory.
async function ours(module, name) {
  const { memory } = await module.default({ module_or_path: at(`${name}/${name}_bg.wasm`) });
  return ({ cardText, weights }) => {
    const decoder = module.Decoder.load(cardText, weights);
    return ({ z }) => {
      new Float64Array(memory.buffer, decoder.z_at(), decoder.z_len()).set(z);
      decoder.decode();
      const at = decoder.instance_at();
      return new Float32Array(memory.buffer, at, decoder.instance_len()).slice();
    };
  };
}
