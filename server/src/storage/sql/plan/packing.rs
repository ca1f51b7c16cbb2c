//! Plans of sessions whose logs are sealed: packed with what all plans of a study's cell have in common.

use sha2::{Digest as _, Sha256};

use super::super::super::{Result, StorageError};
use super::super::connection::{Connection, query};
use super::super::error::corrupt;
use super::super::row::Row;
use crate::secrets::hex;

/// How hard zstd tries with a plan.
const LEVEL: i32 = 19;

/// No plan has so many bytes; what unpacks to more is damaged.
const MOST_BYTES: usize = 256 * 1024 * 1024;

/// The text before what is said of a model.
const MODEL: &str = "\"model\":";

/// Fewest digits of what is taken for the name or the hash of something.
const FEWEST_DIGITS_OF_A_NAME: usize = 32;

/// The columns of a plan, as text.
pub(super) struct PlanTexts {
    pub plan: String,
    pub targets: Option<String>,
    pub models: Option<String>,
    pub keys: Option<String>,
}

impl PlanTexts {
    /// Those of a row, packed or not.
    ///
    /// # Errors
    /// When they are not those that were packed.
    pub fn of(row: &Row) -> Result<Self> {
        let packed: Option<Vec<u8>> = row.try_get("packed")?;
        if let Some(packed) = packed {
            let skeleton: Option<Vec<u8>> = row.try_get("skeleton")?;
            let skeleton =
                skeleton.ok_or_else(|| corrupt("plan", "what it was packed with is missing"))?;
            let damaged = |why: &str| corrupt("plan", format!("it cannot be unpacked ({why})"));
            let text = unpacked(&skeleton, &[])
                .and_then(|skeleton| unpacked(&packed, skeleton.as_bytes()));
            let text = text.map_err(|error| damaged(&error.to_string()))?;
            return Self::from_lines(&text).ok_or_else(|| damaged("it has too few lines"));
        }
        let plan: Option<String> = row.try_get("plan")?;
        Ok(Self {
            plan: plan.ok_or_else(|| corrupt("plan", "it is missing"))?,
            targets: row.try_get("targets")?,
            models: row.try_get("models")?,
            keys: row.try_get("keys")?,
        })
    }

    /// A line for each column, which is empty for one that is absent; none where a text has more than one line.
    fn lines(&self) -> Option<String> {
        let absent = String::new();
        let columns = [&self.targets, &self.models, &self.keys];
        let columns = columns.map(|text| text.as_ref().unwrap_or(&absent));
        let [targets, models, keys] = columns;
        let lines = [&self.plan, targets, models, keys];
        let is_line = |text: &&&String| !text.contains('\n');
        (lines.iter().filter(is_line).count() == lines.len())
            .then(|| lines.map(String::as_str).join("\n"))
    }

    fn from_lines(text: &str) -> Option<Self> {
        let mut lines = text.split('\n');
        let mut line = || lines.next().map(str::to_owned);
        let plan = line()?;
        let mut column = || line().map(|text| (!text.is_empty()).then_some(text));
        Some(Self {
            plan,
            targets: column()?,
            models: column()?,
            keys: column()?,
        })
    }
}

/// Packs the plan of a session whose logs are sealed. One that cannot be read stays as it is.
pub(in super::super) async fn pack(connection: &mut dyn Connection, session: &str) -> Result<()> {
    let row = query(
        "SELECT plans.*, sessions.study_sha256, CAST(NULL AS TEXT) AS skeleton FROM plans \
         JOIN sessions ON id = session WHERE session = ? AND packed IS NULL",
    )
    .bind(session)
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row else {
        return Ok(());
    };
    let study: String = row.try_get("study_sha256")?;
    let texts = PlanTexts::of(&row).ok();
    let Some((cell, lines, models)) = texts.and_then(|texts| {
        let cell = cell_of(&texts.plan)?;
        Some((cell, texts.lines()?, texts.models.unwrap_or_default()))
    }) else {
        return Ok(());
    };
    let name = &hex(&Sha256::digest(format!("{study} {cell}")))[..32];
    let skeleton = packed(&skeleton(&lines, &models), &[]).map_err(StorageError::backend)?;
    query("INSERT INTO plan_skeletons (name, skeleton) VALUES (?, ?) ON CONFLICT DO NOTHING")
        .bind(name)
        .bind(&*skeleton)
        .execute(&mut *connection)
        .await?;
    let row = query("SELECT skeleton FROM plan_skeletons WHERE name = ?")
        .bind(name)
        .fetch_one(&mut *connection)
        .await?;
    let skeleton: Vec<u8> = row.try_get(0)?;
    let skeleton = unpacked(&skeleton, &[]);
    let skeleton =
        skeleton.map_err(|error| corrupt("what a plan is packed with", error.to_string()))?;
    let packed = packed(&lines, skeleton.as_bytes()).map_err(StorageError::backend)?;
    query(
        "UPDATE plans SET plan = '', targets = '', models = '', keys = NULL, packed = ?, packed_with = ? \
         WHERE session = ?",
    )
    .bind(&*packed)
    .bind(name)
    .bind(session)
    .execute(connection)
    .await?;
    Ok(())
}

/// Language and cell of a plan: what its texts and models follow from, besides the study.
fn cell_of(plan: &str) -> Option<String> {
    let plan: serde_json::Value = serde_json::from_str(plan).ok()?;
    Some(format!("{} {}", plan["language"], plan["cell"]))
}

/// The text that sessions of a cell have in common: what is said of models, and the rest of the text without numbers,
/// names and hashes. Nothing that was drawn for a session is in it, so it may stay when a session is erased.
fn skeleton(text: &str, models: &str) -> String {
    let mut skeleton = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if rest.starts_with(MODEL) => MODEL.len() + object_length(&rest[MODEL.len()..]),
            '"' => string_length(rest),
            '-' | '0'..='9' => number_length(rest),
            other => other.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        match first {
            '"' if is_name(token.trim_matches('"')) && !models.contains(token) => {
                skeleton += "\"\""
            }
            '-' | '0'..='9' => {}
            _ => skeleton += token,
        }
        rest = after;
    }
    skeleton
}

fn is_name(text: &str) -> bool {
    text.len() >= FEWEST_DIGITS_OF_A_NAME && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Bytes of the JSON string that a text begins with.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

/// Bytes of the JSON object that a text begins with; none of anything else.
fn object_length(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                at += string_length(&text[at..]);
                continue;
            }
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return if *byte == b'}' { at + 1 } else { 0 };
        }
        at += 1;
    }
    0
}

/// Bytes of the number that a text begins with.
fn number_length(text: &str) -> usize {
    let is_of_it = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    text.bytes()
        .position(|byte| !is_of_it(byte))
        .unwrap_or(text.len())
}

fn packed(text: &str, skeleton: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::with_dictionary(LEVEL, skeleton)?;
    // Another skeleton must not lead to another plan.
    compressor.include_checksum(true)?;
    compressor.compress(text.as_bytes())
}

fn unpacked(packed: &[u8], skeleton: &[u8]) -> std::io::Result<String> {
    use std::io::Read as _;
    let mut text = String::new();
    zstd::Decoder::with_dictionary(packed, skeleton)?
        .take(MOST_BYTES as u64)
        .read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skeleton_has_no_number_and_no_hash() {
        let hash = "0123456789abcdef".repeat(4);
        let text = format!(r#"{{"a":-1.5e-3,"id":"{hash}","say":"\"12\" & 3","z":[1,2.5]}}"#);
        let expected = r#"{"a":,"id":"","say":"\"12\" & 3","z":[,]}"#;
        let model = r#"{"model":{"a":"}","b":{"c":1}},"d":2}"#;
        let without = r#"{"model":{"a":"}","b":{"c":1}},"d":}"#;
        assert_eq!(skeleton(model, "[]"), without);
        assert_eq!(
            skeleton(r#"{"model":"a1","b":1}"#, ""),
            r#"{"model":"a1","b":}"#
        );
        assert_eq!(skeleton(r#""model":{"a":1"#, ""), r#""model":{"a":"#);
        assert_eq!(skeleton(&text, "[]"), expected);
        assert!(skeleton(&text, &format!("[\"{hash}\"]")).contains(&hash));
        assert_eq!(skeleton("\"never ended", ""), "\"never ended");
        assert_eq!(skeleton("ä1é", ""), "äé");
    }

    #[test]
    fn what_was_packed_is_unpacked_with_the_same_skeleton_alone() {
        let text = r#"{"language":"en","cell":{},"z":[0.25,0.5]}"#;
        let texts = PlanTexts {
            plan: text.to_owned(),
            targets: None,
            models: Some("[]".to_owned()),
            keys: None,
        };
        let lines = texts.lines().unwrap();
        let made = packed(&lines, skeleton(&lines, "[]").as_bytes()).unwrap();
        let back = unpacked(&made, skeleton(&lines, "[]").as_bytes()).unwrap();
        let back = PlanTexts::from_lines(&back).unwrap();
        assert_eq!(back.plan, text);
        assert_eq!(back.models.as_deref(), Some("[]"));
        assert_eq!((back.targets, back.keys), (None, None));
        assert!(unpacked(&made, b"{\"language\":\"de\",\"other\":{},\"zz\":[,]}").is_err());
    }
}
