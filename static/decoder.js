// Loads the decoder module, which comes in three builds, and passes vectors and pictures in and out.
// Two hold the kernels of compiled plans; every page has the one that the browser understands. The
// third decodes graphs, too, with candle for what has no kernel, and is fetched for a model that is no plan.

import "{{asset:relaxed.js}}";

// Beside this file, wherever that lies.
const urls = (...names) => names.map((name) => new URL(name, import.meta.url).href);
const PLANS = globalThis.redialRelaxedSimd
  ? urls("{{js:decoder_relaxed}}", "{{wasm:decoder_relaxed}}")
  : urls("{{js:decoder_simd}}", "{{wasm:decoder_simd}}");
const CANDLE = urls("{{js:decoder_candle}}", "{{wasm:decoder_candle}}");

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
      return planned ? new Loaded(planned, memory, [card, weights]) : onCandle(card, weights);
    },
  };
});

/** The module with candle, in the same way. */
export const openCandle = once(() => start(CANDLE));

/** Number of decodes for nobody, and how long they may take altogether. */
const WARM_UP = 24;
const WARM_UP_MS = 1000;
/** What takes less than this by then will never be too slow for the page. */
const FAST_MS = 10;
/** A worker that says nothing for so long is given up. */
const WORKER_PATIENCE_MS = 30_000;

// Safari has no idle callbacks.
const soon = (work) => (globalThis.requestIdleCallback ? requestIdleCallback(work, { timeout: 200 }) : setTimeout(work, 20));

async function onCandle(card, weights) {
  let opened;
  try {
    opened = await openCandle();
  } catch {
    return undefined;
  }
  return new Loaded(opened.module.Decoder.load(card, weights), opened.memory, [card, weights]);
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
  #source;

  constructor(decoder, memory, source) {
    this.#decoder = decoder;
    this.#memory = memory;
    this.#source = source;
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

  // Browsers compile code quickly at first, and well once it has run a few times. A decoder runs these
  // few times while nobody turns a dial, so that the first turn is as quick as the others.
  warmUp(took) {
    let left = WARM_UP;
    let spent = 0;
    const again = () => {
      const before = performance.now();
      try {
        this.#decoder.decode();
      } catch {
        // What is wrong with it shows when somebody needs it.
        return;
      }
      const ms = performance.now() - before;
      left -= 1;
      spent += ms;
      if (!took(ms) && left > 0 && spent < WARM_UP_MS) {
        soon(again);
      } else if (ms < FAST_MS) {
        // No worker will need the weights.
        this.#source = undefined;
      }
    };
    soon(again);
  }

  /** A worker with a decoder of its own, once it is there. */
  async startWorker() {
    const worker = new Worker(import.meta.url, { type: "module" });
    const ask = (question) =>
      new Promise((answer, fail) => {
        const end = (why, data) => {
          clearTimeout(late);
          if (why === undefined) {
            answer(data);
          } else {
            worker.terminate();
            fail(why);
          }
        };
        const late = setTimeout(end, WORKER_PATIENCE_MS, "it does not answer");
        worker.onmessage = ({ data }) => end(data.why, data);
        worker.onerror = worker.onmessageerror = ({ message }) => end(message ?? "it cannot be started");
        worker.postMessage(question);
      });
    await ask({ source: this.#source });
    // A copy: z is a view of the app's whole memory, all of which would be sent.
    return { decode: (z) => ask({ z: z.slice() }) };
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

// The same file is the worker's, which has one decoder and answers each message.
if (globalThis.WorkerGlobalScope) {
  let loaded;
  globalThis.onmessage = async ({ data: { source, z } }) => {
    try {
      if (source) {
        loaded = await (await open()).load(...source);
        postMessage(loaded ? {} : { why: "candle cannot be fetched" });
        return;
      }
      const before = performance.now();
      const values = loaded.decode(z).slice();
      postMessage({ values, ms: performance.now() - before }, [values.buffer]);
    } catch (error) {
      postMessage({ why: String(error) });
    }
  };
}
