//! Names of files and columns, and names made short.

/// A name for CSV columns and files: lower-case letters and digits, anything else `_`.
pub(crate) fn key(text: &str) -> String {
    let mut key = String::new();
    for letter in text.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_alphanumeric() {
            key.push(letter);
        } else if !key.ends_with('_') && !key.is_empty() {
            key.push('_');
        }
    }
    key.trim_end_matches('_').to_owned()
}

/// Names without the words (at `-`) that all of them begin and end with: `lines-ae` and
/// `lines-gt` become `ae` and `gt`. A name keeps at least one word; a single one stays.
#[must_use]
pub fn short_names(names: &[&str]) -> Vec<String> {
    let words: Vec<Vec<&str>> = names.iter().map(|name| name.split('-').collect()).collect();
    let shortest = words.iter().map(Vec::len).min().unwrap_or(0);
    if words.len() < 2 {
        return names.iter().map(|&name| name.to_owned()).collect();
    }
    let same = |of: &dyn Fn(&[&str]) -> Option<String>| {
        let first = of(&words[0]);
        words.iter().all(|words| of(words) == first)
    };
    let mut front = 0;
    while front + 1 < shortest && same(&|words| words.get(front).map(|&w| w.to_owned())) {
        front += 1;
    }
    let mut back = 0;
    while front + back + 1 < shortest
        && same(&|words| words.iter().rev().nth(back).map(|&w| w.to_owned()))
    {
        back += 1;
    }
    let rest = words
        .iter()
        .map(|words| words[front..words.len() - back].join("-"));
    rest.collect()
}

/// A name for files: lower-case letters and digits, anything else `-`.
#[must_use]
pub fn file_name(text: &str) -> String {
    key(text).replace('_', "-")
}
