//! Times as the experimenter reads them.

/// Milliseconds of a session as `12:05`, or `1:02:05` from an hour on.
#[must_use]
pub fn clock(ms: u64) -> String {
    let s = ms / 1_000;
    let (hours, minutes, seconds) = (s / 3_600, s / 60 % 60, s % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::clock;

    #[test]
    fn hours_are_shown_once_there_are_some() {
        for (ms, expected) in [
            (0, "0:00"),
            (59_999, "0:59"),
            (725_000, "12:05"),
            (3_725_000, "1:02:05"),
        ] {
            assert_eq!(clock(ms), expected);
        }
    }
}
