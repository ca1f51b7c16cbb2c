//! Decisions that platforms are told.

use api::research::{Act, WantedDeed};
use domain::recruitment::outbox::DeedKind;

use super::super::{Outcome, RequestError};
use super::Request;
use crate::access::{Access, SignedIn};
use crate::sessions::Sessions;
use crate::storage::Audited;

impl Request {
    /// Does what is about a decision for a platform, and notes it with its session.
    pub(super) async fn carry_out_decision(
        &self,
        sessions: &Sessions,
        access: &Access,
        by: Option<&SignedIn>,
    ) -> Result<Outcome, RequestError> {
        let name = by.map(SignedIn::name);
        let (act, study, session, about, number) = match self {
            Self::Decide {
                study,
                session,
                wanted,
                at_once,
            } => {
                let number = sessions
                    .decide(study, session, wanted, *at_once, name)
                    .await?;
                let about = match wanted {
                    WantedDeed::Approve { .. } => "approve".to_owned(),
                    WantedDeed::Reject { .. } => "reject".to_owned(),
                    WantedDeed::AskReturn { .. } => DeedKind::AskReturn.name().to_owned(),
                    WantedDeed::Bonus { amount, .. } => format!("bonus of {amount}"),
                };
                (Act::Decided, study, session.clone(), about, number)
            }
            Self::TakeBack { study, number } => {
                let decision = sessions.take_back(study, *number, name).await?;
                let about = decision.deed.kind().name().to_owned();
                (
                    Act::DecisionTakenBack,
                    study,
                    decision.session,
                    about,
                    *number,
                )
            }
            Self::Settle { study, number, how } => {
                let decision = sessions.settle(study, *number, *how, name).await?;
                let about = format!("{}: {}", decision.deed.kind().name(), how.name());
                (
                    Act::DecisionSettled,
                    study,
                    decision.session,
                    about,
                    *number,
                )
            }
            Self::AskWait { platform } => {
                return Ok(Outcome {
                    waits_ms: sessions.decisions_wait_ms(platform),
                    ..Outcome::default()
                });
            }
            _ => return Ok(Outcome::default()),
        };
        let noted = Audited {
            study: Some(study.clone()),
            session: Some(session.0),
            about: Some(format!("{about} (decision {number})")),
            ..access.audited(by, act)
        };
        access.note(noted).await?;
        Ok(Outcome {
            changed: 1,
            decision: Some(number),
            ..Outcome::default()
        })
    }
}
