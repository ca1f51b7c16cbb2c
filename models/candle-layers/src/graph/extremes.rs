//! The larger and the smaller of two numbers, of which one may be no number.

/// The larger of two numbers; of a number and none, none: as in numpy.
pub(super) fn larger(a: f32, b: f32) -> f32 {
    if a > b || a.is_nan() { a } else { b }
}

/// The smaller of two numbers; of a number and none, none.
pub(super) fn smaller(a: f32, b: f32) -> f32 {
    if a < b || a.is_nan() { a } else { b }
}
