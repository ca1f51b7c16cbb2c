//! Placeholders in static text files: `{{js:redial}}`, `{{asset:style.css}}` and the like.

use anyhow::{Context, Result};

/// Replaces every placeholder in `text` by what `resolve` gives for its content.
///
/// A placeholder is `{{name}}` or `{{name:argument}}`, name in lower-case letters, without spaces.
/// Any other pair of braces, as in style sheets and scripts, is left alone.
///
/// # Errors
/// The first error of `resolve`, with the line of the placeholder.
pub fn fill(text: &str, mut resolve: impl FnMut(&str) -> Result<String>) -> Result<String> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let (before, from_braces) = rest.split_at(start);
        filled.push_str(before);
        match placeholder(from_braces) {
            Some(inner) => {
                let line = 1 + filled.matches('\n').count();
                let value =
                    resolve(inner).with_context(|| format!("line {line}: {{{{{inner}}}}}"))?;
                filled.push_str(&value);
                rest = &from_braces[inner.len() + 4..];
            }
            None => {
                filled.push('{');
                rest = &from_braces[1..];
            }
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

/// The inside of the placeholder at the start of `text`, if there is one.
fn placeholder(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("{{")?;
    let inner = &inner[..inner.find("}}")?];
    let (name, argument) = inner.split_once(':').unwrap_or((inner, "none"));
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase());
    let is_path = |c: char| c.is_ascii_alphanumeric() || "._-/+".contains(c);
    let is_argument = !argument.is_empty() && argument.chars().all(is_path);
    (is_name && is_argument).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    fn check(text: &str, expected: &str) {
        let filled = fill(text, |inner| Ok(format!("<{inner}>"))).map_err(|e| e.to_string());
        assert_eq!(filled, Ok(expected.to_owned()), "{text}");
    }

    #[test]
    fn placeholders_are_replaced_and_other_braces_are_not() {
        check("", "");
        check("no braces", "no braces");
        check("src=\"{{js}}\"", "src=\"<js>\"");
        check("{{js}}{{wasm}}", "<js><wasm>");
        check(
            "url({{asset:fonts/a-1.woff2}})",
            "url(<asset:fonts/a-1.woff2>)",
        );
        check("@media x{a{color:red}}", "@media x{a{color:red}}");
        check(
            "`${{}}` {{ js }} {{Js}} {{:x}} {{asset:}}",
            "`${{}}` {{ js }} {{Js}} {{:x}} {{asset:}}",
        );
        check("{{{js}}}", "{<js>}");
        check("{{js", "{{js");
    }

    #[test]
    fn a_failure_names_the_line() {
        let failed = fill("a\nb\n{{nope}}", |_| bail!("unknown")).map_err(|e| format!("{e:#}"));
        assert_eq!(failed, Err("line 3: {{nope}}: unknown".to_owned()));
    }
}
