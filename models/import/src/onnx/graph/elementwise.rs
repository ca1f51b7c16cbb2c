//! Functions of each value, or of pairs of values.

use decode::architecture::Activation;
use decode::architecture::graph::{Function, Operation, PairFunction};

use super::super::super::graph::Wire;
use super::super::node::decimal;
use super::super::proto::DataType;
use super::nodes::{At, Made};

impl At<'_> {
    /// What the node gives if its operator is a function of each value; else `None`.
    pub(super) fn elementwise(&mut self) -> Option<Made> {
        let node = self.node;
        let float = |name: &str, unless_set: f32| decimal(node.float(name, unless_set));
        let operator = node.0.op_type.as_str();
        let activation = match operator {
            "Relu" => Some(Activation::Relu),
            "Sigmoid" => Some(Activation::Sigmoid),
            "Tanh" => Some(Activation::Tanh),
            "Softplus" => Some(Activation::Softplus),
            "LeakyRelu" => Some(Activation::LeakyRelu {
                slope: float("alpha", 0.01),
            }),
            "Elu" => Some(Activation::Elu {
                alpha: float("alpha", 1.0),
            }),
            _ => None,
        };
        if let Some(function) = activation {
            return Some(self.wire(0).and_then(|x| self.activation(function, &x)));
        }
        let function = match operator {
            "Abs" => Some(Function::Absolute),
            "Ceil" => Some(Function::Ceil),
            "Cos" => Some(Function::Cos),
            "Erf" => Some(Function::Erf),
            "Exp" => Some(Function::Exp),
            "Floor" => Some(Function::Floor),
            "Gelu" if node.text("approximate", "none") == "tanh" => Some(Function::GeluTanh),
            "Gelu" => Some(Function::Gelu),
            "HardSigmoid" => Some(Function::HardSigmoid {
                alpha: float("alpha", 0.2),
                beta: float("beta", 0.5),
            }),
            "HardSwish" => Some(Function::HardSwish),
            "Log" => Some(Function::Log),
            "Neg" => Some(Function::Negate),
            "Not" => Some(Function::Not),
            "Reciprocal" => Some(Function::Reciprocal),
            "Round" => Some(Function::Round),
            "Sign" => Some(Function::Sign),
            "Sin" => Some(Function::Sin),
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
                #[allow(clippy::cast_precision_loss)] // a node has few inputs
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
                let (alpha, gamma) = (float("alpha", 1.673_263_2), node.float("gamma", 1.050_701));
                self.wire(0).and_then(|x| {
                    let x = self.activation(Activation::Elu { alpha }, &x)?;
                    self.with_number(PairFunction::Multiply, &x, gamma)
                })
            }
            "Celu" => {
                let alpha = node.float("alpha", 1.0);
                // α·elu(x / α) with slope 1 above zero.
                self.wire(0).and_then(|x| {
                    let x = self.with_number(PairFunction::Divide, &x, alpha)?;
                    let x = self.activation(Activation::Elu { alpha: 1.0 }, &x)?;
                    self.with_number(PairFunction::Multiply, &x, alpha)
                })
            }
            "ThresholdedRelu" => {
                let alpha = node.float("alpha", 1.0);
                self.wire(0).and_then(|x| {
                    let above = self.with_number(PairFunction::Greater, &x, alpha)?;
                    self.pair(PairFunction::Multiply, &x, &above)
                })
            }
            _ => return None,
        })
    }

    /// Sigmoid(alpha · x) · x.
    fn swish(&mut self) -> Made {
        let alpha = self.node.float("alpha", 1.0);
        let x = self.wire(0)?;
        let steeper = self.with_number(PairFunction::Multiply, &x, alpha)?;
        let gate = self.activation(Activation::Sigmoid, &steeper)?;
        self.pair(PairFunction::Multiply, &x, &gate)
    }

    fn two(&mut self, function: PairFunction) -> Made {
        let (a, b) = (self.wire(0)?, self.wire(1)?);
        self.pair(function, &a, &b)
    }

    fn turned(&mut self, function: PairFunction) -> Made {
        let (a, b) = (self.wire(0)?, self.wire(1)?);
        self.pair(function, &b, &a)
    }

    fn all_pairs(&mut self, function: PairFunction) -> Made {
        let mut all = self.wire(0)?;
        for nth in 1..self.inputs.len() {
            let next = self.wire(nth)?;
            all = self.pair(function, &all, &next)?;
        }
        Ok(all)
    }

    /// A product; x · sigmoid(x) is a function of its own.
    fn product(&mut self) -> Made {
        let (a, b) = (self.wire(0)?, self.wire(1)?);
        let gates = |gate: &Wire, x: &Wire| {
            self.drawing.maker(gate).is_some_and(|node| {
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

    fn chosen(&mut self) -> Made {
        let (condition, a, b) = (self.wire(0)?, self.wire(1)?, self.wire(2)?);
        self.add(Operation::Where, &[&condition, &a, &b])
    }

    fn clip(&mut self) -> Made {
        let end = |at: &Self, nth: usize, name: &str| match at.constant(nth) {
            Some(constant) => Ok(constant.floats().first().map(|&v| decimal(v))),
            None if at.has(nth) => Err(at.node.error(format!(
                "its {name} depends on the latent vector; only fixed ends are read"
            ))),
            None => {
                let attribute = at.node.0.attribute.iter().find(|a| a.name == name);
                Ok(attribute.and_then(|a| a.f).map(decimal))
            }
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
    fn prelu(&mut self) -> Made {
        let (x, slope) = (self.wire(0)?, self.wire(1)?);
        let above = self.activation(Activation::Relu, &x)?;
        let turned = self.map(Function::Negate, &x)?;
        let below = self.activation(Activation::Relu, &turned)?;
        let below = self.pair(PairFunction::Multiply, &below, &slope)?;
        self.pair(PairFunction::Subtract, &above, &below)
    }

    pub(super) fn cast(&mut self) -> Made {
        let x = self.wire(0)?;
        match i32::try_from(self.node.int("to", 0)).map(DataType::try_from) {
            Ok(Ok(DataType::Float | DataType::Double)) => Ok(x),
            Ok(Ok(DataType::Int32 | DataType::Int64)) => self.map(Function::Truncate, &x),
            Ok(Ok(DataType::Bool)) => {
                let none = self.map(Function::Not, &x)?;
                self.map(Function::Not, &none)
            }
            _ => Err(self.node.error(
                "only casts to float32, float64, int32, int64 and bool are read; export in float32",
            )),
        }
    }
}
