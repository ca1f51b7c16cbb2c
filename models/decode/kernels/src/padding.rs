//! How far a convolution reaches over the edges of its maps.

use serde::{Deserialize, Serialize};

/// Rows and columns at each edge. On a card one number when all four are the same,
/// else `[top, left, bottom, right]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "OnCard", into = "OnCard")]
pub struct Padding {
    /// Rows above.
    pub top: i32,
    /// Columns on the left.
    pub left: i32,
    /// Rows below.
    pub bottom: i32,
    /// Columns on the right.
    pub right: i32,
}

impl Padding {
    /// No padding.
    pub const NONE: Self = Self::all(0);

    /// The same at every edge.
    #[must_use]
    pub const fn all(edge: i32) -> Self {
        Self {
            top: edge,
            left: edge,
            bottom: edge,
            right: edge,
        }
    }

    /// Rows above and below together, columns left and right together.
    #[must_use]
    pub fn sums(&self) -> (i64, i64) {
        (
            i64::from(self.top) + i64::from(self.bottom),
            i64::from(self.left) + i64::from(self.right),
        )
    }

    /// The smallest of the four.
    #[must_use]
    pub fn least(&self) -> i32 {
        self.top.min(self.left).min(self.bottom).min(self.right)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "padding is a whole number, or [top, left, bottom, right]"
)]
enum OnCard {
    Same(i32),
    Edges([i32; 4]),
}

impl From<OnCard> for Padding {
    fn from(padding: OnCard) -> Self {
        match padding {
            OnCard::Same(edge) => Self::all(edge),
            OnCard::Edges([top, left, bottom, right]) => Self {
                top,
                left,
                bottom,
                right,
            },
        }
    }
}

impl From<Padding> for OnCard {
    fn from(padding: Padding) -> Self {
        if padding == Padding::all(padding.top) {
            return Self::Same(padding.top);
        }
        Self::Edges([padding.top, padding.left, padding.bottom, padding.right])
    }
}

/// The side of a convolution's output, if there is one.
pub fn side_down(n: usize, kernel: usize, stride: usize, padding: i64) -> Option<usize> {
    let padded = i64::try_from(n).ok()?.checked_add(padding)?;
    let room = usize::try_from(padded).ok()?.checked_sub(kernel)?;
    Some(room.checked_div(stride)? + 1)
}

/// The side of a transposed convolution's output, if there is one.
pub fn side_up(n: usize, kernel: usize, stride: usize, padding: i64) -> Option<usize> {
    let grown = n.checked_sub(1)?.checked_mul(stride)?.checked_add(kernel)?;
    let left = i64::try_from(grown).ok()?.checked_sub(padding)?;
    usize::try_from(left).ok().filter(|&n| n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_or_four() {
        let uneven = Padding {
            top: 1,
            left: 2,
            bottom: 0,
            right: -1,
        };
        for (padding, card) in [(Padding::all(1), "1"), (uneven, "[1,2,0,-1]")] {
            assert_eq!(serde_json::to_string(&padding).unwrap(), card);
            assert_eq!(serde_json::from_str::<Padding>(card).unwrap(), padding);
        }
        for card in ["[1,2]", "1.5", "\"same\"", "3000000000"] {
            let error = serde_json::from_str::<Padding>(card).unwrap_err();
            assert!(error.to_string().contains("[top, left, bottom, right]"));
        }
    }
}
