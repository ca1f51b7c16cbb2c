// The decoders of `tests/src/bench/decode/graphs.rs` for TensorFlow.js, as its users would write them:
// maps with their channels last, weights laid out once beforehand.

import {
  add, conv2d, image, matMul, mean, mul, relu, reshape, rsqrt, sigmoid, softmax, squaredDifference, sub, tanh, tensor,
  transpose,
} from "@tensorflow/tfjs-core";

const GROUPS = 8;
const EPS = 1e-5;

/** A function from the latent vector `[1, dimensions]` to `[1, height, width, channels]`, by the model's name. */
export const graphs = {
  "lab-residual": (read) => {
    const fc = dense(read, "fc");
    const stages = [0, 1, 2].map((i) => ["up", "a", "b"].map((part) => conv(read, `${part}${i}`)));
    const out = conv(read, "out");
    return (z) => {
      let x = fromChannelsFirst(fc(z), 128, 8);
      for (const [up, a, b] of stages) {
        x = up(twice(x));
        x = add(x, b(relu(a(relu(x)))));
      }
      return sigmoid(out(relu(x)));
    };
  },
  "lab-diffusion": (read) => {
    const fc = dense(read, "fc");
    const before = block(read, "mid0");
    const middle = attention(read, "attention");
    const after = block(read, "mid1");
    const stages = [0, 1, 2].map((i) => [conv(read, `up${i}`), block(read, `block${i}`)]);
    const norm = groupNorm(read, "norm");
    const out = conv(read, "out");
    return (z) => {
      let x = after(middle(before(fromChannelsFirst(fc(z), 64, 8))));
      for (const [up, rest] of stages) x = rest(up(twice(x)));
      return sigmoid(out(silu(norm(x))));
    };
  },
  "lab-transformer": (read) => {
    const fc = dense(read, "fc");
    const positions = read("positions");
    const blocks = [0, 1].map((i) => transformerBlock(read, `${i}.`));
    const norm = layerNorm(read, "norm");
    const patch = linear(read, "patch");
    return (z) => {
      let x = add(reshape(fc(z), [1, 64, 64]), positions);
      for (const block of blocks) x = block(x);
      const patches = reshape(patch(norm(x)), [8, 8, 8, 8, 3]);
      return sigmoid(reshape(transpose(patches, [0, 2, 1, 3, 4]), [1, 64, 64, 3]));
    };
  },
};

/** A reader of tensors by name, for the functions above. */
export function reader(tensors) {
  return (name) => tensor(tensors[name].values, tensors[name].shape);
}

const twice = (x) => image.resizeNearestNeighbor(x, [x.shape[1] * 2, x.shape[2] * 2]);
const silu = (x) => mul(x, sigmoid(x));
const fromChannelsFirst = (x, channels, side) => transpose(reshape(x, [1, channels, side, side]), [0, 2, 3, 1]);

function dense(read, name) {
  const [weight, bias] = [transpose(read(`${name}.weight`), [1, 0]), read(`${name}.bias`)];
  return (x) => add(matMul(x, weight), bias);
}

function conv(read, name) {
  const [filter, bias] = [transpose(read(`${name}.weight`), [2, 3, 1, 0]), read(`${name}.bias`)];
  return (x) => add(conv2d(x, filter, 1, "same"), bias);
}

function groupNorm(read, name) {
  const [weight, bias] = ["weight", "bias"].map((part) => reshape(read(`${name}.${part}`), [-1]));
  return (x) => {
    const [, height, width, channels] = x.shape;
    const groups = reshape(x, [1, height * width, GROUPS, channels / GROUPS]);
    const normal = normalised(groups, [1, 3]);
    return add(mul(reshape(normal, x.shape), weight), bias);
  };
}

function normalised(x, axes) {
  const middle = mean(x, axes, true);
  const variance = mean(squaredDifference(x, middle), axes, true);
  return mul(sub(x, middle), rsqrt(add(variance, EPS)));
}

function block(read, name) {
  const [normA, normB] = ["a", "b"].map((half) => groupNorm(read, `${name}.${half}norm`));
  const [a, b] = ["a", "b"].map((half) => conv(read, `${name}.${half}`));
  return (x) => add(x, b(silu(normB(a(silu(normA(x)))))));
}

function attention(read, name) {
  const norm = groupNorm(read, `${name}.norm`);
  const [q, k, v, out] = ["q", "k", "v", "out"].map((part) => conv(read, `${name}.${part}`));
  return (x) => {
    const [, height, width, channels] = x.shape;
    const normal = norm(x);
    const tokens = (part) => reshape(part(normal), [1, height * width, channels]);
    const scores = mul(matMul(tokens(q), tokens(k), false, true), 1 / Math.sqrt(channels));
    return add(x, out(reshape(matMul(softmax(scores), tokens(v)), x.shape)));
  };
}

function linear(read, name) {
  const [weight, bias] = [read(`${name}.weight`), read(`${name}.bias`)];
  return (x) => {
    const [, tokens, width] = x.shape;
    return reshape(add(matMul(reshape(x, [tokens, width]), weight), bias), [1, tokens, -1]);
  };
}

function layerNorm(read, name) {
  const [weight, bias] = [read(`${name}.weight`), read(`${name}.bias`)];
  return (x) => add(mul(normalised(x, [2]), weight), bias);
}

// The form with a hyperbolic tangent.
const gelu = (x) => mul(mul(x, 0.5), add(tanh(mul(add(x, mul(mul(mul(x, x), x), 0.044715)), Math.sqrt(2 / Math.PI))), 1));

function transformerBlock(read, at) {
  const [norm0, norm1] = ["norm0", "norm1"].map((part) => layerNorm(read, at + part));
  const [q, k, v, out, up, down] = ["q", "k", "v", "out", "up", "down"].map((part) => linear(read, at + part));
  return (x) => {
    const [, tokens, width] = x.shape;
    const heads = (part) => transpose(reshape(part, [1, tokens, 4, width / 4]), [0, 2, 1, 3]);
    const normal = norm0(x);
    const [a, b, c] = [q, k, v].map((part) => heads(part(normal)));
    const shares = softmax(mul(matMul(a, b, false, true), 1 / Math.sqrt(width / 4)));
    const mixed = reshape(transpose(matMul(shares, c), [0, 2, 1, 3]), [1, tokens, width]);
    const between = add(x, out(mixed));
    return add(between, down(gelu(up(norm1(between)))));
  };
}
