//! The earlier decision about whether a session counts.

use domain::session::event::SessionId;

/// The earlier decision about whether a session counts, so that the same is not decided anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountingDecided {
    /// The session.
    pub session: SessionId,
    /// Whether it is excluded by hand.
    pub excluded: bool,
    /// The person who has decided it, in words, where that is known.
    pub by: Option<String>,
    /// When and why; nothing where nobody has decided anything.
    pub last: Option<(u64, String)>,
}

impl std::fmt::Display for CountingDecided {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let session = &self.session;
        let Some((at_unix_ms, why)) = &self.last else {
            return write!(
                f,
                "nobody has excluded session {session} by hand; there is nothing to take back"
            );
        };
        let who = self.by.as_deref().unwrap_or("somebody");
        let what = if self.excluded {
            "excluded"
        } else {
            "readmitted"
        };
        write!(f, "{who} has {what} session {session} before")?;
        let at = i64::try_from(*at_unix_ms).ok();
        if let Some(at) = at.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()) {
            write!(f, " ({at:.0})")?;
        }
        write!(f, ", because: {why}")
    }
}
