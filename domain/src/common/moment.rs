//! Moments of a session, as links to its replay have them.

/// The moment of a session as a link has it: `12m30.5s`.
#[must_use]
pub fn moment(ms: u64) -> String {
    let (minutes, rest) = (ms / 60_000, ms % 60_000);
    let (seconds, thousandths) = (rest / 1_000, rest % 1_000);
    let fraction = format!(".{thousandths:03}");
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    if minutes > 0 {
        format!("{minutes}m{seconds}{fraction}s")
    } else {
        format!("{seconds}{fraction}s")
    }
}

/// A moment of a session in milliseconds, from `750`, `750s`, `12m30.5s` or `1h2m`; none where it is none.
#[must_use]
pub fn parse_moment(text: &str) -> Option<u64> {
    let (mut ms, mut rest) = (0.0, text.trim());
    if rest.is_empty() {
        return None;
    }
    let mut last = f64::INFINITY;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, after) = rest.split_at(end.unwrap_or(rest.len()));
        let number: f64 = number.parse().ok()?;
        let unit = match after.chars().next() {
            None | Some('s') => 1_000.0,
            Some('m') => 60_000.0,
            Some('h') => 3_600_000.0,
            Some(_) => return None,
        };
        // Larger units stand in front.
        if unit >= last {
            return None;
        }
        last = unit;
        ms += number * unit;
        rest = after.get(1..).unwrap_or("");
    }
    (ms.is_finite() && ms < 1e15).then(|| ms.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_they_are_written() {
        for (ms, text) in [
            (0, "0s"),
            (750, "0.75s"),
            (750_000, "12m30s"),
            (750_500, "12m30.5s"),
            (3_600_000, "60m0s"),
        ] {
            assert_eq!(moment(ms), text);
            assert_eq!(parse_moment(text), Some(ms));
        }
        assert_eq!(parse_moment("750"), Some(750_000));
        assert_eq!(parse_moment("1h2m"), Some(3_720_000));
        for bad in ["", "x", "5s5m", "5m5m", "-3", "1..2", "9e99s", "5 s", "1d"] {
            assert_eq!(parse_moment(bad), None, "{bad}");
        }
    }
}
