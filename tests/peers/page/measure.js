// Times every engine on one model, taking turns, so that whatever else the machine does meets all
// of them alike. The benchmark calls these functions one after the other: `prepare`, `warmUp`,
// `turn` and `compare` with every index, `outcome`.

import { engines } from "./engines.js";
import { fetchModel } from "./model.js";

const WARM_UP_DECODES = 20;

const loaders = {};
let channels = 1;
let vectors = [];
let running = [];
let results = {};

/**
 * Loads a model into the engines of these names, the first of which the others are compared with; one that
 * cannot load it has an `error` in the results.
 */
export async function prepare(name, chosen) {
  const model = await fetchModel(name);
  vectors = model.vectors;
  channels = model.card.shape.channels ?? 1;
  running = [];
  results = {};
  for (const engine of chosen) {
    try {
      loaders[engine] ??= await engines[engine]();
      const decode = await loaders[engine](model);
      running.push({ decode, result: (results[engine] = { times: [], difference: 0 }) });
    } catch (error) {
      results[engine] = { error: String(error?.message ?? error) };
    }
  }
}

/** The browser compiles what is called often a second time; this is to be called some times. */
export async function warmUp() {
  for (const { decode } of running) {
    for (const vector of vectors.slice(0, WARM_UP_DECODES)) await decode(vector);
  }
  // Room for the compiler's own thread.
  await new Promise((resolve) => setTimeout(resolve, 200));
}

/** Decodes the next `length` vectors with one engine after the other. */
export async function turn(index, length) {
  const next = vectors.slice(index * length, (index + 1) * length);
  // Whoever goes first changes, so that nobody always finds the caches another one left.
  const first = index % running.length;
  for (const { decode, result } of [...running.slice(first), ...running.slice(0, first)]) {
    for (const vector of next) {
      const before = performance.now();
      await decode(vector);
      result.times.push(performance.now() - before);
    }
  }
}

/** Compares what the engines make of the same vectors as in `turn`. */
export async function compare(index, length) {
  for (const vector of vectors.slice(index * length, (index + 1) * length)) {
    const ours = (await running[0].decode(vector)).slice();
    for (const { decode, result } of running) {
      const theirs = await decode(vector);
      if (theirs.length !== ours.length) {
        throw new Error(`${theirs.length} values instead of ${ours.length}`);
      }
      const pixels = ours.length / channels;
      for (let i = 0; i < ours.length; i += 1) {
        const [pixel, channel] = [Math.floor(i / channels), i % channels];
        const there = decode.channelsFirst ? channel * pixels + pixel : i;
        const difference = Math.abs(theirs[there] - ours[i]);
        // JSON has no word for what is not a number, which is as far off as can be.
        const said = Number.isNaN(difference) ? Number.MAX_VALUE : difference;
        result.difference = Math.max(result.difference, said);
      }
    }
  }
}

/** By engine: the times in ms, and the largest difference of any value from the first engine's. */
export function outcome() {
  return results;
}
