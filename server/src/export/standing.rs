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

domain::json::named!(Standing: Counted, Excluded, OverQuota, Ended, Unfinished, NoData);
