// A model in every form that an engine reads.

/** Fetches a model by name. */
export async function fetchModel(name) {
  const get = async (file) => {
    const answer = await fetch(`/models/${name}/${file}`);
    if (!answer.ok) throw new Error(`${name}/${file}: ${answer.status}`);
    return answer;
  };
  const bytes = async (file) => new Uint8Array(await (await get(file)).arrayBuffer());
  const cardText = await (await get("card.json")).text();
  // A graph that only readers of ONNX decode has none.
  const expanded = await bytes("expanded.safetensors").catch(() => undefined);
  const vectors = await (await get("vectors.json")).json();
  return {
    cardText,
    card: JSON.parse(cardText),
    weights: await bytes("weights.safetensors"),
    onnx: await bytes("model.onnx"),
    expanded,
    tensors: expanded && tensors(expanded),
    vectors: vectors.map(({ z, input }) => ({
      z: new Float64Array(z), input: new Float32Array(input),
    })),
  };
}

/** Reads a safetensors file that holds nothing but f32: shape and values by name. */
function tensors(file) {
  const length = Number(new DataView(file.buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length)));
  const found = Object.entries(header).filter(([name]) => name !== "__metadata__");
  return Object.fromEntries(found.map(([name, { shape, data_offsets: [from, to] }]) => {
    const data = file.slice(8 + length + from, 8 + length + to);
    return [name, { shape, values: new Float32Array(data.buffer) }];
  }));
}
