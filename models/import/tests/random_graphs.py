"""Draws random ONNX graphs over the operators that are read, with what ONNX Runtime makes of them.

    pip install numpy onnx onnxruntime
    python3 models/import/tests/random_graphs.py COUNT SEED > graphs.bin

For each graph: the number of its bytes, of its inputs and of its outputs (uint32, little
endian), the graph, the inputs and the outputs (float32). A graph is drawn again, and counted,
if its outputs in float32 and in float64 (onnx's own reference evaluation) differ by more than
2e-6 of max(1, |value|), if a value that is compared lies near the one it is compared with, or
if ONNX Runtime cannot run it.

The fixture was made with onnx 1.23.2, onnxruntime 1.32.0 and numpy 2.4.6: 40 graphs, seed 1.
"""

import struct
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

MOST = 400  # Values of one array.


class Draw:
    def __init__(self, rng):
        self.rng, self.nodes, self.constants, self.pool = rng, [], [], []
        self.ties = []  # Pairs of values that are compared.
        self.widest = []  # Values whose largest is looked for, with the axis.
        self.count = 0

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def number(self, *shape, scale=1.0):
        return self.constant((self.rng.standard_normal(shape) * scale).astype(np.float32))

    def constant(self, array):
        name = self.name()
        self.constants.append((name, np.asarray(array)))
        return name

    def ints(self, values):
        return self.constant(np.array(values, np.int64))

    def node(self, op, inputs, outputs=1, **attributes):
        names = [self.name() for _ in range(outputs)]
        self.nodes.append((op, inputs, names, attributes))
        return names[0] if outputs == 1 else names

    def any(self, rank=None):
        fits = [(n, s) for n, s in self.pool if rank is None or len(s) == rank]
        return fits[self.rng.integers(len(fits))] if fits else None

    def maps(self):
        """Maps of a batch of one, made of any value if there are none."""
        fits = [(n, s) for n, s in self.pool if len(s) == 4 and s[0] == 1]
        if fits and self.rng.random() < 0.8:
            return fits[self.rng.integers(len(fits))]
        x, shape = self.any()
        size = int(np.prod(shape))
        c, h, w = int(self.rng.choice([2, 4, 6])), int(self.rng.integers(2, 6)), int(self.rng.integers(2, 6))
        flat = self.node("Reshape", [x, self.ints([1, -1])])
        weight = self.number(size, c * h * w, scale=1 / np.sqrt(size))
        made = self.node("MatMul", [flat, weight])
        return self.node("Reshape", [made, self.ints([1, c, h, w])]), (1, c, h, w)

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def axis(self, shape):
        axis = int(self.rng.integers(len(shape)))
        return axis, axis - len(shape) if self.rng.random() < 0.5 else axis

    def safe(self, x):
        """Between -1 and 1, and smooth."""
        return self.node("Tanh", [x])

    def positive(self, x):
        return self.node("Add", [self.node("Abs", [self.safe(x)]), self.constant(np.float32(0.5))])


def elementwise(d):
    x, s = d.any()
    op = d.pick("Relu", "Sigmoid", "Tanh", "Softplus", "LeakyRelu", "Elu", "Abs", "Cos", "Erf", "Exp", "Gelu", "HardSigmoid",
                "HardSwish", "Log", "Neg", "Reciprocal", "Sin", "Sqrt", "Mish", "Softsign", "Selu", "Celu", "Clip", "PRelu",
                "Pow", "Silu", "GeluTanh", "Relu6", "Sum", "Mean", "Identity")
    if op == "Exp":
        x = d.safe(x)
    if op in ("Log", "Sqrt", "Reciprocal", "Pow"):
        x = d.positive(x)
    if op == "LeakyRelu":
        return d.node(op, [x], alpha=0.2), s
    if op == "Elu" or op == "Celu":
        return d.node(op, [x], alpha=0.7), s
    if op == "GeluTanh":
        return d.node("Gelu", [x], approximate="tanh"), s
    if op == "Clip":
        return d.node(op, [x, d.constant(np.float32(-0.4)), d.constant(np.float32(0.7))]), s
    if op == "Relu6":
        return d.node("Clip", [x, d.constant(np.float32(0)), d.constant(np.float32(6))]), s
    if op == "PRelu":
        return d.node(op, [x, d.number(*s[-1:], scale=0.3)]), s
    if op == "Pow":
        return d.node(op, [x, d.constant(np.float32(d.pick(0.5, 2, 3, -1.5)))]), s
    if op == "Silu":
        return d.node("Mul", [x, d.node("Sigmoid", [x])]), s
    if op in ("Sum", "Mean"):
        return d.node(op, [x, d.number(*s), d.number(*s)]), s
    return d.node(op, [x]), s


def pairs(d):
    a, s = d.any()
    same = [n for n, t in d.pool if t == s]
    other = d.pick(*same) if d.rng.random() < 0.5 else None
    op = d.pick("Add", "Sub", "Mul", "Div", "Max", "Min")
    if other is None:
        t = tuple(n if d.rng.random() < 0.6 else 1 for n in s)[int(d.rng.integers(len(s))):]
        other = d.number(*t)
    if op == "Mul":
        a = d.safe(a)
    if op == "Div":
        other = d.positive(other)
    if d.rng.random() < 0.2 and op != "Div":
        a, other = other, a
    return d.node(op, [a, other]), s


def chosen(d):
    a, s = d.any()
    b = d.number(*s)
    op = d.pick("Greater", "Less", "GreaterOrEqual", "LessOrEqual")
    d.ties.append((a, b))
    condition = d.node(op, [a, b])
    if d.rng.random() < 0.3:
        condition = d.node("Not", [condition])
    if d.rng.random() < 0.3:
        c = d.number(*s)
        d.ties.append((a, c))
        condition = d.node(d.pick("And", "Or", "Xor"), [condition, d.node("Less", [a, c])])
    if d.rng.random() < 0.3:
        return d.node("Cast", [condition], to=TensorProto.FLOAT), s
    return d.node("Where", [condition, a, d.node("Neg", [a])]), s


def largest(d):
    x, s = d.any()
    axis, written = d.axis(s)
    d.widest.append((x, axis))
    place = d.node("ArgMax", [x], axis=written, keepdims=1)
    t = s[:axis] + (1,) + s[axis + 1:]
    return d.node("Cast", [place], to=TensorProto.FLOAT), t


def norms(d):
    op = d.pick("Softmax", "LogSoftmax", "LayerNormalization", "InstanceNormalization", "GroupNormalization", "BatchNormalization", "LpNormalization")
    if op in ("Softmax", "LogSoftmax", "LpNormalization"):
        x, s = d.any()
        axis, written = d.axis(s)
        if op == "LpNormalization":
            x = d.positive(x)
        return d.node(op, [x], axis=written), s
    if op == "LayerNormalization":
        x, s = d.any()
        axis, written = d.axis(s)
        return d.node(op, [x, d.number(*s[axis:]), d.number(*s[axis:])], axis=written, epsilon=0.1), s
    x, s = d.maps()
    c = s[1]
    if op == "InstanceNormalization":
        return d.node(op, [x, d.number(c), d.number(c)], epsilon=0.1), s
    if op == "GroupNormalization":
        return d.node(op, [x, d.number(c), d.number(c)], num_groups=2, epsilon=0.1), s
    var = d.constant(d.rng.uniform(0.5, 2, c).astype(np.float32))
    return d.node(op, [x, d.number(c), d.number(c), d.number(c), var], epsilon=1e-3), s


def sums(d):
    x, s = d.any()
    op = d.pick("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp")
    axes = sorted({d.axis(s)[0] for _ in range(2)})
    keep = int(d.rng.integers(2))
    if op in ("ReduceProd", "ReduceL2"):
        x = d.positive(x)
    t = tuple(1 if i in axes else n for i, n in enumerate(s) if keep or i not in axes)
    made = d.node(op, [x, d.ints(axes)], keepdims=keep)
    return (made, t) if t else (d.node("Reshape", [made, d.ints([1])]), (1,))


def shapes(d):
    x, s = d.any()
    op = d.pick("Reshape", "Transpose", "Flatten", "Unsqueeze", "Squeeze", "Expand", "Tile", "Pad", "Slice", "Gather", "Split", "Concat", "ScatterND", "GatherND", "Trilu")
    axis, written = d.axis(s)
    if op == "Reshape":
        n = int(np.prod(s))
        k = d.pick(*[k for k in range(1, n + 1) if n % k == 0])
        return d.node(op, [x, d.ints([k, -1])]), (k, n // k)
    if op == "Transpose":
        order = d.rng.permutation(len(s))
        return d.node(op, [x], perm=[int(i) for i in order]), tuple(s[i] for i in order)
    if op == "Flatten":
        return d.node(op, [x], axis=axis), (int(np.prod(s[:axis])), int(np.prod(s[axis:])))
    if op == "Unsqueeze" and len(s) < 4:
        return d.node(op, [x, d.ints([axis])]), s[:axis] + (1,) + s[axis:]
    if op == "Squeeze" and len(s) > 1 and 1 in s:
        one = s.index(1)
        return d.node(op, [x, d.ints([one])]), s[:one] + s[one + 1:]
    if op == "Expand" and 1 in s:
        t = tuple(int(d.rng.integers(1, 4)) if n == 1 else n for n in s)
        return d.node(op, [x, d.ints(t)]), t
    if op == "Tile":
        times = [int(d.rng.integers(1, 3)) for _ in s]
        return d.node(op, [x, d.ints(times)]), tuple(a * b for a, b in zip(s, times))
    if op == "Pad":
        mode = d.pick("constant", "edge", "reflect")
        most = [min(2, n - 1) if mode == "reflect" else 2 for n in s]
        a, b = ([int(d.rng.integers(m + 1)) for m in most] for _ in range(2))
        more = [d.constant(np.float32(0.3))] if mode == "constant" else []
        return d.node(op, [x, d.ints(a + b), *more], mode=mode), tuple(n + i + j for n, i, j in zip(s, a, b))
    n = s[axis]
    if op == "Slice":
        step = d.pick(1, 1, 2, -1, -2)
        start, end = (0, n) if step > 0 else (n - 1, -n - 1)
        if n > 2 and step > 0:
            start = 1
        t = len(range(*slice(start, None if end == -n - 1 else end, step).indices(n)))
        made = d.node(op, [x, d.ints([start]), d.ints([end]), d.ints([written]), d.ints([step])])
        return made, s[:axis] + (t,) + s[axis + 1:]
    if op == "Gather":
        where = d.rng.integers(-n, n, 3)
        return d.node(op, [x, d.ints(where)], axis=written), s[:axis] + (3,) + s[axis + 1:]
    if op == "Split" and n > 1:
        k = int(d.rng.integers(1, n))
        a, b = d.node(op, [x, d.ints([k, n - k])], 2, axis=written)
        d.pool.append((a, s[:axis] + (k,) + s[axis + 1:]))
        return b, s[:axis] + (n - k,) + s[axis + 1:]
    if op == "Concat":
        return d.node(op, [x, d.number(*s), x], axis=written), s[:axis] + (3 * n,) + s[axis + 1:]
    if op == "ScatterND":
        k = min(2, s[0])
        where = d.rng.permutation(s[0])[:k][:, None]
        return d.node(op, [x, d.ints(where), d.number(k, *s[1:])]), s
    if op == "GatherND" and len(s) > 1:
        where = np.stack([d.rng.integers(0, s[0], 4), d.rng.integers(0, s[1], 4)], 1)
        return d.node(op, [x, d.ints(where)]), (4,) + s[2:]
    if op == "Trilu" and len(s) > 1:
        return d.node(op, [x, d.constant(np.int64(d.pick(-1, 0, 1)))], upper=d.pick(0, 1)), s
    return d.node("Identity", [x]), s


def products(d):
    op = d.pick("MatMul", "Gemm", "Einsum", "both", "vector")
    x, s = d.any()
    k = s[-1]
    if op == "vector":
        return d.node("MatMul", [x, d.number(k, scale=k**-0.5)]), s[:-1] or (1,)
    if op == "Gemm" and len(s) == 2:
        weight = d.number(3, k, scale=k**-0.5)
        return d.node(op, [x, weight, d.number(3)], transB=1, alpha=0.5, beta=2.0), (s[0], 3)
    if op == "Einsum" and len(s) == 3:
        return d.node(op, [d.safe(x), d.number(s[0], s[2], 2, scale=k**-0.5)], equation="bik,bkj->jbi"), (2, s[0], s[1])
    if op == "both" and len(s) > 1:
        x = d.safe(x)
        order = list(range(len(s) - 2)) + [len(s) - 1, len(s) - 2]
        turned = d.node("Transpose", [x], perm=order)
        made = d.node("MatMul", [x, turned])
        return d.node("Mul", [made, d.constant(np.float32(k**-0.5))]), s[:-1] + (s[-2],)
    return d.node("MatMul", [x, d.number(k, 4, scale=k**-0.5)]), s[:-1] + (4,)


def windows(d):
    x, s = d.maps()
    op = d.pick("Conv", "Conv", "ConvTranspose", "ConvTranspose", "MaxPool", "AveragePool", "GlobalAveragePool", "Resize", "Resize", "Resize", "DepthToSpace", "SpaceToDepth")
    _, c, h, w = s
    kernel = [int(d.rng.integers(1, min(4, n + 1))) for n in (h, w)]
    strides = [int(d.rng.integers(1, 4)) for _ in range(2)]
    pads = [int(d.rng.integers(0, k)) for k in kernel] + [int(d.rng.integers(0, k)) for k in kernel]
    groups = d.pick(1, 1, 2, c)
    size = [(n + a + b - k) // t + 1 for n, a, b, k, t in zip((h, w), pads[:2], pads[2:], kernel, strides)]
    if op == "Conv":
        out = groups * int(d.rng.integers(1, 3))
        dilations = [1 if k > 1 and (k - 1) * 2 + 1 > n else d.pick(1, 2) for k, n in zip(kernel, (h, w))]
        size = [(n + a + b - (k - 1) * e - 1) // t + 1 for n, a, b, k, t, e in zip((h, w), pads[:2], pads[2:], kernel, strides, dilations)]
        weight = d.number(out, c // groups, *kernel, scale=(c * kernel[0] * kernel[1] / groups) ** -0.5)
        return d.node(op, [x, weight, d.number(out)], strides=strides, pads=pads, group=groups, dilations=dilations), (1, out, *size)
    if op == "ConvTranspose":
        each = int(d.rng.integers(1, 3))
        extra = [int(d.rng.integers(0, t)) for t in strides]
        size = [(n - 1) * t + k + e - a - b for n, t, k, e, a, b in zip((h, w), strides, kernel, extra, pads[:2], pads[2:])]
        weight = d.number(c, each, *kernel, scale=(c * kernel[0] * kernel[1] / groups) ** -0.5)
        return d.node(op, [x, weight], strides=strides, pads=pads, group=groups, output_padding=extra), (1, each * groups, *size)
    if op in ("MaxPool", "AveragePool"):
        more = {"count_include_pad": d.pick(0, 1)} if op == "AveragePool" else {}
        return d.node(op, [x], kernel_shape=kernel, strides=strides, pads=pads, **more), (1, c, *size)
    if op == "GlobalAveragePool":
        return d.node(op, [x]), (1, c, 1, 1)
    if op == "Resize":
        mode = d.pick("nearest", "linear", "cubic")
        rows, columns = int(d.rng.integers(2, 9)), int(d.rng.integers(2, 9))
        transform = d.pick("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel")
        more = {"nearest_mode": d.pick("floor", "round_prefer_floor", "ceil", "round_prefer_ceil")} if mode == "nearest" else {}
        made = d.node(op, [x, "", "", d.ints([1, c, rows, columns])], mode=mode, coordinate_transformation_mode=transform, **more)
        return made, (1, c, rows, columns)
    if op == "DepthToSpace" and c % 4 == 0:
        return d.node(op, [x], blocksize=2, mode=d.pick("DCR", "CRD")), (1, c // 4, h * 2, w * 2)
    if op == "SpaceToDepth" and h % 2 == 0 and w % 2 == 0:
        return d.node(op, [x], blocksize=2), (1, c * 4, h // 2, w // 2)
    return d.node("Relu", [x]), s


def recurrent(d):
    x, s = d.any()
    n = int(np.prod(s))
    steps = d.pick(*[k for k in range(1, n + 1) if n % k == 0 and k <= 12])
    series = d.node("Reshape", [d.safe(x), d.ints([steps, 1, n // steps])])
    op, h = d.pick("LSTM", "GRU"), 3
    both = d.pick(1, 2)
    gates = 4 if op == "LSTM" else 3
    more = {"linear_before_reset": d.pick(0, 1)} if op == "GRU" else {}
    direction = "bidirectional" if both == 2 else d.pick("forward", "reverse")
    weights = [d.number(both, gates * h, n // steps, scale=0.5), d.number(both, gates * h, h, scale=0.5), d.number(both, 2 * gates * h, scale=0.3)]
    all_states, last = d.node(op, [series, *weights], 2, hidden_size=h, direction=direction, **more)
    d.pool.append((last, (both, 1, h)))
    return all_states, (steps, both, 1, h)


KINDS = [elementwise] * 4 + [pairs] * 3 + [chosen, largest] + [norms] * 2 + [sums] * 2 + [shapes] * 4 + [products] * 3 + [windows] * 4 + [recurrent]


def graph(rng):
    d = Draw(rng)
    width = int(rng.integers(2, 7))
    d.pool.append(("z", (1, width)))
    x = d.node("MatMul", ["z", d.number(width, 24, scale=width**-0.5)])
    d.pool.append((d.node("Reshape", [x, d.ints([2, 3, 4])]), (2, 3, 4)))
    for _ in range(int(rng.integers(3, 9))):
        name, shape = KINDS[rng.integers(len(KINDS))](d)
        shape = tuple(int(n) for n in shape)
        if 0 < np.prod(shape) <= MOST and min(shape) > 0 and len(shape) < 6:
            d.pool.append((name, shape))
    used = {i for _, inputs, _, _ in d.nodes for i in inputs}
    ends = [n for n, _ in d.pool if n not in used] or [d.pool[-1][0]]
    flat = [d.node("Reshape", [n, d.ints([1, -1])]) for n in ends]
    d.nodes.append(("Concat", flat, ["x"], {"axis": 1}))
    return d, width


def build(d, width, kind):
    wide = kind == TensorProto.DOUBLE
    nodes = []
    for op, inputs, outputs, attributes in d.nodes:
        if wide and attributes.get("to") == TensorProto.FLOAT:
            attributes = {**attributes, "to": TensorProto.DOUBLE}
        nodes.append(helper.make_node(op, inputs, outputs, **attributes))
    constants = [
        numpy_helper.from_array(array.astype(np.float64) if wide and array.dtype == np.float32 else array, name)
        for name, array in d.constants
    ]
    z = helper.make_tensor_value_info("z", kind, ["batch", width])
    x = helper.make_tensor_value_info("x", kind, None)
    made = helper.make_graph(nodes, "g", [z], [x], constants)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def looked_at(d, model, z):
    """The values that are compared, and those whose largest is looked for."""
    names = sorted({n for pair in d.ties for n in pair} | {n for n, _ in d.widest})
    constants = dict(d.constants)
    asked = [n for n in names if n not in constants and n != "z"]
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    for name in asked:
        probe.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    values = dict(zip(["x", *asked], session(probe).run(None, {"z": z})))
    return {**constants, **values, "z": z}


def session(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def near_a_tie(d, model, z):
    if not d.ties and not d.widest:
        return False
    values = looked_at(d, model, z)
    if any(np.min(np.abs(values[a] - values[b])) < 1e-3 for a, b in d.ties):
        return True
    for name, axis in d.widest:
        ordered = np.sort(values[name], axis)
        if ordered.shape[axis] > 1:
            top = np.take(ordered, [-1, -2], axis)
            if np.min(np.abs(np.diff(top, axis=axis))) < 1e-3:
                return True
    return False


def main(count, seed):
    rng = np.random.default_rng(seed)
    found, again = 0, {}
    out = sys.stdout.buffer
    operators = {}
    while found < count:
        d, width = graph(rng)
        z = rng.standard_normal((1, width)).astype(np.float32)
        why = None
        try:
            model = build(d, width, TensorProto.FLOAT)
            x = session(model).run(None, {"z": z})[0].ravel()
            if not np.all(np.isfinite(x)) or np.max(np.abs(x)) > 1e4:
                why = "values not finite, or large"
            elif near_a_tie(d, model, z):
                why = "near a tie"
            else:
                exact = ReferenceEvaluator(build(d, width, TensorProto.DOUBLE)).run(None, {"z": z.astype(np.float64)})[0].ravel()
                difference = np.max(np.abs(exact - x) / np.maximum(1, np.abs(exact)))
                if not difference <= 2e-6:
                    why = "float32 and float64 differ" if difference < 1e-3 else "the references disagree"
        except Exception as error:
            why = f"refused by a reference: {type(error).__name__}"
        if why:
            again[why] = again.get(why, 0) + 1
            continue
        found += 1
        for node in model.graph.node:
            operators[node.op_type] = operators.get(node.op_type, 0) + 1
        model = model.SerializeToString()
        out.write(struct.pack("<III", len(model), width, len(x)) + model + z.tobytes() + x.astype(np.float32).tobytes())
    print(f"{found} graphs; drawn again: {again}", file=sys.stderr)
    print(f"{len(operators)} operators: {dict(sorted(operators.items()))}", file=sys.stderr)


main(int(sys.argv[1]), int(sys.argv[2]))
