//! Days as a field for dates writes them, in UTC.

const DAY_MS: u64 = 86_400_000;

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of_month(year: u64, month: u64) -> u64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_of_year(year: u64) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

/// The first millisecond since 1970 of a day such as `2026-01-31`; none where it is no day from 1970 to 9999.
pub fn first_ms(text: &str) -> Option<u64> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, date] = parts[..] else {
        return None;
    };
    let number = |text: &str, digits: usize| {
        let only_digits = text.len() == digits && text.bytes().all(|it| it.is_ascii_digit());
        only_digits.then(|| text.parse::<u64>().ok()).flatten()
    };
    let (year, month, date) = (number(year, 4)?, number(month, 2)?, number(date, 2)?);
    if year < 1970
        || !(1..=12).contains(&month)
        || !(1..=days_of_month(year, month)).contains(&date)
    {
        return None;
    }
    let years: u64 = (1970..year).map(days_of_year).sum();
    let months: u64 = (1..month).map(|month| days_of_month(year, month)).sum();
    Some((years + months + date - 1) * DAY_MS)
}

/// The day of a moment in milliseconds since 1970.
pub fn day(unix_ms: u64) -> String {
    let (mut days, mut year, mut month) = (unix_ms / DAY_MS, 1970, 1);
    // No moment of an export lies later; a number that is no moment is not counted through for ever.
    while year < 9999 && days >= days_of_year(year) {
        days -= days_of_year(year);
        year += 1;
    }
    while month < 12 && days >= days_of_month(year, month) {
        days -= days_of_month(year, month);
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_as_they_are_written() {
        for (ms, text) in [
            (0, "1970-01-01"),
            (951_782_400_000, "2000-02-29"),
            (1_769_817_600_000, "2026-01-31"),
            (1_798_675_200_000, "2026-12-31"),
        ] {
            assert_eq!(first_ms(text), Some(ms), "{text}");
            assert_eq!(day(ms), text);
            assert_eq!(day(ms + DAY_MS - 1), text);
        }
        for bad in [
            "",
            "2026",
            "2026-1-31",
            "2026-02-29",
            "2100-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-01-00",
            "1969-12-31",
            "+026-01-01",
            "2026-01-01-01",
        ] {
            assert_eq!(first_ms(bad), None, "{bad}");
        }
    }
}
