//! A server's claim to do something that one does at a time.

/// A server's claim to a duty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DutyClaim {
    /// Name of the duty.
    pub duty: String,
    /// The server: a name that no other has.
    pub holder: String,
    /// Now, in milliseconds since 1970.
    pub now_unix_ms: u64,
    /// Until when the claim holds; until now, to give the duty back.
    pub until_unix_ms: u64,
    /// How long any claim holds at most, in milliseconds. One that holds longer was made before the clock
    /// was set back.
    pub longest_ms: u64,
}
