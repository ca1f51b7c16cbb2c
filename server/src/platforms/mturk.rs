//! Mechanical Turk's API (docs.aws.amazon.com/AWSMechTurk), signed with AWS Signature Version 4.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use serde_json::{Value, json};

use super::secret::Secret;
use super::speaker::{
    Advert, BonusWish, PaidBonus, SpeakError, Speaker, Submission, SubmissionNames, WorkStatus,
    ask, not_asked, text,
};

/// Where nothing is paid and nobody works.
pub const SANDBOX: &str = "https://mturk-requester-sandbox.us-east-1.amazonaws.com";

/// Where people work and money flows.
pub const PRODUCTION: &str = "https://mturk-requester.us-east-1.amazonaws.com";

/// Every operation's name begins with it.
const SERVICE: &str = "MTurkRequesterServiceV20170117";

/// For how long a task is offered, in seconds: two weeks.
const LIFETIME_S: u64 = 14 * 24 * 60 * 60;

/// Without a decision, work is approved after this time, in seconds: a week.
const APPROVED_AFTER_S: u64 = 7 * 24 * 60 * 60;

/// How many assignments an answer lists at most.
const PAGE: u64 = 100;

/// Mechanical Turk, and who asks it.
pub struct MturkApi {
    /// Where its API is: [`SANDBOX`] or [`PRODUCTION`].
    pub origin: String,
    /// Name of the key.
    pub key_id: Secret,
    /// The key.
    pub key: Secret,
}

type Result<T> = std::result::Result<T, SpeakError>;

impl MturkApi {
    fn ask(&self, operation: &str, body: &Value) -> Result<Value> {
        let body = body.to_string().into_bytes();
        let target = format!("{SERVICE}.{operation}");
        let mut request = http::Request::post([&self.origin, "/"].concat())
            .header("content-type", "application/x-amz-json-1.1")
            .header("x-amz-target", &target)
            .body(body.clone())
            .map_err(not_asked)?;
        let identity = Credentials::new(
            self.key_id.reveal(),
            self.key.reveal(),
            None,
            None,
            "redial",
        );
        let identity = identity.into();
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region("us-east-1")
            .name("mturk-requester")
            .time(SystemTime::now())
            .settings(SigningSettings::default())
            .build()
            .map_err(not_asked)?
            .into();
        let headers = [
            ("content-type", "application/x-amz-json-1.1"),
            ("x-amz-target", target.as_str()),
        ];
        let url = request.uri().to_string();
        let signable = SignableRequest::new(
            "POST",
            &url,
            headers.into_iter(),
            SignableBody::Bytes(&body),
        )
        .map_err(not_asked)?;
        let signed = sign(signable, &params).map_err(not_asked)?;
        let (instructions, _) = signed.into_parts();
        instructions.apply_to_request_http1x(&mut request);
        ask("Mechanical Turk", request)
    }
}

/// A text within XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

impl Speaker for MturkApi {
    fn name(&self) -> &'static str {
        "mturk"
    }

    fn currency(&self) -> Option<&'static str> {
        Some("USD")
    }

    fn create(&self, advert: &Advert<'_>) -> Result<(String, String)> {
        let question = format!(
            "<ExternalQuestion xmlns=\"http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd\">\
             <ExternalURL>{}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>",
            escaped(&advert.url)
        );
        // Without a limit three times as long as it takes: nobody is to lose pay because they were slow.
        let minutes = advert.limit_minutes.unwrap_or(advert.minutes * 3);
        let seconds = u64::from(minutes) * 60;
        let body = json!({
            "Title": advert.title,
            "Description": advert.description,
            "Question": question,
            "Reward": advert.amount.to_string(),
            "MaxAssignments": advert.places,
            "AssignmentDurationInSeconds": seconds,
            "LifetimeInSeconds": LIFETIME_S,
            "AutoApprovalDelayInSeconds": APPROVED_AFTER_S,
        });
        let made = self.ask("CreateHIT", &body)?;
        let hit = made.get("HIT").ok_or(SpeakError::Lacks("HIT"))?;
        let group = text(hit, "HITTypeId")?;
        Ok((
            text(hit, "HITId")?,
            format!("Workers find it now, under the group {group}."),
        ))
    }

    fn submissions(&self, study: &str) -> Result<Vec<Submission>> {
        let mut all = Vec::new();
        let mut next: Option<String> = None;
        loop {
            let mut body = json!({ "HITId": study, "MaxResults": PAGE });
            if let Some(token) = next {
                body["NextToken"] = json!(token);
            }
            let answer = self.ask("ListAssignmentsForHIT", &body)?;
            let assignments = answer.get("Assignments").and_then(Value::as_array);
            for assignment in assignments.into_iter().flatten() {
                all.push(Submission {
                    id: text(assignment, "AssignmentId")?,
                    participant: text(assignment, "WorkerId")?,
                    status: text(assignment, "AssignmentStatus")?,
                });
            }
            next = answer
                .get("NextToken")
                .and_then(Value::as_str)
                .map(str::to_owned);
            if next.is_none() {
                return Ok(all);
            }
        }
    }

    fn status(&self, work: &SubmissionNames) -> Result<WorkStatus> {
        let known = self.ask("GetAssignment", &assignment(work))?;
        let status = known.pointer("/Assignment/AssignmentStatus");
        let status = status.and_then(Value::as_str);
        Ok(match status.ok_or(SpeakError::Lacks("AssignmentStatus"))? {
            "Approved" => WorkStatus::Approved,
            "Rejected" => WorkStatus::Rejected,
            other => WorkStatus::Other(other.to_owned()),
        })
    }

    fn approve(&self, work: &SubmissionNames) -> Result<()> {
        if self.status(work)? == WorkStatus::Approved {
            return Ok(());
        }
        self.ask("ApproveAssignment", &assignment(work))?;
        Ok(())
    }

    fn reject(&self, work: &SubmissionNames, _: &str, because: &str) -> Result<()> {
        let body = json!({ "AssignmentId": work.submission, "RequesterFeedback": because });
        self.ask("RejectAssignment", &body)?;
        Ok(())
    }

    fn ask_return(&self, _: &SubmissionNames, _: &str) -> Result<()> {
        Err(not_asked("Mechanical Turk asks nobody to return work"))
    }

    fn return_is_asked(&self, _: &SubmissionNames) -> Result<bool> {
        Ok(false)
    }

    fn begin_bonus(&self, _: &SubmissionNames, _: BonusWish<'_>) -> Result<Option<String>> {
        Ok(None)
    }

    fn pay_bonus(
        &self,
        work: &SubmissionNames,
        bonus: BonusWish<'_>,
        _: Option<&str>,
    ) -> Result<()> {
        // At most 64 characters; the same once more pays nothing.
        let token: String = format!("{}{}", work.submission, bonus.reference);
        let token = token.chars().take(64).collect::<String>();
        let body = json!({
            "WorkerId": work.participant, "AssignmentId": work.submission,
            "BonusAmount": bonus.amount.to_string(), "Reason": bonus.because,
            "UniqueRequestToken": token,
        });
        self.ask("SendBonus", &body)?;
        Ok(())
    }

    fn bonus_repeats(&self) -> bool {
        true
    }

    fn bonuses(&self, work: &SubmissionNames) -> Result<Vec<PaidBonus>> {
        let mut body = assignment(work);
        body["MaxResults"] = json!(PAGE);
        let answer = self.ask("ListBonusPayments", &body)?;
        let paid = answer.get("BonusPayments").and_then(Value::as_array);
        let bonus = |value: &Value| {
            Some(PaidBonus {
                amount: value.get("BonusAmount")?.as_str()?.parse().ok()?,
                reason: value
                    .get("Reason")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            })
        };
        Ok(paid.into_iter().flatten().filter_map(bonus).collect())
    }
}

/// Somebody's work, as requests name it.
fn assignment(work: &SubmissionNames) -> Value {
    json!({ "AssignmentId": work.submission })
}
