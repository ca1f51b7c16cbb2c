//! Which form of a text a number takes.

/// The plural category of a number (CLDR: `zero`, `one`, `two`, `few`, `many`, `other`), as the
/// browser knows it: its tables are those of all languages, and cost the page nothing.
#[cfg(target_arch = "wasm32")]
pub(super) fn category(language: &str, count: u64) -> String {
    use js_sys::{Array, Intl::PluralRules, Object};
    // Every browser has rules for every tag: those of another language for one it does not know.
    let rules = PluralRules::new(&Array::of1(&language.into()), &Object::new());
    rules.select(count as f64).into()
}

/// Unit tests run outside a browser, in languages whose whole numbers have the categories of
/// English, as far as a test needs them.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn category(_: &str, count: u64) -> String {
    if count == 1 { "one" } else { "other" }.to_owned()
}
