//! Names of participants that come from outside: codes of a researcher's, and what platforms call
//! people. Code that opens a session by a name has it from [`ParticipantName::parse`] and from nowhere
//! else, so that two strangers never share one because a link was not filled in.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::ALL;

/// Longest name, in characters. Those of the platforms have up to 32.
pub const MAX_NAME: usize = 100;

/// A name that stands for one person: in the form NFKC of Unicode, so that a code is the same in
/// whichever form it was typed, without spaces around it, seen from end to end, and no formula for a
/// spreadsheet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParticipantName(String);

/// Why a text names nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    /// Nothing stands there.
    #[error("it is empty")]
    Empty,
    /// It is too long.
    #[error("it has more than {MAX_NAME} characters")]
    TooLong,
    /// A template was not filled in: everybody would come with the same text.
    #[error("it is a placeholder that was not filled in, such as {{{{%PROLIFIC_PID%}}}}")]
    Placeholder,
    /// A text that programs write where they have no value.
    #[error("it is what programs write where a value is missing, such as 'undefined'")]
    NoValue,
    /// It holds a character that nobody sees.
    #[error("it holds an invisible character (U+{:04X})", u32::from(*.0))]
    Invisible(char),
    /// It begins with something else than a letter or digit: spreadsheets take that for a formula.
    #[error("it does not begin with a letter or digit")]
    Start,
    /// It holds a character that names have not.
    #[error("it holds the character '{}'; letters, digits, spaces and - _ . , : ; + = / @ # & * ! ? ~ ( ) ' are taken", .0)]
    Character(char),
}

/// Characters beside letters and digits. Those that templates are written with are not among them.
const PUNCTUATION: &str = " -_.,:;+=/@#&*!?~()'";

/// Characters that templates are written with, in all the ways that platforms and survey tools have.
const TEMPLATES: &str = "{}<>[]%$";

/// Texts that programs write for no value, letters and digits alone.
const NO_VALUES: [&str; 6] = ["null", "nil", "nan", "none", "true", "false"];

/// Names of fields, written where their values belong, letters and digits alone; beside the
/// platforms' own names of their parameters.
const FIELDS: [&str; 9] = [
    "assignmentidnotavailable",
    "code",
    "id",
    "participantcode",
    "pid",
    "placeholder",
    "prolificid",
    "subjectid",
    "userid",
];

impl ParticipantName {
    /// The name that a text is.
    ///
    /// # Errors
    /// Why it is none.
    ///
    /// # Example
    /// ```
    /// use domain::recruitment::platform::{NameFault, ParticipantName};
    /// assert_eq!(ParticipantName::parse(" P-07 ").unwrap().as_str(), "P-07");
    /// assert_eq!(ParticipantName::parse("{{%PROLIFIC_PID%}}"), Err(NameFault::Placeholder));
    /// ```
    pub fn parse(text: &str) -> Result<Self, NameFault> {
        // Enough for every form of a name that fits, and no work on what cannot be one.
        if text.chars().nth(4 * MAX_NAME).is_some() {
            return Err(NameFault::TooLong);
        }
        let text: String = text.nfkc().collect();
        let text = text.trim();
        let Some(first) = text.chars().next() else {
            return Err(NameFault::Empty);
        };
        if text.chars().nth(MAX_NAME).is_some() {
            return Err(NameFault::TooLong);
        }
        if let Some(unseen) = text.chars().find(|c| is_invisible(*c)) {
            return Err(NameFault::Invisible(unseen));
        }
        if text.contains(|c| TEMPLATES.contains(c)) {
            return Err(NameFault::Placeholder);
        }
        if !first.is_alphanumeric() {
            return Err(NameFault::Start);
        }
        if let Some(other) = text.chars().find(|c| !fits(*c)) {
            return Err(NameFault::Character(other));
        }
        match plain(text).as_str() {
            it if it.contains("undefined") || NO_VALUES.contains(&it) => Err(NameFault::NoValue),
            it if FIELDS.contains(&it) || is_parameter(it) => Err(NameFault::Placeholder),
            _ if text.eq_ignore_ascii_case("n/a") => Err(NameFault::NoValue),
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// As it is stored and compared.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<ParticipantName> for String {
    fn from(name: ParticipantName) -> Self {
        name.0
    }
}

/// Letters and digits alone, small.
fn plain(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

fn is_parameter(plain_text: &str) -> bool {
    let mut parameters = ALL.iter().flat_map(|facts| facts.parameters);
    parameters.any(|parameter| plain(parameter) == plain_text)
}

fn fits(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c) || PUNCTUATION.contains(c)
}

/// Control characters, and those that Unicode shows as nothing (`Default_Ignorable_Code_Point` of
/// DerivedCoreProperties.txt, version 17.0): some of them are letters.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests;
