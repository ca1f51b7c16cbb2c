// TensorFlow.js's part of the benchmark: only the operations and kernels that decoders need, so
// that the bundle is as small as it can be.

import {
  conv2d, conv2dTranspose, elu, engine, image, pad, env, fused, leakyRelu, registerKernel, relu, reshape, setBackend,
  sigmoid, softplus, tanh, tensor, transpose, batchNorm, add,
} from "@tensorflow/tfjs-core";
import { setWasmPaths } from "@tensorflow/tfjs-backend-wasm/dist/base.js";
import { addConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Add.js";
import { batchMatMulConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/BatchMatMul.js";
import { conv2DConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Conv2D.js";
import { conv2DBackpropInputConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Conv2DBackpropInput.js";
import { eluConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Elu.js";
import { fusedBatchNormConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/FusedBatchNorm.js";
import { _fusedMatMulConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/_FusedMatMul.js";
import { identityConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Identity.js";
import { leakyReluConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/LeakyRelu.js";
import { padV2Config } from "@tensorflow/tfjs-backend-wasm/dist/kernels/PadV2.js";
import { reluConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Relu.js";
import { reshapeConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Reshape.js";
import { resizeNearestNeighborConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/ResizeNearestNeighbor.js";
import { sigmoidConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Sigmoid.js";
import { softplusConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Softplus.js";
import { tanhConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Tanh.js";
import { meanConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Mean.js";
import { multiplyConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Multiply.js";
import { subConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Sub.js";
import { rsqrtConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Rsqrt.js";
import { softmaxConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Softmax.js";
import { squaredDifferenceConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/SquaredDifference.js";
import { transposeConfig } from "@tensorflow/tfjs-backend-wasm/dist/kernels/Transpose.js";

import { graphs, reader } from "./graphs.js";

const KERNELS = [
  addConfig, batchMatMulConfig, conv2DConfig, conv2DBackpropInputConfig, eluConfig,
  fusedBatchNormConfig, _fusedMatMulConfig, identityConfig, leakyReluConfig, padV2Config, reluConfig,
  reshapeConfig, resizeNearestNeighborConfig, sigmoidConfig, softplusConfig, tanhConfig,
  meanConfig, multiplyConfig, subConfig, rsqrtConfig, softmaxConfig, squaredDifferenceConfig, transposeConfig,
];

/** Starts the wasm backend with SIMD and one thread. */
export async function start(folder) {
  KERNELS.forEach((kernel) => registerKernel(kernel));
  env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  setWasmPaths(folder);
  if (!(await setBackend("wasm")) || !(await env().getAsync("WASM_HAS_SIMD_SUPPORT"))) {
    throw new Error("TensorFlow.js does not start its wasm backend with SIMD");
  }
}

/** The decoder of a card; `tensors` by name: shape and values. */
export function load({ name, architecture: { layers } }, tensors) {
  const decode = layers ? inOrder(layers.map((layer) => step(layer, tensors))) : graphs[name](reader(tensors));
  return (input) => {
    engine().startScope();
    try {
      return decode(tensor(input, [1, input.length])).dataSync();
    } finally {
      engine().endScope();
    }
  };
}

const inOrder = (steps) => (z) => steps.reduce((x, apply) => apply(x), z);

function step(layer, tensors) {
  const read = (part) => {
    const { shape, values } = tensors[`${layer.name}.${part}`];
    return tensor(values, shape);
  };
  switch (layer.layer) {
    case "dense": {
      // Laid out beforehand: told to transpose, the wasm backend leaves XNNPACK for a slow loop
      // that adds the bias once for every 48 inputs.
      const [b, bias] = [transpose(read("weight"), [1, 0]), read("bias")];
      return (a) => fused.matMul({ a, b, bias });
    }
    case "conv_transpose": {
      if (typeof layer.padding !== "number") throw new Error("padding differs between edges");
      const [filter, bias] = [transpose(read("weight"), [2, 3, 1, 0]), read("bias")];
      const { outputs, kernel, stride, padding } = layer;
      const side = (n) => (n - 1) * stride + kernel - 2 * padding;
      return (x) => {
        const [n, height, width] = x.shape;
        const shape = [n, side(height), side(width), outputs];
        return add(conv2dTranspose(x, filter, shape, stride, padding), bias);
      };
    }
    case "conv": {
      const [filter, bias] = [transpose(read("weight"), [2, 3, 1, 0]), read("bias")];
      const { stride, padding } = layer;
      if (typeof padding === "number") {
        return (x) => add(conv2d(x, filter, stride, padding), bias);
      }
      const [top, left, bottom, right] = padding;
      const around = [[0, 0], [top, bottom], [left, right], [0, 0]];
      return (x) => add(conv2d(pad(x, around), filter, stride, "valid"), bias);
    }
    case "upsample":
      return (x) => {
        const [, height, width] = x.shape;
        return image.resizeNearestNeighbor(x, [height * layer.scale, width * layer.scale]);
      };
    case "flatten":
      if (layer.channels_last) return (x) => reshape(x, [1, -1]);
      return (x) => reshape(transpose(x, [0, 3, 1, 2]), [1, -1]);
    case "batch_norm": {
      const parts = ["running_mean", "running_var", "bias", "weight"].map(read);
      return (x) => batchNorm(x, ...parts, layer.eps);
    }
    case "reshape": {
      const { channels, height, width } = layer;
      if (layer.channels_last) return (x) => reshape(x, [1, height, width, channels]);
      return (x) => transpose(reshape(x, [1, channels, height, width]), [0, 2, 3, 1]);
    }
    case "activation":
      return activation(layer.function);
    default:
      throw new Error(`no decoder measured so far has a layer '${layer.layer}'`);
  }
}

function activation({ kind, slope, alpha = 1 }) {
  switch (kind) {
    case "relu": return relu;
    case "leaky_relu": return (x) => leakyRelu(x, slope);
    case "sigmoid": return sigmoid;
    case "tanh": return tanh;
    case "softplus": return softplus;
    case "elu":
      if (alpha === 1) return elu;
  }
  throw new Error(`no decoder measured so far has an activation '${kind}' of this kind`);
}
