//! Words of the researcher's area stand in `frontend/text/research.json`, not in its code.
//!
//! A sentence is told by its capital letter and a space. Single words, and what begins with a small letter, look
//! like names of the interface, so they are not.

use std::path::Path;

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};

/// Where the area's code lies.
const AREA: &str = "frontend/researcher/src";

/// What was found in the area's code: a line for each sentence, with its file.
#[derive(Default)]
pub struct Sentences(Vec<String>);

impl Sentences {
    /// Looks into a file, if it is of the area and not of its tests.
    ///
    /// # Errors
    /// When it is no Rust.
    pub fn look_into(&mut self, file: &Path, text: &str) -> Result<()> {
        let Ok(within) = file.strip_prefix(AREA) else {
            return Ok(());
        };
        if within.file_name().is_some_and(|name| name == "tests.rs") {
            return Ok(());
        }
        let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{error}"))?;
        let mut sentences = Vec::new();
        collect(tokens, &mut sentences);
        let file = file.display();
        self.0.extend(sentences.into_iter().map(|sentence| {
            format!("{file}: {sentence:?} belongs into frontend/text/research.json")
        }));
        Ok(())
    }

    /// What breaks the rule, in words.
    pub fn problems(self) -> impl Iterator<Item = String> {
        self.0.into_iter()
    }
}

/// Sentences in code, without those of attributes, comments and tests.
fn collect(tokens: TokenStream, sentences: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                let inner =
                    |it: &TokenTree| matches!(it, TokenTree::Punct(mark) if mark.as_char() == '!');
                tokens.next_if(inner);
                let attribute = tokens.next_if(|it| matches!(it, TokenTree::Group(_)));
                let words = attribute.map(|it| it.to_string()).unwrap_or_default();
                if words.starts_with("[cfg (test") || words.starts_with("[cfg(test") {
                    // What it stands before, to its end.
                    let ends = |it: &TokenTree| match it {
                        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                        TokenTree::Punct(mark) => mark.as_char() == ';',
                        _ => false,
                    };
                    tokens.by_ref().find(ends);
                }
            }
            TokenTree::Group(group) => collect(group.stream(), sentences),
            TokenTree::Literal(literal) => sentences.extend(sentence(literal)),
            _ => {}
        }
    }
}

fn sentence(literal: Literal) -> Option<String> {
    let syn::Lit::Str(text) = syn::Lit::new(literal) else {
        return None;
    };
    let text = text.value();
    let is_capital = text.chars().next().is_some_and(char::is_uppercase);
    (is_capital && text.contains(' ')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, code: &str) -> Sentences {
        let mut sentences = Sentences::default();
        sentences.look_into(Path::new(file), code).unwrap();
        sentences
    }

    #[test]
    fn sentences_are_found_wherever_they_stand() {
        let code = r#"
            //! The page of a study.
            /// A page.
            #[doc = "A page of it."]
            #[component]
            fn page() { view! { <h2 class="area page">"A study"</h2> {move || format!("Of {name}")} } }
            const KEY: &str = "Home";
            #[cfg(test)]
            use super::{A, B};
            #[cfg(test)]
            mod tests { fn f() -> &'static str { "A test" } }
            fn last() -> &'static str { "One more" }
        "#;
        let sentences = found("frontend/researcher/src/app.rs", code);
        let names = ["A study", "Of {name}", "One more"];
        assert_eq!(sentences.0.len(), names.len(), "{:?}", sentences.0);
        for (found, name) in sentences.0.iter().zip(names) {
            assert!(found.contains(name), "{found}");
        }
    }

    #[test]
    fn other_code_and_tests_may_have_them() {
        for file in [
            "frontend/src/app.rs",
            "frontend/researcher/src/route/tests.rs",
        ] {
            let sentences = found(file, "fn f() { g(\"A study\") }");
            assert_eq!(sentences.0, [""; 0], "{file}");
        }
    }
}
