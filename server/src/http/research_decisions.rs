//! The researcher's area: what platforms are told of sessions, and payments that are noted.

use api::research::{
    DecisionInfo, DecisionMade, Done, Outbox, OutboxPlatform, PaymentNoted, PaymentRequest, Right,
    SettlementRequest, WantedDeed,
};
use api::{ErrorCode as E, routes};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::Method;
use domain::recruitment::pay::{Entry, EntryKind, MAX_TEXT};
use domain::session::event::SessionId;

use super::endpoint::Endpoint;
use super::error::ApiError;
use super::extract;
use super::research::Entered;
use super::research_studies::{carried_out, carry_out, session_of};
use crate::access::AccessError;
use crate::control::Request;
use crate::people::person;
use crate::platforms::TOLD;
use crate::sessions::{DecisionError, SessionError, sessions_paid_by_hand};
use crate::state::ServerState;
use crate::storage::{StorageError, StoredDecision};

/// The endpoints of this module, with their description.
pub(super) fn endpoints() -> Vec<Endpoint> {
    let session = &SessionId("{session}".to_owned());
    vec![
        Endpoint::new(Method::GET, &routes::research_outbox("{study}"), "show_outbox", outbox)
            .about("What platforms are told of a study's sessions: what waits and until when, what was sent, what failed and why.")
            .with_right(Right::Manage)
            .answers::<Outbox>(),
        Endpoint::new(Method::POST, &routes::research_decisions("{study}", session), "decide", decide)
            .about("Decides that the platform of a session's participant approves or rejects the work, or pays a bonus. It waits in the outbox, and is sent once. Work that is not finished, or that was paid by hand, is approved only with `anyway`.")
            .with_right(Right::Manage)
            .takes::<WantedDeed>()
            .answers::<DecisionMade>()
            .or(&[E::Decided, E::Refused, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::research_take_back("{study}", "{id}"), "take_decision_back", take_back)
            .about("Takes a decision back that was not sent.")
            .with_right(Right::Manage)
            .answers::<Done>()
            .or(&[E::Decided, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::research_settlement("{study}", "{id}"), "settle_decision", settle)
            .about("Says of a decision that was refused, or that may have been done and has no answer, after a look at the platform, that it is done, is to be sent again, or is dropped.")
            .with_right(Right::Manage)
            .takes::<SettlementRequest>()
            .answers::<Done>()
            .or(&[E::Decided, E::StorageFull]),
        Endpoint::new(Method::POST, &routes::research_payments("{study}", session), "note_payment", note_payment)
            .about("Notes a payment for a session that was made by hand, as `redial pay paid` does. No money is moved.")
            .with_right(Right::Manage)
            .takes::<PaymentRequest>()
            .answers::<PaymentNoted>()
            .or(&[E::Refused, E::StorageFull]),
    ]
}

/// `GET /research/api/studies/{study}/decisions`
async fn outbox(
    State(state): State<ServerState>,
    Path(study): Path<String>,
) -> Result<Json<Outbox>, ApiError> {
    let failed = |error: StorageError| ApiError::from(SessionError::from(error));
    let mut snapshot = state.storage.study_snapshot(&study).await.map_err(failed)?;
    let decisions = snapshot.decisions().await.map_err(failed)?;
    let payments = snapshot.payments().await.map_err(failed)?;
    drop(snapshot);
    let entry = state.library.study(&study);
    let platforms = state.library.platforms();
    let entry = entry.as_deref();
    let from = entry.map(|entry| entry.study.recruitment.as_slice());
    let told = from.unwrap_or_default().iter().map(|from| from.facts());
    let told = told.filter(|facts| TOLD.contains(&facts.name));
    let pay = entry.and_then(|entry| entry.study.pay.as_ref());
    Ok(Json(Outbox {
        platforms: told
            .map(|facts| OutboxPlatform {
                name: facts.name.to_owned(),
                title: facts.title.to_owned(),
                reachable: platforms.can_reach(facts.name),
            })
            .collect(),
        wait_ms: platforms.wait_ms,
        amount: pay.map(|pay| pay.amount),
        currency: pay.map(|pay| pay.currency.clone()),
        decisions: decisions.into_iter().map(info).collect(),
        too_fast: state.sessions.too_fast(&study).await?,
        paid_by_hand: sessions_paid_by_hand(payments),
        at_unix_ms: state.sessions.now_unix_ms(),
    }))
}

fn info(decision: StoredDecision) -> DecisionInfo {
    let course = decision.course;
    DecisionInfo {
        number: decision.number,
        session: decision.session,
        platform: decision.platform,
        deed: decision.deed,
        decided_by: decision.decided_by,
        decided_at_unix_ms: decision.decided_at_unix_ms,
        state: course.state,
        since_unix_ms: course.since_unix_ms,
        next_at_unix_ms: course.next_at_unix_ms,
        can_be_taken_back: course.can_be_taken_back(),
        can_be_settled: course.can_be_settled(),
        failing_since_unix_ms: course.failing_since_unix_ms,
        answer: course.answer,
        settled_by: course.by,
    }
}

/// `POST /research/api/studies/{study}/sessions/{session}/decisions`
async fn decide(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
    extract::Json(wanted): extract::Json<WantedDeed>,
) -> Result<Json<DecisionMade>, ApiError> {
    let session = session_of(&state, &study, session).await?.id;
    let request = Request::Decide {
        study,
        session,
        wanted,
        at_once: false,
    };
    let outcome = carried_out(&state, &who, &request).await?;
    Ok(Json(DecisionMade {
        number: outcome.decision.unwrap_or_default(),
    }))
}

/// The number in a path.
fn number_of(text: &str) -> Result<u64, ApiError> {
    let number = text.parse().ok().filter(|number| *number > 0);
    Ok(number.ok_or(SessionError::Decision(DecisionError::NotFound))?)
}

/// `POST /research/api/studies/{study}/decisions/{id}/take-back`
async fn take_back(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path((study, number)): Path<(String, String)>,
) -> Result<Json<Done>, ApiError> {
    let number = number_of(&number)?;
    carry_out(&state, &who, &Request::TakeBack { study, number }).await
}

/// `POST /research/api/studies/{study}/decisions/{id}/settlement`
async fn settle(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path((study, number)): Path<(String, String)>,
    extract::Json(SettlementRequest { how }): extract::Json<SettlementRequest>,
) -> Result<Json<Done>, ApiError> {
    let number = number_of(&number)?;
    let request = Request::Settle { study, number, how };
    carry_out(&state, &who, &request).await
}

/// `POST /research/api/studies/{study}/sessions/{session}/payments`
async fn note_payment(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
    extract::Json(wanted): extract::Json<PaymentRequest>,
) -> Result<Json<PaymentNoted>, ApiError> {
    let refused = |words: String| ApiError::new(E::Refused, words);
    let stored = session_of(&state, &study, session).await?;
    let reference = wanted.reference.trim().to_owned();
    let length = reference.chars().count();
    if length > MAX_TEXT {
        return Err(refused(format!(
            "the reference has {length} characters; at most {MAX_TEXT} are kept"
        )));
    }
    let entry = state.library.study(&study);
    let now = entry.and_then(|entry| entry.study.pay.clone());
    let account = async || {
        let archive = &*state.storage;
        let found = person(archive, &study, now.clone(), &stored.id, stored.ordinal).await;
        let found = found.map_err(AccessError::Storage)?;
        let person = found.ok_or_else(|| {
            refused(format!(
                "session {} is a trial and no participant's; nobody is paid for it",
                stored.id
            ))
        })?;
        Ok::<_, ApiError>(person.account)
    };
    let before = account().await?;
    let currency = before.currency.clone().ok_or_else(|| {
        refused("the study declares no pay; note it with redial pay paid and --currency".to_owned())
    })?;
    let amount = wanted.amount.unwrap_or_else(|| before.due());
    if amount.is_zero() {
        return Ok(Json(PaymentNoted {
            added: false,
            due: Some(before.due()),
        }));
    }
    let request = Request::Pay {
        study: study.clone(),
        entries: vec![Entry {
            session: stored.id.clone(),
            kind: EntryKind::Paid,
            reference,
            amount,
            currency,
            reason: None,
            at_unix_ms: state.sessions.now_unix_ms(),
        }],
    };
    let outcome = carried_out(&state, &who, &request).await?;
    Ok(Json(PaymentNoted {
        added: outcome.changed > 0,
        due: Some(account().await?.due()),
    }))
}
