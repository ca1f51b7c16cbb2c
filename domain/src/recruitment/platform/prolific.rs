//! Prolific: the link carries `PROLIFIC_PID`, `STUDY_ID` and `SESSION_ID`; participants go back
//! to an address with a code that all participants of the study share.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Departure, Ended, Parameters, Platform, PlatformFacts, SettingsFault, WayBack};

/// Where participants go back to.
const COMPLETE: &str = "https://app.prolific.com/submissions/complete?cc=";

/// The study's codes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Prolific {
    /// Completion codes by their type, as the study has them at Prolific. `COMPLETED` must be
    /// there; who ends in another way than the types here say is told to return the submission.
    #[cfg_attr(feature = "check", schemars(extend("propertyNames" = code_names())))]
    pub codes: BTreeMap<Code, String>,
    /// Take only links that Prolific has signed (*Secured External URL* there). Absent: signatures
    /// are not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<SignedLinks>,
}

/// What a signed link must say beside who comes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SignedLinks {
    /// The domain of this server, which the link must be meant for: `study.example.org`.
    pub domain: String,
}

impl SignedLinks {
    /// Whether a link is meant for this server, by what it says of its audience: a domain, or an
    /// address there.
    #[must_use]
    pub fn is_meant(&self, audience: &str) -> bool {
        let rest = audience
            .split_once("://")
            .map_or(audience, |(_, rest)| rest);
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // `name@host` would be another host than it looks like.
        let host = host.split_once(':').map_or(host, |(host, _)| host);
        host.eq_ignore_ascii_case(&self.domain)
    }
}

/// Completes the parameters of a link by what Prolific has signed; the signature itself is dropped.
///
/// # Errors
/// The parameter that says something else than what was signed, or that is missing in both.
pub fn signed_link(
    link: &Parameters,
    signed: impl Fn(&str) -> Option<String>,
) -> Result<Parameters, &'static str> {
    let mut complete = link.clone();
    for name in Prolific::FACTS.parameters {
        if Some(*name) == Prolific::FACTS.signature {
            complete.remove(*name);
            continue;
        }
        let said = link.get(*name).map(|value| value.trim());
        match (said, signed(name)) {
            (said, Some(signed))
                if said.is_none_or(|said| said == signed) && !signed.is_empty() =>
            {
                complete.insert((*name).to_owned(), signed);
            }
            _ => return Err(name),
        }
    }
    Ok(complete)
}

/// The types of completion codes, by Prolific's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// Everything was answered.
    Completed,
    /// Everything was answered, two or more attention checks wrongly. Without this code they
    /// get that of `COMPLETED`.
    FailedAttentionCheck,
    /// The participant did not agree, or stopped before the end.
    NoConsent,
    /// The participant's device does not fit the study: they are asked to return their submission.
    IncompatibleDevice,
    /// Wrong answers in practice ended the session: in-study screening, with its fixed reward.
    FixedScreenout,
}

/// The names of the types, as a schema.
#[cfg(feature = "check")]
fn code_names() -> serde_json::Value {
    let names = [
        Code::Completed,
        Code::FailedAttentionCheck,
        Code::NoConsent,
        Code::IncompatibleDevice,
        Code::FixedScreenout,
    ];
    serde_json::json!({ "enum": names })
}

impl Prolific {
    fn code(&self, ended: Ended) -> Option<&str> {
        let of = |code: Code| self.codes.get(&code).map(String::as_str);
        match ended {
            Ended::Completed => of(Code::Completed),
            Ended::AttentionChecksFailed => {
                of(Code::FailedAttentionCheck).or_else(|| of(Code::Completed))
            }
            Ended::IncompatibleDevice => of(Code::IncompatibleDevice),
            Ended::ScreenedOut => of(Code::FixedScreenout),
            Ended::NoConsent | Ended::Withdrawn => of(Code::NoConsent),
        }
    }
}

impl Platform for Prolific {
    const FACTS: PlatformFacts = PlatformFacts {
        name: "prolific",
        title: "Prolific",
        parameters: &["PROLIFIC_PID", "STUDY_ID", "SESSION_ID", "prolific_token"],
        participant: "PROLIFIC_PID",
        submission: Some("SESSION_ID"),
        signature: Some("prolific_token"),
        framed_by: &[],
        posts_to: &[],
    };

    fn way_back(&self, departure: &Departure<'_>) -> Option<WayBack> {
        let code = self.code(departure.ended)?;
        Some(WayBack {
            platform: Self::FACTS.title.to_owned(),
            code: Some(code.to_owned()),
            url: [COMPLETE, code].concat(),
            form: BTreeMap::new(),
        })
    }

    fn faults(&self) -> Vec<SettingsFault> {
        let mut faults = Vec::new();
        if !self.codes.contains_key(&Code::Completed) {
            faults.push(SettingsFault {
                field: "codes",
                found: "no code COMPLETED".to_owned(),
                expected: "the code that the study has at Prolific for those who complete it",
            });
        }
        let domain = self.signed.as_ref().map(|signed| &signed.domain);
        if let Some(domain) = domain.filter(|domain| !is_domain(domain)) {
            faults.push(SettingsFault {
                field: "signed.domain",
                found: format!("'{domain}'"),
                expected: "the domain of this server alone, such as study.example.org",
            });
        }
        let fits = |code: &str| {
            (1..=64).contains(&code.len()) && code.bytes().all(|c| c.is_ascii_alphanumeric())
        };
        let misfits = self.codes.values().filter(|code| !fits(code));
        faults.extend(misfits.map(|code| SettingsFault {
            field: "codes",
            found: format!("'{code}'"),
            expected: "1 to 64 letters and digits, as Prolific shows them",
        }));
        faults
    }
}

/// Whether a text can be a domain, and nothing more.
pub(super) fn is_domain(text: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || c == b'-')
    };
    text.len() <= 253 && text.split('.').all(label)
}
