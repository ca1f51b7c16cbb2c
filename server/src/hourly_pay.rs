//! A study's hourly pay, by the time that people took: on its checklist, before it is made on a platform, and while
//! it goes on.

use domain::recruitment::pay::Amount;
use measures::statistics::quantile;

/// Milliseconds in a minute.
const MINUTE_MS: f64 = 60_000.0;

/// The hourly pay of a study.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HourlyPay {
    /// How many people's times it is by.
    pub people: usize,
    /// Their median time, in minutes.
    pub median_minutes: f64,
    /// The hourly pay, in units of the currency; none where the median is nothing.
    pub hourly: Option<f64>,
}

/// An amount as hourly pay, by the median of times in milliseconds: from the start of a session until the last event
/// of its page. None without a time.
#[must_use]
pub fn hourly_pay(amount: Amount, times_ms: &[u64]) -> Option<HourlyPay> {
    let median_minutes = median_minutes(times_ms)?;
    Some(HourlyPay {
        people: times_ms.len(),
        median_minutes,
        hourly: amount.an_hour(median_minutes),
    })
}

/// The median of times in milliseconds, in minutes. None without a time.
#[must_use]
pub fn median_minutes(times_ms: &[u64]) -> Option<f64> {
    #[allow(clippy::cast_precision_loss)] // far below 2^53
    let minutes: Vec<f64> = times_ms.iter().map(|ms| *ms as f64 / MINUTE_MS).collect();
    quantile(&minutes, 0.5).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_is_paid_by_the_median() {
        let amount = "3.00".parse().unwrap();
        assert_eq!(hourly_pay(amount, &[]), None);
        // 10, 12 and 60 minutes: 3.00 for 12 are 15 an hour.
        let found = hourly_pay(amount, &[600_000, 3_600_000, 720_000]).unwrap();
        assert_eq!((found.people, found.median_minutes), (3, 12.0));
        assert_eq!(found.hourly, Some(15.0));
        // Between 10 and 14.
        assert_eq!(median_minutes(&[840_000, 600_000]), Some(12.0));
        assert_eq!(hourly_pay(amount, &[0]).unwrap().hourly, None);
    }
}
