//! A study's definition as sessions were started with it, perhaps by an older version of Redial.

use serde::de::DeserializeOwned;
use serde_json::{Error, Value};

use super::AnalysisPlan;
use crate::common::language::{ENGLISH, LocalText, Spoken};
use crate::recruitment::pay::Pay;
use crate::recruitment::platform::Recruitment;
use crate::study::automation::AutomationThresholds;
use crate::study::inclusion::InclusionRule;

/// A stored definition of any format. Each setting is read by itself: one that this version does not
/// know hides no other. A setting that a definition does not say, or its format did not know, is as in a study
/// that says nothing.
pub struct StoredDefinition(Value);

impl StoredDefinition {
    /// From its JSON.
    ///
    /// # Errors
    /// When the text is not JSON.
    pub fn read(json: &[u8]) -> Result<Self, Error> {
        serde_json::from_slice(json).map(Self)
    }

    fn setting<T: DeserializeOwned + Default>(&self, name: &str) -> Result<T, Error> {
        let value = self.0.get(name).cloned();
        value.map_or_else(|| Ok(T::default()), serde_json::from_value)
    }

    /// The title in the study's first language; none where there is none.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        let first = self.0.pointer("/languages/0").and_then(Value::as_str);
        let first = first.unwrap_or(ENGLISH);
        let title: LocalText = serde_json::from_value(self.0.get("title")?.clone()).ok()?;
        Some(title.spoken(Spoken {
            language: first,
            first,
        }))
    }

    /// The rules of who counts.
    ///
    /// # Errors
    /// When there are rules that this version does not know.
    pub fn inclusion(&self) -> Result<Vec<InclusionRule>, Error> {
        self.setting("inclusion")
    }

    /// From where on signs of a program are flagged.
    ///
    /// # Errors
    /// When there are thresholds that this version does not know.
    pub fn automation(&self) -> Result<AutomationThresholds, Error> {
        self.setting("automation")
    }

    /// The platforms that participants come from.
    ///
    /// # Errors
    /// When there are platforms that this version does not know.
    pub fn recruitment(&self) -> Result<Vec<Recruitment>, Error> {
        self.setting("recruitment")
    }

    /// The pay, if the definition says so.
    ///
    /// # Errors
    /// When this version does not understand it.
    pub fn pay(&self) -> Result<Option<Pay>, Error> {
        self.setting("pay")
    }

    /// The analysis plan, if there is one.
    ///
    /// # Errors
    /// When this version does not understand it.
    pub fn analysis(&self) -> Result<Option<AnalysisPlan>, Error> {
        self.setting("analysis")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(json: &str) -> StoredDefinition {
        StoredDefinition::read(json.as_bytes()).unwrap()
    }

    #[test]
    fn a_title_is_that_of_the_first_language() {
        let title = |json| stored(json).title();
        let spoken = r#"{"languages": ["de", "en"], "title": {"en": "New", "de": "Neu"}}"#;
        assert_eq!(title(spoken).as_deref(), Some("Neu"));
        assert_eq!(title(r#"{"title": "Plain"}"#).as_deref(), Some("Plain"));
        assert_eq!(title("{}"), None);
        assert!(StoredDefinition::read(b"{").is_err());
    }

    #[test]
    fn older_formats_say_nothing_and_what_is_unknown_is_an_error_of_its_own() {
        let older = stored(r#"{"format": 1, "stages": []}"#);
        assert_eq!(older.inclusion().unwrap(), []);
        assert_eq!(older.recruitment().unwrap(), []);
        assert_eq!(older.analysis().unwrap(), None);
        assert_eq!(older.automation().unwrap(), AutomationThresholds::default());
        let unknown = stored(r#"{"inclusion": [{"rule": "is_nice"}], "analysis": null}"#);
        assert!(unknown.inclusion().is_err());
        assert_eq!(unknown.analysis().unwrap(), None);
        assert_eq!(unknown.recruitment().unwrap(), []);
    }
}
