//! Functions of each value on its own.

json_tree::tagged! {
    "kind", deny_unknown_fields;
    /// A function applied to each value.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub enum Activation {
        /// max(x, 0)
        Relu,
        /// x above zero, slope·x below.
        LeakyRelu {
            /// Slope below zero.
            slope: f64,
        },
        /// 1 / (1 + e^−x)
        Sigmoid,
        /// Hyperbolic tangent.
        Tanh,
        /// x above zero, alpha·(e^x − 1) below.
        Elu {
            /// What it goes to far below zero, negated; 1 if left out.
            #[serde(default = "one", skip_serializing_if = "is_one")]
            alpha: f64,
        },
        /// ln(1 + e^x)
        Softplus,
    }
}

impl Activation {
    /// Whether its number, if it has one, is finite as an f32.
    #[must_use]
    pub fn is_computable(&self) -> bool {
        match *self {
            Self::LeakyRelu { slope: number } | Self::Elu { alpha: number } => {
                number.abs() <= f64::from(f32::MAX)
            }
            Self::Relu | Self::Sigmoid | Self::Tanh | Self::Softplus => true,
        }
    }
}

fn one() -> f64 {
    1.0
}

// serde; the default, exactly
fn is_one(value: &f64) -> bool {
    *value == 1.0
}
