//! Numbers as they are read.

/// Stars of a p-value: the paper's three thresholds, and one in between.
#[must_use]
pub fn stars(p: f64) -> &'static str {
    match p {
        p if p < 0.0001 => "****",
        p if p < 0.001 => "***",
        p if p < 0.01 => "**",
        p if p < 0.05 => "*",
        _ => "",
    }
}

/// What [`stars`] mean, for captions.
pub const STARS: &str = "* p < 0.05, ** p < 0.01, *** p < 0.001, **** p < 0.0001";

/// A p-value alone: two digits that mean something, `0.041`, `7e-8`.
#[must_use]
pub fn p_value(p: f64) -> String {
    if p >= 0.995 {
        "1.0".to_owned()
    } else if p >= 0.1 {
        format!("{p:.2}")
    } else if p >= 0.01 {
        format!("{p:.3}")
    } else if p >= 0.0001 {
        format!("{p:.4}")
    } else {
        format!("{p:.0e}")
    }
}

/// A p-value behind its letter.
pub(crate) fn p_after_sign(p: f64) -> String {
    format!("= {}", p_value(p))
}

/// Degrees of freedom: whole ones without a point.
pub(crate) fn degrees(df: f64) -> String {
    if (df - df.round()).abs() < 1e-9 {
        format!("{df:.0}")
    } else {
        format!("{df:.1}")
    }
}

/// Digits behind the point for numbers of a size.
pub(crate) fn digits(size: f64) -> usize {
    match size.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 || size == 0.0 => 2,
        _ => 3,
    }
}

/// A number with a true minus sign; none before zero.
pub(crate) fn rounded(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(size) if size.chars().all(|c| c == '0' || c == '.') => size.to_owned(),
        Some(size) => format!("−{size}"),
        None => text,
    }
}
