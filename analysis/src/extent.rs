//! How far an analysis goes: which comparisons there are, and what is worked out beside closed forms.

/// Comparisons by name, with their conditions.
pub(crate) struct ComparedConditions {
    pub comparisons: Vec<(String, Vec<String>)>,
}

/// The results that an analysis works out beside closed forms. Each takes long with thousands of people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Bootstrap intervals of means.
    pub intervals: bool,
    /// Mixed models of single questions. Where the plan's test is one, they are fitted in any case.
    pub models: bool,
}

impl Extent {
    /// Everything.
    pub const WHOLE: Self = Self {
        intervals: true,
        models: true,
    };
    /// Descriptions, tests and corrections alone.
    pub const CLOSED_FORMS: Self = Self {
        intervals: false,
        models: false,
    };
}
