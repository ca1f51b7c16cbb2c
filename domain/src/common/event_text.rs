//! A text in an event, and how long it may be.

/// A text in an event, and how long it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventText<'a> {
    /// Its field.
    pub field: &'static str,
    /// The text itself.
    pub text: &'a str,
    /// How long it may be, in characters.
    pub most: usize,
}

impl<'a> EventText<'a> {
    /// A text of at most so many characters.
    #[must_use]
    pub fn new(field: &'static str, text: &'a str, most: usize) -> Self {
        Self { field, text, most }
    }

    /// Number of characters, if that is too many.
    #[must_use]
    pub fn too_long(&self) -> Option<usize> {
        // No text has more characters than bytes, and most are short.
        let found = (self.text.len() > self.most).then(|| self.text.chars().count());
        found.filter(|found| *found > self.most)
    }
}
