//! Functions of each value, or of pairs of values.

use decode::architecture::Activation;
use decode::architecture::graph::{Function, Operation, PairFunction};

use super::super::super::graph::Wire;
use super::super::constant::Constant;
use super::super::node::decimal;
use super::super::proto::DataType;
use super::nodes::{NodeLowering, WireResult};

impl NodeLowering<'_> {
    /// What the node gives if its operator is a function of each value; else `None`.
    pub(super) fn elementwise(&mut self) -> Option<WireResult> {
        let node = self.node;
        let float = |name: &str| decimal(node.float(name));
        let operator = node.operator();
        let activation = match operator {
            "Relu" => Some(Activation::Relu),
            "Sigmoid" => Some(Activation::Sigmoid),
            "Tanh" => Some(Activation::Tanh),
            "Softplus" => Some(Activation::Softplus),
            "LeakyRelu" => Some(Activation::LeakyRelu {
                slope: float("alpha"),
            }),
            "Elu" => Some(Activation::Elu {
                alpha: float("alpha"),
            }),
            _ => None,
        };
        if let Some(function) = activation {
            return Some(self.wire(0).and_then(|x| self.activation(function, &x)));
        }
        let function = match operator {
            "Abs" => Some(Function::Absolute),
            "Acos" => Some(Function::Acos),
            "Acosh" => Some(Function::Acosh),
            "Asin" => Some(Function::Asin),
            "Asinh" => Some(Function::Asinh),
            "Atan" => Some(Function::Atan),
            "Atanh" => Some(Function::Atanh),
            "Ceil" => Some(Function::Ceil),
            "Cos" => Some(Function::Cos),
            "Cosh" => Some(Function::Cosh),
            "Erf" => Some(Function::Erf),
            "Exp" => Some(Function::Exp),
            "Floor" => Some(Function::Floor),
            "Gelu" if node.text("approximate") == "tanh" => Some(Function::GeluTanh),
            "Gelu" => Some(Function::Gelu),
            "HardSigmoid" => Some(Function::HardSigmoid {
                alpha: float("alpha"),
                beta: float("beta"),
            }),
            "HardSwish" => Some(Function::HardSwish),
            "Log" => Some(Function::Log),
            "Neg" => Some(Function::Negate),
            "Not" => Some(Function::Not),
            "Reciprocal" => Some(Function::Reciprocal),
            "Round" => Some(Function::Round),
            "Sign" => Some(Function::Sign),
            "Sin" => Some(Function::Sin),
            "Sinh" => Some(Function::Sinh),
            "Sqrt" => Some(Function::Sqrt),
            "Tan" => Some(Function::Tan),
            _ => None,
        };
        if let Some(function) = function {
            return Some(self.wire(0).and_then(|x| self.map(function, &x)));
        }
        Some(match operator {
            "Add" | "Sum" => self.all_pairs(PairFunction::Add),
            "Mul" => self.product(),
            "Max" => self.all_pairs(PairFunction::Max),
            "Min" => self.all_pairs(PairFunction::Min),
            "Mean" => {
                let count = self.inputs.len();
                let share = 1.0 / count.max(1) as f32;
                self.all_pairs(PairFunction::Add)
                    .and_then(|sum| self.with_number(PairFunction::Multiply, &sum, share))
            }
            "Sub" => self.two(PairFunction::Subtract),
            "Div" => self.two(PairFunction::Divide),
            "Pow" => self.two(PairFunction::Power),
            "Equal" => self.two(PairFunction::Equal),
            "Greater" => self.two(PairFunction::Greater),
            "GreaterOrEqual" => self.two(PairFunction::GreaterOrEqual),
            "Less" => self.turned(PairFunction::Greater),
            "LessOrEqual" => self.turned(PairFunction::GreaterOrEqual),
            "And" => self.two(PairFunction::Multiply),
            "Or" => self.two(PairFunction::Max),
            "IsInf" => self.is_infinite(),
            // Nothing else is not itself.
            "IsNaN" => self.wire(0).and_then(|x| {
                let itself = self.pair(PairFunction::Equal, &x, &x)?;
                self.map(Function::Not, &itself)
            }),
            "OneHot" => self.one_hot(),
            "Xor" => self
                .two(PairFunction::Equal)
                .and_then(|same| self.map(Function::Not, &same)),
            "Where" => self.chosen(),
            "Clip" => self.clip(),
            "PRelu" => self.prelu(),
            // No operator of ONNX, but tf2onnx writes it for Keras' GELU.
            "Erfc" => self.wire(0).and_then(|x| {
                let x = self.map(Function::Erf, &x)?;
                let x = self.map(Function::Negate, &x)?;
                self.with_number(PairFunction::Add, &x, 1.0)
            }),
            "Mish" => self.wire(0).and_then(|x| {
                let soft = self.activation(Activation::Softplus, &x)?;
                let gate = self.activation(Activation::Tanh, &soft)?;
                self.pair(PairFunction::Multiply, &x, &gate)
            }),
            "Swish" => self.swish(),
            "Softsign" => self.wire(0).and_then(|x| {
                let size = self.map(Function::Absolute, &x)?;
                let size = self.with_number(PairFunction::Add, &size, 1.0)?;
                self.pair(PairFunction::Divide, &x, &size)
            }),
            "Selu" => {
                let (alpha, gamma) = (float("alpha"), node.float("gamma"));
                self.wire(0).and_then(|x| {
                    let x = self.activation(Activation::Elu { alpha }, &x)?;
                    self.with_number(PairFunction::Multiply, &x, gamma)
                })
            }
            "Celu" => {
                let alpha = node.float("alpha");
                // α·elu(x / α) with slope 1 above zero.
                self.wire(0).and_then(|x| {
                    let x = self.with_number(PairFunction::Divide, &x, alpha)?;
                    let x = self.activation(Activation::Elu { alpha: 1.0 }, &x)?;
                    self.with_number(PairFunction::Multiply, &x, alpha)
                })
            }
            "ThresholdedRelu" => {
                let alpha = node.float("alpha");
                self.wire(0).and_then(|x| {
                    let above = self.with_number(PairFunction::Greater, &x, alpha)?;
                    self.pair(PairFunction::Multiply, &x, &above)
                })
            }
            _ => return None,
        })
    }

    /// Sigmoid(alpha · x) · x.
    fn swish(&mut self) -> WireResult {
        let alpha = self.node.float("alpha");
        let x = self.wire(0)?;
        let steeper = self.with_number(PairFunction::Multiply, &x, alpha)?;
        let gate = self.activation(Activation::Sigmoid, &steeper)?;
        self.pair(PairFunction::Multiply, &x, &gate)
    }

    fn is_infinite(&mut self) -> WireResult {
        let x = self.wire(0)?;
        let signs = ["detect_positive", "detect_negative"].map(|name| self.node.int(name) != 0);
        let size = match signs {
            [true, true] => self.map(Function::Absolute, &x)?,
            [true, false] => x,
            [false, true] => self.map(Function::Negate, &x)?,
            [false, false] => return self.with_number(PairFunction::Multiply, &x, 0.0),
        };
        self.with_number(PairFunction::Greater, &size, f32::MAX)
    }

    /// One value at the place that an index says along a new axis, another at all others.
    fn one_hot(&mut self) -> WireResult {
        let indices = self.wire(0)?;
        let rank = indices.shape.len() + 1;
        let axis = self.node.axis(self.node.int("axis"), rank)?;
        let depth = self.constant(1).and_then(|c| c.floats().first().copied());
        let values = self.constant(2).map(Constant::floats);
        let (Some(depth), Some(&[off, on])) = (depth, values.as_deref()) else {
            return Err(self
                .node
                .error("its depth and its two values must be constant"));
        };
        let mut shape = indices.shape.clone();
        shape.insert(axis, 1);
        let indices = self.reshape_to(&indices, shape)?;
        // An index below 0 counts from the end.
        let below = self.with_number(PairFunction::Greater, &indices, -0.5)?;
        let below = self.map(Function::Not, &below)?;
        let turn = self.with_number(PairFunction::Multiply, &below, depth)?;
        let indices = self.pair(PairFunction::Add, &indices, &turn)?;
        let mut places = vec![1; rank];
        let depth = depth.clamp(0.0, 1e6) as usize;
        places[axis] = depth;
        let each: Vec<f32> = (0..depth).map(|i| i as f32).collect();
        let each = self.builder.constant("places", &places, &each);
        let each = each.map_err(|problem| self.node.error(problem))?;
        let is = self.pair(PairFunction::Equal, &indices, &each)?;
        let scaled = self.with_number(PairFunction::Multiply, &is, on - off)?;
        self.with_number(PairFunction::Add, &scaled, off)
    }

    fn two(&mut self, function: PairFunction) -> WireResult {
        let (a, b) = (self.wire(0)?, self.wire(1)?);
        self.pair(function, &a, &b)
    }

    fn turned(&mut self, function: PairFunction) -> WireResult {
        let (a, b) = (self.wire(0)?, self.wire(1)?);
        self.pair(function, &b, &a)
    }

    fn all_pairs(&mut self, function: PairFunction) -> WireResult {
        let mut all = self.wire(0)?;
        for nth in 1..self.inputs.len() {
            let next = self.wire(nth)?;
            all = self.pair(function, &all, &next)?;
        }
        Ok(all)
    }

    /// A product; x · sigmoid(x) is a function of its own.
    fn product(&mut self) -> WireResult {
        let (a, b) = (self.wire(0)?, self.wire(1)?);
        let gates = |gate: &Wire, x: &Wire| {
            self.builder.maker(gate).is_some_and(|node| {
                let sigmoid = Operation::Activation {
                    function: Activation::Sigmoid,
                };
                node.operation == sigmoid && node.of == [x.name.clone()]
            })
        };
        if gates(&b, &a) {
            return self.map(Function::Silu, &a);
        }
        if gates(&a, &b) {
            return self.map(Function::Silu, &b);
        }
        self.pair(PairFunction::Multiply, &a, &b)
    }

    fn chosen(&mut self) -> WireResult {
        let (condition, a, b) = (self.wire(0)?, self.wire(1)?, self.wire(2)?);
        self.add(Operation::Where, &[&condition, &a, &b])
    }

    fn clip(&mut self) -> WireResult {
        let end = |at: &Self, nth: usize, name: &str| match at.constant(nth) {
            Some(constant) => Ok(constant.floats().first().map(|&v| decimal(v))),
            None if at.has(nth) => Err(at.node.error(format!(
                "its {name} depends on the latent vector; only fixed ends are read"
            ))),
            None => Ok(at.node.given(name).and_then(|a| a.f).map(decimal)),
        };
        let (min, max) = (end(self, 1, "min")?, end(self, 2, "max")?);
        let within = |v: &f64| v.abs() < f64::from(f32::MAX);
        let (min, max) = (min.filter(within), max.filter(within));
        let x = self.wire(0)?;
        match (min, max) {
            (None, None) => Ok(x),
            (min, max) => self.map(Function::Clip { min, max }, &x),
        }
    }

    /// max(x, 0) − slope · max(−x, 0).
    fn prelu(&mut self) -> WireResult {
        let (x, slope) = (self.wire(0)?, self.wire(1)?);
        let above = self.activation(Activation::Relu, &x)?;
        let turned = self.map(Function::Negate, &x)?;
        let below = self.activation(Activation::Relu, &turned)?;
        let below = self.pair(PairFunction::Multiply, &below, &slope)?;
        self.pair(PairFunction::Subtract, &above, &below)
    }

    pub(super) fn cast(&mut self) -> WireResult {
        let x = self.wire(0)?;
        match i32::try_from(self.node.int("to")).map(DataType::try_from) {
            Ok(Ok(kind)) if kind.is_float() => Ok(x),
            Ok(Ok(DataType::Int32 | DataType::Int64)) => self.map(Function::Truncate, &x),
            Ok(Ok(DataType::Bool)) => {
                let none = self.map(Function::Not, &x)?;
                self.map(Function::Not, &none)
            }
            _ => Err(self
                .node
                .error("only casts to floats, int32, int64 and bool are read; export in float32")),
        }
    }
}
