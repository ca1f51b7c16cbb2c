//! Numbers as they are read: in text, tables, figures and methods alike.
//!
//! Files for programs (CSV, JSON) hold every number as it is, with an ASCII hyphen for minus.

use domain::questionnaire::Block;

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

/// A p-value alone: two digits that mean something, `0.041`; below 0.0001 one, `7e−8`.
#[must_use]
pub fn p_value(p: f64) -> String {
    if p >= 0.995 {
        "1.0".to_owned()
    } else if p >= 0.1 {
        rounded(p, 2)
    } else if p >= 0.01 {
        rounded(p, 3)
    } else if p >= 0.0001 {
        rounded(p, 4)
    } else {
        format!("{p:.0e}").replace('-', "−")
    }
}

/// A p-value behind its letter: `= 0.041`.
#[must_use]
pub fn p_after_sign(p: f64) -> String {
    format!("= {}", p_value(p))
}

/// Degrees of freedom: whole ones without a point.
#[must_use]
pub fn degrees(df: f64) -> String {
    if (df - df.round()).abs() < 1e-9 {
        rounded(df, 0)
    } else {
        rounded(df, 1)
    }
}

/// Digits behind the point for numbers of a size: three that mean something, two of small numbers,
/// and none beyond the point of large ones. 2 for 0 and for what is not finite.
#[must_use]
pub fn digits(size: f64) -> usize {
    match size.abs() {
        size if size == 0.0 || !size.is_finite() => 2,
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 => 2,
        size if size >= 0.01 => 3,
        size => (2.0 - size.log10().floor() - 1.0).clamp(4.0, 12.0) as usize,
    }
}

/// A number with a true minus sign; none before zero.
#[must_use]
pub fn rounded(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(size) if size.chars().all(|c| c == '0' || c == '.') => size.to_owned(),
        Some(size) => format!("−{size}"),
        None => text,
    }
}

/// A number with its sign, plus included; none where it is rounded to zero.
#[must_use]
pub fn signed(value: f64, digits: usize) -> String {
    let text = rounded(value, digits);
    let is_zero = text.chars().all(|c| c == '0' || c == '.');
    if is_zero || text.starts_with('−') {
        text
    } else {
        format!("+{text}")
    }
}

/// A number alone, with as many digits as its size wants.
#[must_use]
pub fn number(value: f64) -> String {
    rounded(value, digits(value))
}

/// A number that somebody gave: the digits that it has, six at most behind the point.
#[must_use]
pub fn given(value: f64) -> String {
    let text = rounded(value, 6);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// An interval: both ends with the digits of the larger.
#[must_use]
pub fn interval(low: f64, high: f64) -> String {
    let digits = digits(low.abs().max(high.abs()));
    format!("{} to {}", rounded(low, digits), rounded(high, digits))
}

/// A statistic, or an effect size: two digits behind the point.
#[must_use]
pub fn statistic(value: f64) -> String {
    rounded(value, 2)
}

/// So many of something: `1 person`, `3 people`.
#[must_use]
pub fn counted(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// The item of a questionnaire, by its name in the data, as people read it: `nasa_tlx.effort` is
/// `NASA-TLX, effort`.
#[must_use]
pub fn item(name: &str) -> String {
    let words = |name: &str| name.replace(['_', '-'], " ");
    let mut parts = name.split('.');
    let page = parts.next().unwrap_or_default();
    let page = match Block::named(&page.replace('_', "-")) {
        Some(Block::NasaTlx) => "NASA-TLX".to_owned(),
        Some(Block::Sus) => "SUS".to_owned(),
        Some(Block::Seq) => "Single Ease Question".to_owned(),
        _ => sentence(&words(page)),
    };
    parts.fold(page, |label, part| format!("{label}, {}", words(part)))
}

fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_an_interval_have_the_same_digits() {
        assert_eq!(interval(0.07, 0.36), "0.07 to 0.36");
        assert_eq!(interval(-0.004, 12.34), "0.0 to 12.3");
        assert_eq!(interval(-12.345, -1.0), "−12.3 to −1.0");
        assert_eq!(interval(0.000_12, 0.000_34), "0.00012 to 0.00034");
        assert_eq!(interval(f64::NEG_INFINITY, 1.0), "−inf to 1.00");
    }

    #[test]
    fn numbers_have_true_minus_signs_and_zero_has_none() {
        let all = [
            -0.0,
            -0.004,
            -1.5,
            0.0123,
            -0.001_23,
            -123.4,
            4_567.8,
            f64::NAN,
        ]
        .map(number);
        assert_eq!(
            all,
            [
                "0.00",
                "−0.0040",
                "−1.50",
                "0.012",
                "−0.0012",
                "−123",
                "4568",
                "NaN"
            ]
        );
        assert_eq!(
            [degrees(-0.0), degrees(12.0), degrees(7.94)],
            ["0", "12", "7.9"]
        );
        assert_eq!(statistic(-0.001), "0.00");
        assert_eq!(
            [given(-2.50), given(3.0), given(100.0)],
            ["−2.5", "3", "100"]
        );
        assert_eq!(p_value(7e-8), "7e−8");
    }

    #[test]
    fn items_are_named_as_people_read_them() {
        assert_eq!(item("nasa_tlx.effort"), "NASA-TLX, effort");
        assert_eq!(item("nasa_tlx.mental_demand"), "NASA-TLX, mental demand");
        assert_eq!(
            item("after_stage.statements.easy"),
            "After stage, statements, easy"
        );
        assert_eq!(
            [
                counted(1, "person", "people"),
                counted(0, "person", "people")
            ],
            ["1 person", "0 people"]
        );
    }
}
