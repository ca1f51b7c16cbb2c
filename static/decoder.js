// Loads the decoder module, which comes in three builds, and passes vectors and pictures in and out.
// Two hold the kernels of compiled plans; every page has the one that the browser understands. The
// third decodes graphs, too, with candle for what has no kernel, and is fetched for a model that is no plan.

import "{{asset:relaxed.js}}";

const PLANS = globalThis.redialRelaxedSimd
  ? ["{{js:decoder_relaxed}}", "{{wasm:decoder_relaxed}}"]
  : ["{{js:decoder_simd}}", "{{wasm:decoder_simd}}"];
const CANDLE = ["{{js:decoder_candle}}", "{{wasm:decoder_candle}}"];

/** The module of plans, fetched at the first call; a call after a failure tries again. */
export const open = once(async () => {
  const { module, memory } = await start(PLANS);
  return {
    relaxed: globalThis.redialRelaxedSimd,
    module,
    /**
     * A decoder; throws a sentence when card or weights (none: an empty array) are refused.
     * `undefined` when candle is needed and cannot be fetched.
     */
    async load(card, weights) {
      const planned = module.Decoder.load(card, weights);
      return planned ? warmed(new Loaded(planned, memory)) : onCandle(card, weights);
    },
  };
});

/** The module with candle, in the same way. */
export const openCandle = once(() => start(CANDLE));

const WARM_UP = 24;

// Browsers compile code quickly at first, and well once it has run a few times. A decoder runs these
// few times while nobody turns a dial, so that the first turn is as quick as the others.
function warmed(decoder) {
  let left = WARM_UP;
  const again = () => {
    try {
      decoder.again();
    } catch {
      // What is wrong with it shows when somebody needs it.
      return;
    }
    left -= 1;
    if (left > 0) {
      soon(again);
    }
  };
  soon(again);
  return decoder;
}

// Safari has no idle callbacks.
const soon = (work) => (globalThis.requestIdleCallback ? requestIdleCallback(work, { timeout: 200 }) : setTimeout(work, 20));

async function onCandle(card, weights) {
  let opened;
  try {
    opened = await openCandle();
  } catch {
    return undefined;
  }
  return new Loaded(opened.module.Decoder.load(card, weights), opened.memory);
}

function once(start) {
  let started;
  return () => {
    started ??= start().catch((error) => {
      started = undefined;
      throw error;
    });
    return started;
  };
}

async function start([js, wasm]) {
  // A module that could not be imported is not asked for again by every browser: it is fetched first.
  const [answer] = await Promise.all([get(wasm), get(js).then((script) => script.arrayBuffer())]);
  const module = await import(js);
  const { memory } = await module.default({ module_or_path: answer });
  return { module, memory };
}

async function get(url) {
  const answer = await fetch(url);
  if (!answer.ok) {
    throw new Error(`${url}: ${answer.status}`);
  }
  return answer;
}

class Loaded {
  #decoder;
  #memory;
  #buffer;
  #z;
  #instance;

  constructor(decoder, memory) {
    this.#decoder = decoder;
    this.#memory = memory;
  }

  /** The instance at `z`, in the module's own memory: to be copied before the next call. */
  decode(z) {
    this.#view();
    if (z.length !== this.#z.length) {
      throw `${z.length} values for ${this.#z.length} dimensions`;
    }
    this.#z.set(z);
    this.#decoder.decode();
    this.#view();
    return this.#instance;
  }

  /** Decodes what was decoded last, for nobody. */
  again() {
    this.#decoder.decode();
  }

  // Growing memory gets a new buffer, and the views of the old one are empty.
  #view() {
    const { buffer } = this.#memory;
    if (buffer !== this.#buffer) {
      const decoder = this.#decoder;
      this.#z = new Float64Array(buffer, decoder.z_at(), decoder.z_len());
      this.#instance = new Float32Array(buffer, decoder.instance_at(), decoder.instance_len());
      this.#buffer = buffer;
    }
  }
}
