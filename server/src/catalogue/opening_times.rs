//! When sessions of a study can be started.

use domain::study::Study;
use jiff::Timestamp;

/// When a study's sessions can be started, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpeningTimes {
    from: Option<u64>,
    until: Option<u64>,
}

impl OpeningTimes {
    pub(super) fn of(study: &Study) -> Result<Self, Vec<String>> {
        let time = |field: &str, text: &Option<String>| match text {
            None => Ok(None),
            Some(text) => match text.parse::<Timestamp>() {
                Ok(time) => Ok(Some(
                    u64::try_from(time.as_millisecond()).unwrap_or_default(),
                )),
                Err(_) => Err(vec![format!(
                    "{field}: found \"{text}\"; a time such as 2026-12-01T09:00:00+01:00 is wanted"
                )]),
            },
        };
        let open = Self {
            from: time("opens", &study.opens)?,
            until: time("closes", &study.closes)?,
        };
        match (open.from, open.until) {
            (Some(from), Some(until)) if until <= from => Err(vec![
                "closes: it is not after 'opens', so nobody could start".into(),
            ]),
            _ => Ok(open),
        }
    }

    /// Whether a session can be started at a time.
    #[must_use]
    pub fn is_open(self, now_unix_ms: u64) -> bool {
        self.from.is_none_or(|from| from <= now_unix_ms)
            && self.until.is_none_or(|until| now_unix_ms < until)
    }
}
