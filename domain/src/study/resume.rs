//! Whether somebody who left can go on with their session.

use serde::{Deserialize, Serialize};

/// A study's rule for whoever comes back to a session that has begun: after a reload, with their
/// link, or on another device.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Resume {
    /// For how long after the last thing that the server heard of it, in hours; `0.25` is a quarter
    /// of an hour, 0 is never. Absent: at any time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 0, max = 8760)))]
    pub within_hours: Option<f64>,
    /// For how long they go on within a stage where they stopped, in minutes. Who was away for longer
    /// goes on with what follows the stage; the questions of it that they did not reach are not
    /// asked. 0: a stage that was left is over. Absent: they always go on where they stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 0, max = 525_600)))]
    pub stage_within_minutes: Option<f64>,
}

impl Resume {
    /// [`stage_within_minutes`](Self::stage_within_minutes) in milliseconds.
    #[must_use]
    pub fn stage_within_ms(&self) -> Option<u64> {
        let minutes = self.stage_within_minutes?;
        Some((minutes.max(0.0) * 60_000.0) as u64)
    }

    /// Whether a session goes on of which nothing was heard for so long, in milliseconds.
    #[must_use]
    pub fn allows(&self, silent_ms: u64) -> bool {
        const HOUR_MS: f64 = 3_600_000.0;
        match self.within_hours {
            None => true,
            Some(hours) if hours <= 0.0 => false,
            Some(hours) => silent_ms as f64 <= hours * HOUR_MS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_goes_on_within_the_time_that_the_study_gives() {
        let within = |within_hours| Resume {
            within_hours,
            ..Resume::default()
        };
        assert!(within(None).allows(u64::MAX));
        assert!(!within(Some(0.0)).allows(0), "never");
        // A quarter of an hour is 900,000 ms.
        assert!(within(Some(0.25)).allows(900_000));
        assert!(!within(Some(0.25)).allows(900_001));
    }
}
