//! The options that a question offers.

/// Options of a continuous dimension: low, medium, high.
pub const RANGES: usize = 3;

crate::json::tagged! {
    "kind";
    /// What a question offers to choose from.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    pub enum Options {
        /// Low, medium and high: z_i lies in one of these closed ranges.
        Ranges {
            /// Lower and upper end of each. One of zero width is a constant.
            ranges: [[f64; 2]; RANGES],
        },
        /// Each value of a discrete dimension.
        Values {
            /// How many there are.
            values: u16,
        },
    }
}

impl Options {
    /// Number of options. Chance is one over this.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Ranges { .. } => RANGES,
            Self::Values { values } => usize::from(*values),
        }
    }

    /// Whether there is nothing to choose.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
