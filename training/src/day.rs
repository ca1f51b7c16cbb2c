//! The date that a card carries.

/// Seconds in a day.
pub const SECONDS: u64 = 86_400;

/// The day that is `days` days after 1970-01-01, in the Gregorian calendar: `YYYY-MM-DD`.
#[must_use]
pub fn name(days: u64) -> String {
    // The calendar repeats every 400 years. Counted from 1 March, the leap day is the
    // last of its year; 719,468 days lie between 0000-03-01 and 1970-01-01.
    const ERA: u64 = 146_097;
    let (era, day) = ((days + 719_468) / ERA, (days + 719_468) % ERA);
    // Take the leap days of the 4, 100 and 400 years out; what is left has equal years.
    let year = (day - day / 1460 + day / 36_524 - day / (ERA - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Lengths of five months from March on repeat: 31, 30, 31, 30, 31.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (carry, month) = if month < 10 {
        (0, month + 3)
    } else {
        (1, month - 9)
    };
    format!("{:04}-{month:02}-{day:02}", 400 * era + year + carry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_python() {
        // python3 -c "from datetime import *
        // print([str(date(1970, 1, 1) + timedelta(d)) for d in (0, 58, 59, 789, 11016, 20713, 47540, 47541)])"
        let table = [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (20_713, "2026-09-17"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ];
        for (days, expected) in table {
            assert_eq!(name(days), expected);
        }
    }
}
