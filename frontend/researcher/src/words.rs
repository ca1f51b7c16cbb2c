//! Times and numbers as people read them.

use wasm_bindgen::JsValue;

use crate::text::text;

/// A moment in milliseconds since 1970, in the browser's own time zone.
pub fn date_and_time(unix_ms: u64) -> String {
    let date = js_sys::Date::new(&JsValue::from_f64(unix_ms as f64));
    String::from(date.to_locale_string("en-GB", &JsValue::UNDEFINED))
}

/// A number of bytes in few digits.
pub fn bytes(bytes: u64) -> String {
    let words = &text().numbers;
    let kb = bytes as f64 / 1_000.0;
    match kb {
        kb if kb < 1_000.0 => words.kilobytes(format!("{kb:.0}")),
        kb if kb < 1_000_000.0 => words.megabytes(format!("{:.1}", kb / 1_000.0)),
        kb => words.gigabytes(format!("{:.1}", kb / 1_000_000.0)),
    }
}

/// A number in at most four significant digits.
pub fn rounded(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    let digits = usize::try_from(digits.max(0)).unwrap_or(0).min(12);
    let written = format!("{value:.digits$}");
    if written.contains('.') {
        written
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    } else {
        written
    }
}

/// A share in percent, with one decimal.
pub fn percent(share: f64) -> String {
    text().numbers.percent(format!("{:.1}", share * 100.0))
}

/// An amount in hundredths with its currency: `3.75 GBP`.
pub fn money(hundredths: u64, currency: &str) -> String {
    let amount = format!("{}.{:02} {currency}", hundredths / 100, hundredths % 100);
    amount.trim_end().to_owned()
}

/// A level of each factor: `dataset: mnist, model: vae`.
pub fn levels<'a>(levels: impl IntoIterator<Item = (&'a String, &'a String)>) -> String {
    let each = levels.into_iter();
    let each: Vec<String> = each
        .map(|(factor, level)| format!("{factor}: {level}"))
        .collect();
    each.join(", ")
}

/// Names one after the other: `a, b and c`.
pub fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [others @ .., last] => text().numbers.last_of_list(others.join(", "), last),
    }
}

/// A sentence of the server's, with a capital and a full stop. A first word such as the name of a host stays as it is.
pub fn sentence(text: &str) -> String {
    let first_word = text.split_whitespace().next().unwrap_or_default();
    let is_name = first_word
        .trim_end_matches(['.', ':', ',', '…'])
        .contains('.');
    let mut sentence = if is_name {
        text.to_owned()
    } else {
        let mut letters = text.chars();
        let first = letters.next().map(|c| c.to_uppercase().to_string());
        first.unwrap_or_default() + letters.as_str()
    };
    if !sentence.is_empty() && !sentence.ends_with(['.', '!', '?', '\n']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_sentences() {
        assert_eq!(sentence("there is no cell 'x'"), "There is no cell 'x'.");
        assert_eq!(sentence(""), "");
        let host = "api.prolific.com does not answer";
        assert_eq!(sentence(host), format!("{host}."));
        assert_eq!(sentence("refused."), "Refused.");
        assert_eq!(bytes(12_345_678), "12.3 MB");
        assert_eq!(money(4_005, "GBP"), "40.05 GBP");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(list(&["a"]), "a");
        let numbers = [0.0, 0.05, 1.0, 12.3456, 0.000_123_46, -1_234.56].map(rounded);
        assert_eq!(numbers, ["0", "0.05", "1", "12.35", "0.0001235", "-1235"]);
    }
}
