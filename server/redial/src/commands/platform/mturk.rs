//! Mechanical Turk's API (docs.aws.amazon.com/AWSMechTurk), signed with AWS Signature Version 4.

use std::time::SystemTime;

use anyhow::Context as _;
use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use domain::recruitment::pay::Amount;
use serde_json::{Value, json};

use super::secret::Secret;
use super::speaker::{Advert, Speaker, Submission, SubmissionNames, ask, text};

/// Where nothing is paid and nobody works.
pub(super) const SANDBOX: &str = "https://mturk-requester-sandbox.us-east-1.amazonaws.com";

/// Where people work and money flows.
pub(super) const PRODUCTION: &str = "https://mturk-requester.us-east-1.amazonaws.com";

/// Every operation's name begins with it.
const SERVICE: &str = "MTurkRequesterServiceV20170117";

/// For how long a task is offered, in seconds: two weeks.
const LIFETIME_S: u64 = 14 * 24 * 60 * 60;

/// Without a decision, work is approved after this time, in seconds: a week.
const APPROVED_AFTER_S: u64 = 7 * 24 * 60 * 60;

/// How many assignments an answer lists at most.
const PAGE: u64 = 100;

/// Mechanical Turk, and who asks it.
pub(super) struct MturkApi {
    pub origin: String,
    pub key_id: Secret,
    pub key: Secret,
}

impl MturkApi {
    fn ask(&self, operation: &str, body: &Value) -> anyhow::Result<Value> {
        let body = body.to_string().into_bytes();
        let target = format!("{SERVICE}.{operation}");
        let mut request = http::Request::post([&self.origin, "/"].concat())
            .header("content-type", "application/x-amz-json-1.1")
            .header("x-amz-target", &target)
            .body(body.clone())?;
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
            .build()?
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
        )?;
        let (instructions, _) = sign(signable, &params)?.into_parts();
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

    fn create(&self, advert: &Advert) -> anyhow::Result<(String, String)> {
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
        let hit = made
            .get("HIT")
            .context("the platform's answer has no 'HIT'")?;
        let group = text(hit, "HITTypeId")?;
        Ok((
            text(hit, "HITId")?,
            format!("Workers find it now, under the group {group}."),
        ))
    }

    fn submissions(&self, study: &str) -> anyhow::Result<Vec<Submission>> {
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

    fn approve(&self, work: &SubmissionNames<'_>) -> anyhow::Result<()> {
        let id = json!({ "AssignmentId": work.submission });
        let known = self.ask("GetAssignment", &id)?;
        let status = known.pointer("/Assignment/AssignmentStatus");
        if status.and_then(Value::as_str) == Some("Approved") {
            return Ok(());
        }
        self.ask("ApproveAssignment", &id)?;
        Ok(())
    }

    fn rejection_fault(&self, because: &str) -> Option<String> {
        let length = because.chars().count();
        (length > 1_024).then(|| {
            format!("--because has {length} characters; Mechanical Turk takes at most 1024")
        })
    }

    fn reject(&self, work: &SubmissionNames<'_>, because: &str) -> anyhow::Result<()> {
        let body = json!({ "AssignmentId": work.submission, "RequesterFeedback": because });
        self.ask("RejectAssignment", &body)?;
        Ok(())
    }

    fn bonus(
        &self,
        work: &SubmissionNames<'_>,
        amount: Amount,
        because: &str,
        reference: &str,
    ) -> anyhow::Result<()> {
        // At most 64 characters; the same once more pays nothing.
        let token: String = format!("{}{reference}", work.submission);
        let token = token.chars().take(64).collect::<String>();
        let body = json!({
            "WorkerId": work.participant, "AssignmentId": work.submission,
            "BonusAmount": amount.to_string(), "Reason": because, "UniqueRequestToken": token,
        });
        self.ask("SendBonus", &body)?;
        Ok(())
    }
}
