//! Where sessions stand.

/// Where a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is complete and counts.
    Counted,
    /// It is complete, and excluded: by the study's rules, by hand, or because its participant
    /// withdrew.
    Excluded,
    /// It was completed late, when its cell was full.
    OverQuota,
    /// It ended before: declined, withdrawn, screened out, or the device does not fit.
    Ended,
    /// It has not come to its end.
    Unfinished,
    /// It is a pilot or a preview.
    NoData,
}

impl Standing {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Counted,
        Self::Excluded,
        Self::OverQuota,
        Self::Ended,
        Self::Unfinished,
        Self::NoData,
    ];

    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Counted => "counted",
            Self::Excluded => "excluded",
            Self::OverQuota => "over_quota",
            Self::Ended => "ended",
            Self::Unfinished => "unfinished",
            Self::NoData => "no_data",
        }
    }
}
