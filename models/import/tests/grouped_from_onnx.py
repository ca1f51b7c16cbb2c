"""Makes small decoders with convolutions in groups, and what ONNX Runtime decodes with them.

For each: grouped-NAME.onnx, grouped-NAME.latents.npy and grouped-NAME.outputs.npy.

    pip install onnx onnxruntime numpy
    python3 models/import/tests/grouped_from_onnx.py models/import/tests/fixtures

The fixtures there were made with onnx 1.23.2, onnxruntime 1.32.0 and numpy 2.4.6.
"""

import os
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

OUT = sys.argv[1]
ROWS, LATENTS = 10, 3

# Maps, rows and columns that the convolutions take; each: operator, maps that come, kernel, groups, and
# the other attributes.
DECODERS = {
    # ConvNeXt's, with maps that do not fill a vector of eight.
    "depthwise": ((12, 7, 6), [("Conv", 12, 7, 12, {"pads": [3] * 4}), ("Conv", 3, 1, 1, {})]),
    # ResNeXt's: groups of a few maps.
    "several": ((12, 8, 6), [("Conv", 8, 3, 4, {"pads": [1] * 4}), ("Conv", 3, 1, 1, {})]),
    # Groups that are as large as whole convolutions are elsewhere.
    "large": ((24, 5, 4), [("Conv", 18, 3, 2, {"pads": [1] * 4}), ("ConvTranspose", 20, 4, 2, {"strides": [2, 2], "pads": [1] * 4}), ("Conv", 3, 1, 1, {})]),
    "transposed": (
        (12, 4, 3),
        [("ConvTranspose", 6, 4, 3, {"strides": [2, 2], "pads": [1] * 4, "output_padding": [1, 1]}), ("ConvTranspose", 6, 3, 6, {"pads": [1, 0, 1, 0]}), ("Conv", 3, 1, 1, {})],
    ),
    # Two maps of each, steps, holes, and other paddings at each edge.
    "strided": ((5, 13, 12), [("Conv", 10, 3, 5, {"strides": [2, 2], "dilations": [2, 2], "pads": [2, 1, 0, 2]}), ("Conv", 3, 1, 1, {})]),
}


def export(name, maps, convolutions):
    rng = np.random.default_rng(len(name))
    nodes, constants = [], []

    def constant(name, values):
        constants.append(numpy_helper.from_array(values, name))
        return name

    def weight(name, *shape, terms):
        return constant(name, (rng.standard_normal(shape) * (2 / terms) ** 0.5).astype(np.float32))

    size = int(np.prod(maps))
    nodes.append(helper.make_node("Gemm", ["z", weight("fc.w", size, LATENTS, terms=LATENTS), weight("fc.b", size, terms=8)], ["flat"], transB=1))
    nodes.append(helper.make_node("Reshape", ["flat", constant("sides", np.array([1, *maps], np.int64))], ["maps"]))
    value, inputs = "maps", maps[0]
    for i, (op, outputs, kernel, groups, more) in enumerate(convolutions):
        shape = (inputs, outputs // groups) if op == "ConvTranspose" else (outputs, inputs // groups)
        w = weight(f"c{i}.w", *shape, kernel, kernel, terms=inputs // groups * kernel**2)
        nodes.append(helper.make_node(op, [value, w, weight(f"c{i}.b", outputs, terms=8)], [f"c{i}"], group=groups, kernel_shape=[kernel] * 2, **more))
        last = i + 1 == len(convolutions)
        nodes.append(helper.make_node("Sigmoid" if last else "Relu", [f"c{i}"], ["x" if last else f"r{i}"]))
        value, inputs = f"r{i}", outputs
    graph = helper.make_graph(
        nodes,
        "decoder",
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, [1, LATENTS])],
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, inputs, None, None])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model)
    path = os.path.join(OUT, f"grouped-{name}.onnx")
    onnx.save(model, path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    z = rng.standard_normal((ROWS, LATENTS)).astype(np.float32)
    outputs = np.concatenate([session.run(None, {"z": row[None]})[0] for row in z])
    np.save(os.path.join(OUT, f"grouped-{name}.latents.npy"), z)
    np.save(os.path.join(OUT, f"grouped-{name}.outputs.npy"), outputs)
    weights = [numpy_helper.to_array(c).size for c in constants if c.name != "sides"]
    print(name, outputs.shape, "weights", sum(weights), "bytes", os.path.getsize(path), "spread", outputs.std())


for name, (maps, convolutions) in DECODERS.items():
    export(name, maps, convolutions)
