//! Prolific's API (docs.prolific.com).

use domain::recruitment::pay::Amount;
use domain::recruitment::platform::{Code, Prolific, Recruitment};
use serde_json::{Value, json};

use super::secret::Secret;
use super::speaker::{
    Advert, BonusWish, PaidBonus, SpeakError, Speaker, Submission, SubmissionNames, WorkStatus,
    ask, not_asked, text,
};

/// Prolific, and who asks it.
pub struct ProlificApi {
    /// Where its API is.
    pub origin: String,
    /// The token of the account that asks.
    pub token: Secret,
}

type Result<T> = std::result::Result<T, SpeakError>;

/// The study's codes, with what Prolific does when one is entered.
fn codes(settings: &Prolific) -> Vec<Value> {
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
    settings.codes.iter().filter(known).map(code).collect()
}

impl ProlificApi {
    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let request = http::Request::builder()
            .method(method)
            .uri([&self.origin, path].concat())
            .header("authorization", format!("Token {}", self.token.reveal()))
            .header("content-type", "application/json")
            .body(
                body.map(|body| body.to_string().into_bytes())
                    .unwrap_or_default(),
            )
            .map_err(not_asked)?;
        ask("Prolific", request)
    }

    /// What Prolific says of somebody's work.
    fn submission(&self, work: &SubmissionNames) -> Result<Value> {
        plain(&work.submission)?;
        let path = format!("/api/v1/submissions/{}/", work.submission);
        self.ask("GET", &path, None)
    }

    fn transition(&self, work: &SubmissionNames, body: &Value) -> Result<()> {
        plain(&work.submission)?;
        let path = format!("/api/v1/submissions/{}/transition/", work.submission);
        self.ask("POST", &path, Some(body))?;
        Ok(())
    }
}

impl Speaker for ProlificApi {
    fn name(&self) -> &'static str {
        "prolific"
    }

    fn currency(&self) -> Option<&'static str> {
        None
    }

    fn create(&self, advert: &Advert<'_>) -> Result<(String, String)> {
        let Recruitment::Prolific(settings) = advert.settings else {
            return Err(not_asked("the study's settings are not Prolific's"));
        };
        let placeholders =
            "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}";
        let mut body = json!({
            "name": advert.title,
            "internal_name": advert.title,
            "description": advert.description,
            "external_study_url": format!("{}?{placeholders}", advert.url),
            "is_external_study_url_secure": settings.signed.is_some(),
            "prolific_id_option": "url_parameters",
            "completion_codes": codes(settings),
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

    fn submissions(&self, study: &str) -> Result<Vec<Submission>> {
        plain(study)?;
        let listed = self.ask(
            "GET",
            &format!("/api/v1/studies/{study}/submissions/"),
            None,
        )?;
        let results = listed.get("results").and_then(Value::as_array);
        let results = results.ok_or(SpeakError::Lacks("results"))?;
        let submission = |value: &Value| {
            Ok(Submission {
                id: text(value, "id")?,
                participant: text(value, "participant_id")?,
                status: text(value, "status")?,
            })
        };
        results.iter().map(submission).collect()
    }

    fn status(&self, work: &SubmissionNames) -> Result<WorkStatus> {
        let status = text(&self.submission(work)?, "status")?;
        Ok(match status.as_str() {
            "APPROVED" => WorkStatus::Approved,
            "REJECTED" => WorkStatus::Rejected,
            _ => WorkStatus::Other(status),
        })
    }

    fn approve(&self, work: &SubmissionNames) -> Result<()> {
        self.transition(work, &json!({ "action": "APPROVE" }))
    }

    fn reject(&self, work: &SubmissionNames, category: &str, because: &str) -> Result<()> {
        let body = json!({
            "action": "REJECT", "message": because, "rejection_category": category,
        });
        self.transition(work, &body)
    }

    fn ask_return(&self, work: &SubmissionNames, because: &str) -> Result<()> {
        plain(&work.submission)?;
        let path = format!("/api/v1/submissions/{}/request-return/", work.submission);
        let body = json!({ "request_return_reasons": [because] });
        self.ask("POST", &path, Some(&body))?;
        Ok(())
    }

    fn return_is_asked(&self, work: &SubmissionNames) -> Result<bool> {
        let submission = self.submission(work)?;
        let asked = submission
            .get("return_requested")
            .is_some_and(|at| !at.is_null());
        Ok(asked
            || submission
                .get("status")
                .is_some_and(|status| status == "RETURNED"))
    }

    fn begin_bonus(&self, work: &SubmissionNames, bonus: BonusWish<'_>) -> Result<Option<String>> {
        plain(&work.submission)?;
        let study = work.study.as_ref().ok_or_else(|| {
            not_asked(
                "the study's number at Prolific is not known from the participant's link; it has no STUDY_ID",
            )
        })?;
        let body = json!({
            "study_id": study, "csv_bonuses": format!("{},{}", work.submission, bonus.amount),
        });
        let path = "/api/v1/submissions/bonus-payments/";
        let id = text(&self.ask("POST", path, Some(&body))?, "id")?;
        plain(&id)?;
        Ok(Some(id))
    }

    fn pay_bonus(&self, _: &SubmissionNames, _: BonusWish<'_>, begun: Option<&str>) -> Result<()> {
        let id = begun.ok_or_else(|| not_asked("the bonus was not set up"))?;
        plain(id)?;
        let path = format!("/api/v1/bulk-bonus-payments/{id}/pay/");
        self.ask("POST", &path, None)?;
        Ok(())
    }

    /// By Prolific's documentation the same request again pays again.
    fn bonus_repeats(&self) -> bool {
        false
    }

    fn bonuses(&self, work: &SubmissionNames) -> Result<Vec<PaidBonus>> {
        let submission = self.submission(work)?;
        let paid = submission.get("bonus_payments").and_then(Value::as_array);
        // In hundredths, as numbers with a point.
        let hundredths = paid.into_iter().flatten().filter_map(Value::as_f64);
        let bonus = |hundredths: f64| PaidBonus {
            amount: Amount::of_hundredths(hundredths.round() as u32),
            reason: None,
        };
        Ok(hundredths.map(bonus).collect())
    }
}

/// Names come from participants' links and become part of an address.
fn plain(name: &str) -> Result<()> {
    let plain = !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-');
    if plain {
        Ok(())
    } else {
        Err(not_asked(format_args!("'{name}' is no name of Prolific's")))
    }
}
