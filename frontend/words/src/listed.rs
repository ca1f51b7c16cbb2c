//! Files of texts, and lists of what is in them.
//!
//! A file holds groups of texts by name. [`texts!`](crate::texts) takes a list of them and makes a method of each: a
//! text with `{placeholders}` takes one argument for each, so that a missing one does not compile.
//! A text with a `plural` has a form for each of its language's plural categories (CLDR); which one a number
//! takes is known to the browser. [`wrong_in`] says where a file and a list differ.

use std::collections::BTreeSet;
use std::fmt::Display;

use serde_json::{Map, Value};

use super::plural::category;

/// One group's texts by name. A map and not a field each: reading those takes
/// 100 kB of code in the page.
pub type Words = Map<String, Value>;

/// Makes `Texts` of a list: a field for each group, on which each text is a method.
///
/// ```text
/// texts! {
///     /// A page.
///     page: Page { heading; of(name); seconds(plural count); rows_of(plural count, name); }
/// }
/// ```
///
/// Where it is used, `Texts::new(language, file)` reads a file, and tests have the list itself as `LISTED`.
#[macro_export]
macro_rules! texts {
    (@method $key:ident) => {
        #[doc = concat!("The text `", stringify!($key), "`.")]
        pub fn $key(&self) -> &str {
            self.0.word(stringify!($key))
        }
    };
    (@method $key:ident (plural $count:ident $(, $arg:ident)*)) => {
        #[doc = concat!("The text `", stringify!($key), "`, in the form for the number, filled in.")]
        pub fn $key(
            &self,
            $count: impl $crate::listed::Counted,
            $($arg: impl ::std::fmt::Display,)*
        ) -> String {
            let form = self.0.form(stringify!($key), $count.number());
            $crate::listed::fill(form, &[
                (stringify!($count), $count.to_string()),
                $((stringify!($arg), $arg.to_string()),)*
            ])
        }
    };
    (@method $key:ident ($($arg:ident),+)) => {
        #[doc = concat!("The text `", stringify!($key), "`, filled in.")]
        pub fn $key(&self, $($arg: impl ::std::fmt::Display),+) -> String {
            $crate::listed::fill(
                self.0.word(stringify!($key)),
                &[$((stringify!($arg), $arg.to_string())),+],
            )
        }
    };
    (@listed $key:ident) => { (stringify!($key), &[], false) };
    (@listed $key:ident (plural $count:ident $(, $arg:ident)*)) => {
        (stringify!($key), &[stringify!($count) $(, stringify!($arg))*], true)
    };
    (@listed $key:ident ($($arg:ident),+)) => { (stringify!($key), &[$(stringify!($arg)),+], false) };
    ($($(#[$meta:meta])* $group:ident: $Group:ident { $($key:ident $(($($arg:tt)+))?;)* })*) => {
        /// All texts, by group.
        pub struct Texts {
            $($(#[$meta])* pub $group: $Group,)*
        }

        impl Texts {
            fn new(language: &str, mut file: $crate::listed::Words) -> Self {
                let mut group =
                    |name: &str| $crate::listed::Group::take(language, &mut file, name);
                Self {
                    $($group: $Group(group(stringify!($group))),)*
                }
            }
        }

        $(
            $(#[$meta])*
            pub struct $Group($crate::listed::Group);

            // A method takes as many arguments as its text has placeholders.
            #[allow(clippy::too_many_arguments)]
            impl $Group { $($crate::texts!(@method $key $(($($arg)+))?);)* }
        )*

        /// Each text: its group, its name, its placeholders, and whether it has plural forms.
        #[cfg(test)]
        const LISTED: &[(&str, &[$crate::listed::Listed])] =
            &[$((stringify!($group), &[$($crate::texts!(@listed $key $(($($arg)+))?)),*]),)*];
    };
}

/// A number that has forms of a text.
pub trait Counted: Copy + Display {
    /// The number.
    fn number(self) -> u64;
}

impl Counted for usize {
    fn number(self) -> u64 {
        self as u64
    }
}

impl Counted for u64 {
    fn number(self) -> u64 {
        self
    }
}

/// The texts of a group, in a language.
pub struct Group {
    language: String,
    words: Words,
}

impl Group {
    /// Takes a group out of a file; an empty one where there is none.
    #[must_use]
    pub fn take(language: &str, file: &mut Words, name: &str) -> Self {
        let words = match file.remove(name) {
            Some(Value::Object(words)) => words,
            _ => Words::new(),
        };
        Self {
            language: language.to_owned(),
            words,
        }
    }

    /// The language (BCP 47).
    #[must_use]
    pub fn language(&self) -> &str {
        &self.language
    }

    /// A text by its name; a test of each list makes sure that it is there.
    #[must_use]
    pub fn word(&self, key: &str) -> &str {
        let text = self.words.get(key);
        text.and_then(Value::as_str).unwrap_or_default()
    }

    /// The form of a text for a number; every language has `other`.
    #[must_use]
    pub fn form(&self, key: &str, count: u64) -> &str {
        let forms = self.words.get(key);
        let of = |category: &str| forms?.get(category)?.as_str();
        of(&category(&self.language, count))
            .or_else(|| of("other"))
            .unwrap_or_default()
    }
}

/// Replaces `{name}` by its value, in one pass: braces in a value stay as they are.
#[must_use]
pub fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut filled = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some((before, from_brace)) = rest.split_once('{') {
        filled.push_str(before);
        let found = from_brace.split_once('}').and_then(|(name, after)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((value, after))
        });
        if let Some((value, after)) = found {
            filled.push_str(value);
            rest = after;
        } else {
            filled.push('{');
            rest = from_brace;
        }
    }
    filled + rest
}

/// A file that is part of an app.
///
/// # Panics
/// When it is no JSON object: it is a part of the program, not input, and tests read the same bytes.
#[must_use]
pub fn part_of_app(name: &str, json: &str) -> Words {
    domain::json::from_text(json).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A text of a list: its name, its placeholders, and whether it has plural forms.
pub type Listed = (&'static str, &'static [&'static str], bool);

/// Where a file and a list differ, for tests: a text that only one of them has, or other placeholders.
#[must_use]
pub fn wrong_in(file: &Value, list: &[(&str, &[Listed])]) -> Vec<String> {
    let mut wrong = Vec::new();
    let found = names(file);
    let expected: BTreeSet<&str> = list.iter().map(|(group, _)| *group).collect();
    if found != expected {
        wrong.push(format!("groups: {found:?}, listed: {expected:?}"));
    }
    for (group, texts) in list {
        let found = names(&file[*group]);
        let expected: BTreeSet<&str> = texts.iter().map(|(key, ..)| *key).collect();
        let differ = found.symmetric_difference(&expected);
        wrong.extend(differ.map(|key| format!("{group}.{key}: only in file or list")));
        for (key, placeholders, plural) in *texts {
            let text = &file[*group][*key];
            let forms: Vec<&Value> = match text {
                Value::Object(forms) if *plural && forms.contains_key("other") => {
                    forms.values().collect()
                }
                Value::String(_) if !*plural => vec![text],
                // An absent one is named above.
                _ => Vec::new(),
            };
            let expected: BTreeSet<&str> = placeholders.iter().copied().collect();
            let is_right = |form: &&Value| {
                let form = form.as_str().unwrap_or_default();
                !form.trim().is_empty() && named_in(form) == expected
            };
            if forms.is_empty() || !forms.iter().all(is_right) {
                wrong.push(format!("{group}.{key}: {text}, listed: {expected:?}"));
            }
        }
    }
    wrong
}

fn names(value: &Value) -> BTreeSet<&str> {
    let object = value.as_object();
    object
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect()
}

/// The placeholders of a text.
fn named_in(template: &str) -> BTreeSet<&str> {
    let parts = template.split('{').skip(1);
    parts
        .filter_map(|part| Some(part.split_once('}')?.0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_the_place_of_their_names() {
        let values = [("a", "1".to_owned()), ("b", "{a}".to_owned())];
        assert_eq!(fill("{a} of {b}, {c}", &values), "1 of {a}, {c}");
        assert_eq!(fill("no names { here", &values), "no names { here");
    }

    #[test]
    fn what_file_and_list_do_not_share_is_named() {
        let list: &[(&str, &[Listed])] = &[(
            "page",
            &[("heading", &[], false), ("rows", &["count", "of"], true)],
        )];
        let file = |rows: Value| serde_json::json!({ "page": { "heading": "H", "rows": rows } });
        let right = serde_json::json!({ "one": "{count} in {of}", "other": "{of}: {count}" });
        assert_eq!(wrong_in(&file(right), list), [""; 0]);
        for rows in [
            serde_json::json!({ "one": "{count} in {of}" }),
            serde_json::json!({ "one": "one in {of}", "other": "{of}: {count}" }),
            serde_json::json!("{count} in {of}"),
            serde_json::json!({ "other": " " }),
            Value::Null,
        ] {
            let wrong = wrong_in(&file(rows), list);
            assert_eq!(wrong.len(), 1, "{wrong:?}");
            assert!(wrong[0].starts_with("page.rows: "), "{wrong:?}");
        }
        let more = serde_json::json!({ "page": { "heading": "", "more": "" }, "other": {} });
        let wrong = wrong_in(&more, list);
        for part in [
            "groups",
            "page.more: only",
            "page.rows: only",
            "page.heading: \"\"",
        ] {
            assert!(
                wrong.iter().any(|it| it.starts_with(part)),
                "{part}: {wrong:?}"
            );
        }
    }
}
