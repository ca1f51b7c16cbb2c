//! Short names between a wasm module and its JavaScript.
//!
//! wasm-bindgen names each function that passes between the two after its types, with a hash. The app has
//! some hundreds of them, written in both files; short ones make the first load smaller.

use std::collections::HashMap;

/// Names given so far.
#[derive(Default)]
pub struct ShortNames(HashMap<String, String>);

impl ShortNames {
    /// The short name for one of wasm-bindgen's long ones. Names without a hash stay: pages call
    /// functions by them.
    pub fn of(&mut self, name: &str) -> String {
        if !has_hash(name) {
            return name.to_owned();
        }
        let next = self.0.len();
        let short = self.0.entry(name.to_owned());
        short.or_insert_with(|| format!("${next:x}")).clone()
    }

    /// JavaScript in which every name that was given has taken the place of its long one.
    pub fn replace_in(&self, js: &str) -> String {
        let mut out = String::with_capacity(js.len());
        let mut rest = js;
        while let Some(begin) = rest.find(is_in_name) {
            let (before, from) = rest.split_at(begin);
            let end = from.find(|c| !is_in_name(c)).unwrap_or(from.len());
            let (name, after) = from.split_at(end);
            out.push_str(before);
            out.push_str(self.0.get(name).map_or(name, String::as_str));
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// Whether one of the parts between underscores is a hash of 16 hexadecimal digits.
fn has_hash(name: &str) -> bool {
    let is_hash = |part: &str| part.len() == 16 && part.bytes().all(|b| b.is_ascii_hexdigit());
    (name.starts_with("__wb") || name.starts_with("wasm_bindgen_")) && name.split('_').any(is_hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_become_short_in_both_files() {
        let mut names = ShortNames::default();
        let long = "__wbg_append_0123456789abcdef";
        let longer = "__wbg_append_0123456789abcdef1";
        assert_eq!(names.of("redial_decode"), "redial_decode");
        assert_eq!(names.of("__wbindgen_malloc"), "__wbindgen_malloc");
        assert_eq!(names.of(longer), longer);
        let short = names.of(long);
        assert!(short.len() < 4, "{short}");
        assert_eq!(names.of(long), short);
        let other = names.of("wasm_bindgen_0123456789abcdef___convert__closures_____invoke");
        assert_ne!(other, short);
        assert_eq!(
            names.replace_in(&format!(
                "é({long}, {longer}); {long}: wasm.__wbindgen_malloc"
            )),
            format!("é({short}, {longer}); {short}: wasm.__wbindgen_malloc")
        );
    }
}
