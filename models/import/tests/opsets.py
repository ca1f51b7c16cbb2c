"""Every operator that is read, in every version of it, with what ONNX Runtime makes of it.

    pip install numpy onnx onnxruntime
    python3 models/import/tests/opsets.py models/import/tests/fixtures/opsets.bin

A model for each version that onnx.defs knows of an operator, also where only types of values
changed. The file is as that of `random_graphs.py`: for each model the number of its bytes, of its
inputs and of its outputs (uint32, little endian), the model, the inputs and the outputs (float32).
What ONNX Runtime does not run in a version is named on stderr.

The fixture was made with onnx 1.23.2, onnxruntime 1.32.0 and numpy 2.4.6.
"""

import struct
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, defs, helper, numpy_helper

f, i = np.float32, np.int64
rng = np.random.default_rng(3)


def number(*shape):
    return rng.standard_normal(shape).astype(f)


def ints(*values):
    return np.array(values, i)


Z, MAPS, UP = (1, 12), (1, 2, 2, 3), (1, 1, 2, 3)


def case(op, *constants, shape=(1, 3, 4), since=1, until=99, z=0, outputs=1, take=0, before=None, cast=False, **attributes):
    """A node that takes z, brought to a shape, at place `z` among constants; None is an input left out."""
    return dict(op=op, constants=constants, shape=shape, since=since, until=until, z=z, outputs=outputs, take=take,
                before=before, cast=cast, attributes=attributes)


SMOOTH, POSITIVE, LARGE, TRUTH = "Tanh", "Abs", "Exp", "Greater"
CASES = []
for op in "Abs Atan Ceil Cos Erf Exp Floor HardSigmoid HardSwish Identity LeakyRelu Mish Neg Relu Round Selu Sigmoid Sign Sin Sinh Cosh Asinh Softplus Softsign Swish Tan Tanh ThresholdedRelu Elu Celu Gelu Softmax LogSoftmax GlobalAveragePool GlobalMaxPool ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare ReduceLogSumExp LpNormalization Transpose Flatten Squeeze".split():
    CASES.append(case(op, shape=MAPS))
for op in "Acos Asin Atanh".split():
    CASES.append(case(op, before=SMOOTH))
for op in "Log Sqrt Reciprocal Acosh ReduceLogSum".split():
    CASES.append(case(op, before="Above"))
for op in "Add Sub Mul Div Max Min Sum Mean PRelu".split():
    CASES.append(case(op, number(3, 4)) if op != "Max" else case(op, number(1, 3, 4)))
CASES.append(case("Pow", np.array(2, f)))
for op in "Equal Greater GreaterOrEqual Less LessOrEqual".split():
    since = 11 if op == "Equal" else 1
    CASES.append(case(op, np.array([[[0.25] * 4] * 3], f), since=since, cast=True))
CASES.append(case("Equal", ints(0), until=10, before="Whole", cast=True))
for op in "And Or Xor".split():
    CASES.append(case(op, np.array([[[True, False, True, False]] * 3]), before=TRUTH, cast=True))
CASES.append(case("Not", before=TRUTH, cast=True))
CASES.append(case("Where", number(1, 3, 4), number(1, 3, 4), before=TRUTH))
CASES += [
    case("IsNaN", before="None", cast=True), case("IsInf", before="Infinite", cast=True),
    case("IsInf", before="Infinite", cast=True, detect_negative=0),
    case("ArgMax", cast=True), case("ArgMin", cast=True), case("ArgMax", cast=True, axis=-1, keepdims=0),
    case("AveragePool", shape=MAPS, kernel_shape=[2, 2], pads=[1, 0, 1, 0]),
    case("AveragePool", shape=MAPS, kernel_shape=[2, 2], pads=[1, 0, 1, 0], count_include_pad=1),
    case("AveragePool", shape=MAPS, kernel_shape=[2, 2], auto_pad="SAME_LOWER"),
    case("MaxPool", shape=MAPS, kernel_shape=[2, 2], strides=[1, 2]),
    case("MaxPool", shape=MAPS, kernel_shape=[2, 2], auto_pad="SAME_UPPER"),
    case("BatchNormalization", number(2), number(2), number(2), np.abs(number(2)) + f(0.5), shape=MAPS),
    case("Cast", to=TensorProto.FLOAT), case("Cast", to=TensorProto.DOUBLE, cast=True), case("Cast", to=TensorProto.INT32, cast=True),
    case("Cast", to=TensorProto.BOOL, cast=True),
    case("Clip", until=10, min=-0.5, max=0.25), case("Clip", np.array(-0.5, f), np.array(0.25, f), since=11), case("Clip", until=10), case("Clip", None, np.array(0.25, f), since=11),
    case("Concat", number(1, 2, 4), axis=1), case("Concat", number(1, 3, 2), axis=-1, since=11),
    case("Conv", number(3, 2, 2, 2), number(3), shape=MAPS, auto_pad="SAME_LOWER"), case("Conv", number(4, 1, 2, 2), shape=MAPS, group=2, pads=[1, 0, 0, 1], dilations=[1, 2]),
    case("ConvTranspose", number(2, 3, 2, 2), number(3), shape=MAPS, strides=[2, 2], auto_pad="SAME_UPPER"),
    case("ConvTranspose", number(2, 3, 3, 3), number(3), shape=MAPS, strides=[2, 2], auto_pad="SAME_LOWER"),
    case("ConvTranspose", number(2, 1, 2, 2), shape=MAPS, strides=[2, 2], group=2, output_padding=[1, 1]),
    case("ConvTranspose", number(2, 1, 3, 3), shape=MAPS, strides=[2, 2], output_shape=[4, 6]),
    case("CumSum", np.array(1, np.int32)), case("CumSum", np.array(-1, i), exclusive=1, reverse=1),
    case("DepthToSpace", shape=(1, 4, 1, 3), blocksize=2), case("DepthToSpace", shape=(1, 4, 1, 3), blocksize=2, mode="CRD", since=11),
    case("SpaceToDepth", shape=(1, 1, 2, 6), blocksize=2),
    case("Dropout", until=11, ratio=0.3), case("Dropout", np.array(0.3, f), since=12), case("Dropout", np.array(0.3, f), np.array(False), since=12),
    case("Einsum", number(4, 2), equation="bij,jk->bki"),
    case("Expand", ints(2, 3, 4)), case("Flatten", axis=2), case("Flatten", axis=-1, since=11),
    case("Gather", ints(2, 0), axis=1), case("Gather", ints(-1, 0), axis=-1, since=11),
    case("GatherElements", np.array([[[2, 0, 1, 1]]], i), axis=1), case("GatherND", np.array([[0, 1], [0, 2]], i)),
    case("GatherND", np.array([[1]], i), since=12, batch_dims=1),
    case("Gelu", approximate="tanh"), case("Gemm", number(4, 3), number(3), shape=(3, 4), alpha=0.5, beta=2.0), case("Gemm", number(3, 4), shape=(3, 4), transB=1, since=11),
    case("GroupNormalization", number(2), number(2), shape=(1, 4, 3), num_groups=2, until=20), case("GroupNormalization", number(4), number(4), shape=(1, 4, 3), num_groups=2, since=21),
    case("InstanceNormalization", number(2), number(2), shape=MAPS), case("LayerNormalization", number(4), number(4)), case("LayerNormalization", number(3, 4), axis=1),
    case("RMSNormalization", number(4)), case("LpNormalization", p=1, axis=1),
    case("LSTM", number(1, 8, 4), number(1, 8, 2), number(1, 16), shape=(3, 1, 4), hidden_size=2, outputs=3, take=0),
    case("LSTM", number(2, 8, 4), number(2, 8, 2), number(2, 16), shape=(3, 1, 4), hidden_size=2, outputs=3, take=1, direction="bidirectional"),
    case("LSTM", number(2, 8, 4), number(2, 8, 2), number(2, 16), shape=(3, 1, 4), hidden_size=2, outputs=3, take=2, direction="bidirectional"),
    case("GRU", number(1, 6, 4), number(1, 6, 2), number(1, 12), shape=(3, 1, 4), hidden_size=2, outputs=2), case("GRU", number(1, 6, 4), number(1, 6, 2), number(1, 12), shape=(3, 1, 4), hidden_size=2, outputs=2, take=1, linear_before_reset=1, direction="reverse"),
    case("MatMul", number(4, 2)), case("Max", number(1, 3, 4), number(1, 3, 4)), case("Min", number(4), number(3, 1), since=8), case("Mean", number(4), since=8),
    case("OneHot", ints(5), np.array([0.5, 2.0], f), before="Whole"), case("OneHot", ints(5), np.array([-1.0, 1.0], f), before="Whole", axis=1),
    case("Pad", until=10, pads=[0, 1, 0, 0, 0, 2], value=0.5), case("Pad", ints(0, 1, 0, 0, 0, 2), np.array(0.5, f), since=11), case("Pad", ints(0, 1, 0, 0, 1, 2), since=11, mode="reflect"),
    case("Pad", ints(1, 2), None, ints(2), since=18, mode="edge"), case("Pad", ints(1, 2), None, ints(2), since=19, mode="wrap"), case("Pad", ints(0, 0, -1, 0, 0, 1), since=11),
    case("PRelu", number(4)), case("PRelu", number(3, 1)),
    case("Reshape", ints(0, -1, 2)), case("Reshape", ints(1, 12), since=14, allowzero=1),
    case("Resize", np.array([1, 1, 2, 1], f), shape=UP, since=10, until=10), case("Resize", np.array([1, 1, 2, 1.5], f), shape=UP, since=10, until=10, mode="linear"), case("Resize", np.array([1, 1, 2, 0.5], f), shape=(1, 1, 2, 6), since=10, until=10),
    case("Resize", np.array([1, 1, 1, 0.6], f), shape=(1, 1, 2, 6), since=10, until=10, mode="linear"),
    case("Resize", np.array([], f), np.array([1, 1, 2, 1.5], f), shape=UP, since=11), case("Resize", np.array([], f), np.array([1, 1, 2, 1.5], f), shape=UP, since=11, mode="linear"),
    case("Resize", np.array([], f), np.array([1, 1, 2, 1.5], f), shape=UP, since=11, mode="cubic"), case("Resize", np.array([], f), np.array([1, 1, 2, 1.5], f), shape=UP, since=11, mode="linear", coordinate_transformation_mode="asymmetric"),
    case("Resize", np.array([], f), np.array([1, 1, 2, 0.5], f), shape=(1, 1, 2, 6), since=11, mode="nearest", nearest_mode="ceil", coordinate_transformation_mode="asymmetric"),
    case("Resize", np.array([], f), np.array([], f), ints(1, 1, 5, 7), shape=UP, since=11, mode="linear", coordinate_transformation_mode="align_corners"), case("Resize", None, None, ints(5, 7), shape=UP, since=18, mode="linear", coordinate_transformation_mode="pytorch_half_pixel", axes=[2, 3]),
    case("Resize", None, np.array([2.6, 1.7], f), shape=UP, since=19, mode="linear", coordinate_transformation_mode="half_pixel_symmetric", axes=[2, 3]),
    case("ScatterElements", np.array([[[2, 0, 1, 1]]], i), number(1, 1, 4), axis=1), case("ScatterND", np.array([[0, 1], [0, 2]], i), number(2, 4)),
    case("Shape", cast=True), case("Shape", cast=True, since=15, start=1, end=-1), case("Size", cast=True),
    case("Slice", until=9, starts=[1, 0], ends=[3, -1], axes=[1, 2]), case("Slice", until=9, starts=[0, 1], ends=[1, 2]), case("Slice", ints(1, -1), ints(3, -4), ints(1, 2), ints(1, -2), since=10), case("Slice", ints(1, 0), ints(3, 99), ints(-1, 1), since=11),
    case("Softmax", axis=0), case("Softmax", axis=1), case("Softmax", axis=-1, since=11), case("LogSoftmax", axis=0), case("LogSoftmax", axis=-1, since=11),
    case("Split", shape=(1, 4, 3), axis=1, outputs=2, take=1), case("Split", axis=2, outputs=2, take=1, until=12, split=[1, 3]), case("Split", ints(1, 3), axis=-1, outputs=2, take=1, since=13, until=17), case("Split", shape=(1, 5, 2), axis=1, outputs=2, take=1, since=18, num_outputs=2), case("Split", ints(1, 3), axis=-1, outputs=2, take=1, since=18),
    case("Squeeze", until=12, axes=[0]), case("Squeeze", ints(0), since=13), case("Unsqueeze", until=12, axes=[0, 4]), case("Unsqueeze", ints(0, -1), since=13),
    case("Swish", alpha=0.5), case("Tile", ints(1, 2, 3)),
    case("TopK", until=9, k=2, outputs=2), case("TopK", ints(2), since=10, outputs=2), case("TopK", ints(2), since=10, outputs=2, take=1, cast=True), case("TopK", ints(2), since=11, outputs=2, largest=0, axis=1),
    case("Transpose", perm=[2, 0, 1]), case("Trilu"), case("Trilu", np.array(-1, i), upper=0),
    case("Upsample", until=8, shape=UP, scales=[1.0, 1.0, 2.0, 3.0]), case("Upsample", until=8, shape=UP, scales=[1.0, 1.0, 2.0, 3.0], mode="linear"), case("Upsample", np.array([1, 1, 2, 3], f), since=9, until=9, shape=UP), case("Upsample", np.array([1, 1, 2, 3], f), since=9, until=9, shape=UP, mode="linear"),
    case("Attention", number(1, 5, 6), number(1, 5, 4), shape=(1, 2, 6), q_num_heads=2, kv_num_heads=2), case("Attention", number(1, 1, 5, 3), number(1, 1, 5, 2), shape=(1, 2, 2, 3), scale=0.7),
    case("Attention", number(1, 1, 4, 3), number(1, 1, 4, 2), shape=(1, 1, 4, 3), is_causal=1), case("Attention", number(1, 1, 5, 3), number(1, 1, 5, 2), np.array([[True, False, True, True, False]] * 4), shape=(1, 1, 4, 3)),
    case("Attention", number(1, 1, 5, 3), number(1, 1, 5, 2), number(4, 5), shape=(1, 1, 4, 3), softcap=0.5), case("Attention", number(1, 1, 5, 3), number(1, 1, 5, 2), np.array([[True, False, True, True, False]] * 4), shape=(1, 1, 4, 3), softcap=0.5),
]
for op in "ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare ReduceLogSumExp".split():
    first = 13 if op == "ReduceSum" else 18
    CASES.append(case(op, until=first - 1, axes=[1], keepdims=0))
    CASES.append(case(op, ints(-1), since=first, keepdims=0))
    CASES.append(case(op, since=first, noop_with_empty_axes=1))
# What depends on no input: computed when a graph is read, then added to what flows.
FIXED = [
    dict(op="Range", inputs=[np.array(1, i), np.array(9, i), np.array(2, i)], add=(4,)),
    dict(op="Range", inputs=[np.array(0.5, f), np.array(2.5, f), np.array(0.5, f)], add=(4,)),
    dict(op="NonZero", inputs=[np.array([[1, 0, 1], [0, 2, 0]], i)], add=(2, 3)),
    dict(op="Mod", inputs=[ints(-3, 4, 5, -7), ints(2, 3, -4, 5)], add=(4,)),
    dict(op="ConstantOfShape", inputs=[ints(4)], add=(4,), value=numpy_helper.from_array(np.array([3], i))),
    dict(op="Constant", inputs=[], add=(4,), value=numpy_helper.from_array(number(4))),
    dict(op="Constant", inputs=[], add=(4,), since=12, value_floats=[1.0, 2.0, 3.0, 4.0]),
    dict(op="Constant", inputs=[], add=(1,), since=12, value_int=3),
]


def versions(op):
    """Every version of an operator that a file of opset 7 or newer can mean."""
    all_ = sorted(s.since_version for s in defs.get_all_schemas_with_history()
                  if s.name == op and s.domain == "" and not s.deprecated)
    if op == "GroupNormalization":
        all_ = [18, 21]
    return sorted({max(v, 7) for v in all_})


def model(nodes, weights, output, opset):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n", 12])],
                              [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(w, name) for name, w in weights])
    del graph.output[0].type.tensor_type.shape.dim[:]
    graph.output[0].type.tensor_type.ClearField("shape")
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def built(c, opset):
    size = int(np.prod(c["shape"]))
    nodes, weights = [], [("shape", ints(*c["shape"]))]
    x = "z"
    if size < 12:
        weights += [("m", number(12, size) / f(3))]
        nodes.append(helper.make_node("MatMul", [x, "m"], ["fewer"]))
        x = "fewer"
    elif size > 12:
        weights += [("m", number(12, size) / f(3))]
        nodes.append(helper.make_node("MatMul", [x, "m"], ["more"]))
        x = "more"
    nodes.append(helper.make_node("Reshape", [x, "shape"], ["x"]))
    x = "x"

    def add(op, inputs, name, **attributes):
        nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    if c["before"] == SMOOTH:
        x = add("Tanh", [x], "smooth")
    elif c["before"] == "Above":
        weights.append(("above", np.array([1.25], f)))
        x = add("Add", [add("Abs", [x], "size"), "above"], "positive")
    elif c["before"] == TRUTH:
        weights.append(("least", np.array([0.1], f)))
        x = add("Greater", [x, "least"], "truth")
    elif c["before"] == "Whole":
        x = add("Cast", [x], "whole", to=TensorProto.INT64)
    elif c["before"] == "None":
        x = add("Sqrt", [x], "none")
    elif c["before"] == "Infinite":
        weights.append(("large", np.array([3e38], f)))
        x = add("Mul", [x, "large"], "huge")
        weights.append(("large2", np.array([1e3], f)))
        x = add("Mul", [x, "large2"], "infinite")
    names = []
    for nth, constant in enumerate(c["constants"]):
        if constant is None:
            names.append("")
            continue
        names.append(f"c{nth}")
        weights.append((f"c{nth}", constant))
    outputs = [f"y{n}" for n in range(c["outputs"])]
    nodes.append(helper.make_node(c["op"], [x, *names], outputs, **c["attributes"]))
    y = outputs[c["take"]]
    if c["cast"]:
        y = add("Cast", [y], "cast", to=TensorProto.FLOAT)
    if c["op"] in ("Shape", "Size"):
        weights.append(("pick", ints(0)))
        y = add("Add", [add("Gather", ["z", "pick"], "one", axis=1), y], "both")
    # A decoder needs a layer, which most operators are not.
    y = add("LeakyRelu", [y], "end", alpha=0.5)
    return model(nodes, weights, y, opset)


def built_fixed(c, opset):
    attributes = {k: v for k, v in c.items() if k not in ("op", "inputs", "add", "since")}
    weights = [(f"c{n}", w) for n, w in enumerate(c["inputs"])]
    nodes = [helper.make_node(c["op"], [name for name, _ in weights], ["fixed"], **attributes),
             helper.make_node("Cast", ["fixed"], ["float"], to=TensorProto.FLOAT)]
    weights += [("shape", ints(*c["add"])), ("few", ints(*range(int(np.prod(c["add"])))))]
    nodes += [helper.make_node("Gather", ["z", "few"], ["some"], axis=1), helper.make_node("Reshape", ["some", "shape"], ["x"]),
              helper.make_node("Add", ["x", "float"], ["y"])]
    return model(nodes, weights, "y", opset)


def main():
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    written, missing = 0, []
    with open(sys.argv[1], "wb") as out:
        for c in CASES + FIXED:
            for opset in versions(c["op"]):
                if not c.get("since", 1) <= opset <= c.get("until", 99):
                    continue
                m = built(c, opset) if "constants" in c else built_fixed(c, opset)
                data = m.SerializeToString()
                z = number(*Z)
                try:
                    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
                    found = session.run(None, {"z": z})[0]
                except Exception as error:
                    missing.append(f"{c['op']} {opset} {c.get('attributes', '')}: {str(error)[:160]}")
                    continue
                found = np.asarray(found, f)
                out.write(struct.pack("<3I", len(data), z.size, found.size) + data + z.tobytes() + found.tobytes())
                written += 1
    print(f"{written} models; not run by ONNX Runtime:\n" + "\n".join(missing), file=sys.stderr)


main()
