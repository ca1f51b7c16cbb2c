//! Characters that nobody sees, or that change how others are seen.

/// Whether a character is a control character, or turns the direction of writing (the "bidi"
/// characters of Unicode's annex 9).
#[must_use]
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
