//! A test language: words that read from the right, made from words that do not.

/// Before what reads from the right: RIGHT-TO-LEFT OVERRIDE.
const OVERRIDE: char = '\u{202e}';
/// Behind it: POP DIRECTIONAL FORMATTING.
const POP: char = '\u{202c}';

/// The text with each word read from the right, as browsers show `ar-XB`. Markup, character
/// references and `{placeholders}` stay as they are, and so do digits.
#[must_use]
pub fn pseudo(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '<' => rest.find('>').map_or(rest.len(), |at| at + 1),
            '{' => rest.find('}').map_or(rest.len(), |at| at + 1),
            '&' => reference(rest),
            _ if first.is_alphabetic() => {
                let word = word(rest);
                out.push(OVERRIDE);
                out.push_str(&rest[..word]);
                out.push(POP);
                rest = &rest[word..];
                continue;
            }
            _ => first.len_utf8(),
        };
        out.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    out
}

/// Length of a word with its apostrophes.
fn word(text: &str) -> usize {
    let ends = |c: char| !(c.is_alphabetic() || c == '’' || c == '\'');
    text.find(ends).unwrap_or(text.len())
}

/// Length of a character reference, `&amp;`; 1 where there is none.
fn reference(text: &str) -> usize {
    let name_ends = |c: char| !c.is_ascii_alphanumeric() && c != '#';
    match text[1..].find(name_ends) {
        Some(at) if text[1 + at..].starts_with(';') && at > 0 => at + 2,
        _ => 1,
    }
}
