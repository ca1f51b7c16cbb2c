//! Where participants come from.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Problems, is_name, part};
use crate::recruitment::platform::Recruitment;

pub(super) fn check(study: &Value, out: &mut Problems) {
    let entries = study.get("recruitment").and_then(Value::as_array);
    let mut seen = BTreeSet::new();
    for (index, value) in entries.into_iter().flatten().enumerate() {
        let Some(recruitment) = part::<Recruitment>(Some(value)) else {
            continue;
        };
        let place = format!("recruitment[{index}]");
        let name = recruitment.facts().name;
        if !seen.insert(name) {
            out.add(
                &place,
                format!("'{name}' a second time"),
                "each platform once",
            );
        }
        for fault in recruitment.faults() {
            out.add(
                format!("{place}.{}", fault.field),
                fault.found,
                fault.expected,
            );
        }
    }
    let own = study.get("id").and_then(Value::as_str);
    let others: Vec<String> = part(study.get("not_after")).unwrap_or_default();
    for (index, other) in others.iter().enumerate() {
        let place = format!("not_after[{index}]");
        if !is_name(other, '-') {
            out.add(place, format!("'{other}'"), "the name of a study");
        } else if own == Some(other) {
            let expected = "other studies; for this one there is 'sessions_per_code'";
            out.add(place, format!("'{other}', this study"), expected);
        }
    }
    let allowed: Vec<String> = part(study.get("may_follow")).unwrap_or_default();
    let newcomers_only = part(study.get("newcomers_only")).unwrap_or(false);
    for (index, other) in allowed.iter().enumerate() {
        let place = format!("may_follow[{index}]");
        if !is_name(other, '-') {
            out.add(place, format!("'{other}'"), "the name of a study");
        } else if !newcomers_only || others.contains(other) {
            let expected = "only with '\"newcomers_only\": true', and none of 'not_after'";
            out.add(place, format!("'{other}'"), expected);
        }
    }
    let origins: Vec<String> = part(study.get("framed_by")).unwrap_or_default();
    for (index, origin) in origins.iter().enumerate().filter(|(_, it)| !is_origin(it)) {
        let expected = "an origin without a path, such as https://survey.example.org";
        out.add(
            format!("framed_by[{index}]"),
            format!("'{origin}'"),
            expected,
        );
    }
}

/// Whether a text is scheme, host and port of a web page, as content security policies have
/// them: what is more would end the list there.
fn is_origin(text: &str) -> bool {
    let host = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let fits = |c: u8| c.is_ascii_alphanumeric() || b"-.:*".contains(&c);
    host.is_some_and(|host| !host.is_empty() && host.bytes().all(fits))
}
