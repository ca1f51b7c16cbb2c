//! How long participants have, where their platform limits it.

use serde::{Deserialize, Serialize};

/// The time that a participant's platform gives them, from the start of their session on. The page
/// warns before it is over; it ends nothing: what is answered later is kept, too.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TimeLimit {
    /// The time, in minutes.
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 43_200)))]
    pub minutes: u32,
    /// How many minutes before its end the page warns.
    #[serde(default = "five")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 43_200)))]
    pub warn_before_minutes: u32,
}

fn five() -> u32 {
    5
}

/// A minute in milliseconds.
const MINUTE_MS: u64 = 60_000;

impl TimeLimit {
    /// The page's warning at a time of the session: nothing before it is due; then how many
    /// minutes are left, the one under way included; 0 once the time is over.
    #[must_use]
    pub fn warning(&self, at_ms: u64) -> Option<u64> {
        let left_ms = (u64::from(self.minutes) * MINUTE_MS).saturating_sub(at_ms);
        let warns = left_ms <= u64::from(self.warn_before_minutes) * MINUTE_MS;
        warns.then(|| left_ms.div_ceil(MINUTE_MS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_minutes_are_told() {
        let limit = TimeLimit {
            minutes: 30,
            warn_before_minutes: 5,
        };
        // 25 minutes are 1,500,000 ms.
        assert_eq!(limit.warning(1_499_999), None);
        assert_eq!(limit.warning(1_500_000), Some(5));
        assert_eq!(limit.warning(1_500_001), Some(5));
        assert_eq!(limit.warning(1_560_000), Some(4));
        assert_eq!(limit.warning(1_799_999), Some(1));
        assert_eq!(limit.warning(1_800_000), Some(0));
        assert_eq!(limit.warning(u64::MAX), Some(0));
    }
}
