//! Problems of a study file, each with its place.

use serde_json::Value;

/// One thing wrong with a study file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StudyProblem {
    /// Where: `parts[2].task.questions`, or `line 3, column 7` for broken JSON.
    pub path: String,
    /// The finding there, in words.
    pub found: String,
    /// The right form, in words.
    pub expected: String,
}

impl std::fmt::Display for StudyProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if self.path.is_empty() {
            "the file"
        } else {
            &self.path
        };
        write!(f, "{place}: found {}; {}", self.found, self.expected)
    }
}

/// Something of a study file to look at again. The study can be used all the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StudyWarning {
    /// Where: `analysis.test`.
    pub path: String,
    /// The effect to be expected, and what can be done.
    pub said: String,
}

impl std::fmt::Display for StudyWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.said)
    }
}

/// "did you mean …?" if one of `known` is close to `found`, else the list of them.
pub(crate) fn suggest(found: &str, known: &[String]) -> String {
    let near = known
        .iter()
        .map(|name| (strsim::jaro_winkler(found, name), name))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match near {
        Some((_, name)) => format!("did you mean '{name}'?"),
        None if known.is_empty() => "there is nothing to choose from".into(),
        None => format!("one of: {}", known.join(", ")),
    }
}

/// A value as a message shows it: JSON, cut short.
pub(crate) fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    let start: String = text.chars().take(57).collect();
    format!("{start}…")
}

/// A character that no text of a study holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextFault {
    /// Where it stands, in bytes.
    pub at: usize,
    /// The character.
    pub character: char,
}

impl std::fmt::Display for TextFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = u32::from(self.character);
        match self.character {
            char::REPLACEMENT_CHARACTER => write!(
                f,
                "U+{code:04X}, which stands for a character that was lost when the file was saved"
            ),
            c if c.is_control() => write!(f, "the control character U+{code:04X}"),
            _ => write!(
                f,
                "U+{code:04X}, which turns the direction of what is written around it"
            ),
        }
    }
}

/// The first character of a text that would not be read as it is written: a control character, one
/// that turns the direction of other text (U+202A to U+202E, U+2066 to U+2069), or what is left of
/// a lost one. Line ends, tabs, and the marks of direction U+200E, U+200F and U+061C are none.
#[must_use]
pub fn text_fault(text: &str) -> Option<TextFault> {
    let faulty = |c: char| match c {
        '\n' | '\r' | '\t' => false,
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | char::REPLACEMENT_CHARACTER => true,
        c => c.is_control(),
    };
    let mut characters = text.char_indices();
    let (at, character) = characters.find(|(_, c)| faulty(*c))?;
    Some(TextFault { at, character })
}
