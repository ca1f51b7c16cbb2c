//! Whether a request to start makes sense.

use api::StartRequest;
use domain::design::{Design, Levels, Varies};
use domain::recruitment::platform::MAX_PARAMETERS;
use sha2::{Digest, Sha256};

use super::super::SessionError;
use crate::secrets::hex;

/// Whether each question of the first page was answered, with an answer that it has.
pub(super) fn answered(design: &Design, answers: &Levels) -> Result<(), SessionError> {
    let asked = design.factors_that(Varies::Answer);
    for factor in asked {
        let fits = answers
            .get(&factor.name)
            .is_some_and(|it| factor.levels.contains(it));
        if !fits {
            return Err(SessionError::Malformed(format!(
                "'answers' needs '{}': one of {}",
                factor.name,
                factor.levels.join(", ")
            )));
        }
    }
    let is_asked = |name: &String| {
        design
            .factor(name)
            .is_some_and(|it| it.varies == Varies::Answer)
    };
    match answers.keys().find(|name| !is_asked(name)) {
        Some(name) => Err(SessionError::Malformed(format!(
            "'answers' has '{name}', which the study does not ask before the start"
        ))),
        None => Ok(()),
    }
}

/// The request, if its shape is right. The person whom its link names is looked at afterwards; a code beside
/// the link is one more parameter of it.
pub(super) fn checked(request: StartRequest) -> Result<StartRequest, SessionError> {
    let fits = |c: u8| c.is_ascii_alphanumeric() || c == b'-';
    let attempt = &request.attempt;
    if !(16..=64).contains(&attempt.len()) || !attempt.bytes().all(fits) {
        return Err(SessionError::Malformed(
            "attempt: 16 to 64 letters, digits and '-'".into(),
        ));
    }
    let mut link = request.link;
    if let Some(code) = request.participant_code {
        let named = link.entry("participant".to_owned()).or_insert(code.clone());
        if *named != code {
            return Err(SessionError::Malformed(
                "participant_code and the link's 'participant' name two people".into(),
            ));
        }
    }
    if link.len() > MAX_PARAMETERS {
        return Err(SessionError::Malformed(format!(
            "link: at most {MAX_PARAMETERS} parameters"
        )));
    }
    Ok(StartRequest {
        // The stored hash of the attempt opens nothing.
        attempt: hex(&Sha256::digest(attempt)),
        participant_code: None,
        link,
        ..request
    })
}
