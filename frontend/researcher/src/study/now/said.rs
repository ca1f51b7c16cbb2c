//! The hourly pay of a study and the amount that the server has to write, in sentences.

use api::research::live::{LivePay, LiveStorage};
use frontend::replay::clock::clock;

use crate::text::text;
use crate::words::rounded;

/// A write that has been under way for so long is told, in milliseconds.
const LONG_MS: u64 = 1_000;

/// The hourly pay of the study.
pub fn pay_in_words(pay: &LivePay) -> String {
    let LivePay {
        currency, amount, ..
    } = pay;
    let words = &text().now;
    match (pay.median_ms, pay.hourly) {
        (Some(median), Some(hourly)) => {
            let sessions = text().counted.completed_sessions(pay.people);
            words.pay(amount, currency, clock(median), sessions, hourly)
        }
        _ => words.pay_so_far(amount, currency),
    }
}

/// How much the server has to write.
pub fn storage_in_words(storage: &LiveStorage) -> String {
    let words = &text().now;
    let mut said = match &*storage.health {
        "good" => String::new(),
        "full" => words.disk_full().to_owned(),
        other => words.store_failed(other),
    };
    let waits = match storage.waiting {
        0 => words.nothing_waits().to_owned(),
        number => words.to_be_written(text().counted.changes(number)),
    };
    said += &match storage.writing_ms {
        Some(ms) if ms >= LONG_MS => words.storage_writing(waits, clock(ms)),
        _ => words.storage(waits),
    };
    if storage.commits > 0 {
        said += &words.writes_took(
            text().counted.writes(storage.commits),
            rounded(storage.median_ms),
            rounded(storage.longest_ms),
        );
    }
    said
}

#[cfg(test)]
mod tests {
    use domain::recruitment::pay::Amount;

    use super::*;

    #[test]
    fn pay_and_storage_are_told_in_sentences() {
        let mut pay = LivePay {
            currency: "GBP".to_owned(),
            amount: Amount::of_hundredths(300),
            people: 0,
            median_ms: None,
            hourly: None,
        };
        assert!(pay_in_words(&pay).contains("once somebody"));
        pay.people = 1;
        pay.median_ms = Some(720_000);
        pay.hourly = Some(Amount::of_hundredths(1_500));
        let words = pay_in_words(&pay);
        assert!(
            words.contains("the median of 1 completed session: 15.00 GBP an hour"),
            "{words}"
        );
        let mut storage = LiveStorage {
            health: "good".to_owned(),
            ..LiveStorage::default()
        };
        assert_eq!(storage_in_words(&storage), "Storage: nothing waits.");
        storage.waiting = 3;
        storage.commits = 100;
        storage.median_ms = 2.14;
        storage.longest_ms = 1_234.6;
        assert_eq!(
            storage_in_words(&storage),
            "Storage: 3 changes to be written. The last 100 writes took 2.14 ms in the median, 1235 ms at most."
        );
        storage.health = "full".to_owned();
        storage.writing_ms = Some(61_000);
        let words = storage_in_words(&storage);
        assert!(words.starts_with("The disk is full"), "{words}");
        assert!(words.contains("being written for"), "{words}");
    }
}
