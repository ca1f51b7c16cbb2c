//! Prolific's API (docs.prolific.com).

use anyhow::{Context as _, ensure};
use domain::recruitment::pay::Amount;
use domain::recruitment::platform::{Code, Prolific};
use serde_json::{Value, json};

use super::secret::Secret;
use super::speaker::{Advert, Speaker, Submission, SubmissionNames, ask, text};

/// The shortest message of a rejection that Prolific takes, in characters.
const SHORTEST_MESSAGE: usize = 100;

/// Prolific, and who asks it.
pub(super) struct ProlificApi {
    /// `https://api.prolific.com`.
    pub origin: String,
    pub token: Secret,
    /// The study's settings.
    pub settings: Prolific,
    /// The reason of a rejection by Prolific's names.
    pub category: String,
}

impl ProlificApi {
    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> anyhow::Result<Value> {
        let request = http::Request::builder()
            .method(method)
            .uri([&self.origin, path].concat())
            .header("authorization", format!("Token {}", self.token.reveal()))
            .header("content-type", "application/json")
            .body(
                body.map(|body| body.to_string().into_bytes())
                    .unwrap_or_default(),
            )?;
        ask("Prolific", request)
    }

    /// The study's codes, with what Prolific does when one is entered.
    fn codes(&self) -> Vec<Value> {
        let code = |(kind, code): (&Code, &String)| {
            let action = match kind {
                Code::NoConsent => "REQUEST_RETURN",
                _ => "MANUALLY_REVIEW",
            };
            let action = if action == "REQUEST_RETURN" {
                json!({ "action": action, "return_reason": "No consent given." })
            } else {
                json!({ "action": action })
            };
            json!({ "code": code, "code_type": kind, "actions": [action] })
        };
        // In-study screening is to be set up with its reward on Prolific's own page.
        let known = |(kind, _): &(&Code, &String)| **kind != Code::FixedScreenout;
        self.settings.codes.iter().filter(known).map(code).collect()
    }
}

impl Speaker for ProlificApi {
    fn name(&self) -> &'static str {
        "prolific"
    }

    fn currency(&self) -> Option<&'static str> {
        None
    }

    fn create(&self, advert: &Advert) -> anyhow::Result<(String, String)> {
        let placeholders =
            "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}";
        let mut body = json!({
            "name": advert.title,
            "internal_name": advert.title,
            "description": advert.description,
            "external_study_url": format!("{}?{placeholders}", advert.url),
            "is_external_study_url_secure": self.settings.signed.is_some(),
            "prolific_id_option": "url_parameters",
            "completion_codes": self.codes(),
            "total_available_places": advert.places,
            "estimated_completion_time": advert.minutes,
            "reward": advert.amount.hundredths(),
            "device_compatibility": ["desktop"],
            "peripheral_requirements": [],
            "filters": [],
        });
        if let Some(minutes) = advert.limit_minutes {
            body["maximum_allowed_time"] = json!(minutes);
        }
        let made = self.ask("POST", "/api/v1/studies/", Some(&body))?;
        let next =
            "It is a draft: look at it on Prolific, choose whom it is for, and publish it there.";
        Ok((text(&made, "id")?, next.to_owned()))
    }

    fn submissions(&self, study: &str) -> anyhow::Result<Vec<Submission>> {
        plain(study)?;
        let listed = self.ask(
            "GET",
            &format!("/api/v1/studies/{study}/submissions/"),
            None,
        )?;
        let results = listed.get("results").and_then(Value::as_array);
        let results = results.context("the platform's answer has no 'results'")?;
        let submission = |value: &Value| {
            Ok(Submission {
                id: text(value, "id")?,
                participant: text(value, "participant_id")?,
                status: text(value, "status")?,
            })
        };
        results.iter().map(submission).collect()
    }

    fn approve(&self, work: &SubmissionNames<'_>) -> anyhow::Result<()> {
        plain(work.submission)?;
        let path = format!("/api/v1/submissions/{}/transition/", work.submission);
        self.ask("POST", &path, Some(&json!({ "action": "APPROVE" })))?;
        Ok(())
    }

    fn rejection_fault(&self, because: &str) -> Option<String> {
        let length = because.chars().count();
        (length < SHORTEST_MESSAGE).then(|| {
            format!(
                "--because has {length} characters; the participant reads it, and Prolific wants at least {SHORTEST_MESSAGE}"
            )
        })
    }

    fn reject(&self, work: &SubmissionNames<'_>, because: &str) -> anyhow::Result<()> {
        plain(work.submission)?;
        let path = format!("/api/v1/submissions/{}/transition/", work.submission);
        let body = json!({
            "action": "REJECT", "message": because, "rejection_category": self.category,
        });
        self.ask("POST", &path, Some(&body))?;
        Ok(())
    }

    fn bonus(
        &self,
        work: &SubmissionNames<'_>,
        amount: Amount,
        _because: &str,
        _reference: &str,
    ) -> anyhow::Result<()> {
        plain(work.submission)?;
        let study = work.study.context(
            "the study's number at Prolific is not known from the participant's link; it has no STUDY_ID",
        )?;
        let body = json!({
            "study_id": study, "csv_bonuses": format!("{},{amount}", work.submission),
        });
        let path = "/api/v1/submissions/bonus-payments/";
        let id = text(&self.ask("POST", path, Some(&body))?, "id")?;
        plain(&id)?;
        let path = format!("/api/v1/bulk-bonus-payments/{id}/pay/");
        self.ask("POST", &path, None)?;
        Ok(())
    }
}

/// Names come from participants' links and become part of an address.
fn plain(name: &str) -> anyhow::Result<()> {
    let plain = !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-');
    ensure!(plain, "'{name}' is no name of Prolific's");
    Ok(())
}
