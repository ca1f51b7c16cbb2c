//! The 15 labels of a picture, from the five shapes that decide them.

use super::OF_INTEREST;

/// Number of labels.
pub const LABELS: usize = 15;

/// Which definitions of the labels are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LabelTable {
    /// Table 1 of the supplement. Labels 4 and 13 are the same there.
    #[default]
    Printed,
    /// Those of the released generator, which are others for labels 2, 4, 6 and 10.
    Released,
}

/// The labels of a picture that has these of the five shapes.
#[must_use]
pub fn labels(present: [bool; OF_INTEREST], table: LabelTable) -> [bool; LABELS] {
    let [a, b, c, d, e] = present;
    let mut labels = [
        !(a && c) || d,
        b || c || e,
        (b && c) || (d && e),
        b != c,
        b || e,
        !(a || d) || e,
        (b && c) != e,
        (a && e) || b,
        c,
        (a && b) != d,
        !(c || e),
        a || d || e,
        b != c,
        !((a && e) || d),
        d != e,
    ];
    if table == LabelTable::Released {
        labels[1] = b || (c && d);
        labels[3] = a != b;
        labels[5] = !(a || d || e);
        labels[9] = (a || b) != d;
    }
    labels
}
