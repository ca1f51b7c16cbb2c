//! Times as the experimenter and the researcher read them.

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

/// The same with tenths of a second.
#[must_use]
pub fn fine_clock(ms: u64) -> String {
    format!("{}.{}", clock(ms), ms / 100 % 10)
}

/// How the times of a ruler are written: with tenths where some of them are no whole seconds.
#[must_use]
pub fn ruler_clock(ticks_ms: &[u64]) -> fn(u64) -> String {
    if ticks_ms.iter().all(|ms| ms.is_multiple_of(1_000)) {
        clock
    } else {
        fine_clock
    }
}

/// How long something took, in one or two units: `45 s`, `2 min 5 s`, `1 h 3 min`.
#[must_use]
pub fn length(ms: u64) -> String {
    let s = (ms + 500) / 1_000;
    let (hours, minutes, seconds) = (s / 3_600, s / 60 % 60, s % 60);
    match (hours, minutes, seconds) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(fine_clock(725_480), "12:05.4");
    }

    #[test]
    fn no_two_times_of_a_ruler_are_written_alike() {
        let words = |ticks: &[u64]| {
            let write = ruler_clock(ticks);
            ticks.iter().map(|ms| write(*ms)).collect::<Vec<_>>()
        };
        assert_eq!(words(&[0, 500, 1_000]), ["0:00.0", "0:00.5", "0:01.0"]);
        assert_eq!(words(&[0, 1_000, 2_000]), ["0:00", "0:01", "0:02"]);
        assert!(words(&[]).is_empty());
    }

    #[test]
    fn lengths_have_the_units_that_count() {
        for (ms, expected) in [
            (0, "0 s"),
            (44_600, "45 s"),
            (59_600, "1 min"),
            (125_000, "2 min 5 s"),
            (3_600_000, "1 h"),
            (3_790_000, "1 h 3 min"),
        ] {
            assert_eq!(length(ms), expected);
        }
    }
}
