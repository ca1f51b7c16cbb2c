//! What a study takes people for: decided by its owner, and what is to be looked at before.

use api::research::{
    Act, AuditLog, CheckState, Checklist, Role, Studies, StudyState, StudySummary,
};
use api::{Admission, ErrorCode, SessionStarted, StudyInfo, StudyList, routes};
use axum::http::Method;
use domain::recruitment::StudyStatus;
use domain::recruitment::assignment::Purpose;
use domain::session::event::SessionId;
use serde_json::{Value, json};
use server::storage::{Credit, CreditState};

use super::{Area, Shows};
use crate::app::{STUDY, ack, log_of, study_with};

async fn decide(area: &Area, shows: &Shows, status: StudyStatus) {
    let body = json!({ "status": status });
    let path = routes::research_status(STUDY);
    let answer = area.call(Method::POST, &path, shows, Some(body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
}

async fn start(area: &Area, attempt: u32) -> Result<SessionStarted, ErrorCode> {
    let body = json!({ "attempt": format!("{attempt:016}") });
    let answer = area.app.ask_to_start(body).await;
    if answer.status == 200 {
        Ok(answer.json())
    } else {
        Err(answer.error().code)
    }
}

#[tokio::test]
async fn a_study_takes_nobody_pilots_participants_and_nobody_any_more() {
    let area = Area::new().await;
    area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
    let shows = area.sign_in("ada").await;
    let state = async || {
        let found: Studies = area.get(routes::RESEARCH_STUDIES, &shows).await.json();
        (found.studies[0].status, found.studies[0].state)
    };
    let door = async || {
        let info: StudyInfo = area.app.get(&routes::study(STUDY)).await.json();
        (info.arrival.door, info.arrival.trial)
    };
    let listed = async || {
        let list: StudyList = area.app.get(routes::STUDIES).await.json();
        list.studies.iter().any(|it| it.id == STUDY)
    };
    assert_eq!(state().await, (StudyStatus::Running, StudyState::Running));
    let early = start(&area, 1).await.unwrap();

    decide(&area, &shows, StudyStatus::Draft).await;
    assert_eq!(state().await, (StudyStatus::Draft, StudyState::Draft));
    assert_eq!(door().await, (Admission::NotNow, false));
    assert!(!listed().await);
    assert_eq!(start(&area, 2).await.unwrap_err(), ErrorCode::NotOpen);
    // Whoever has begun goes on, by the same attempt as well.
    let again = start(&area, 1).await.unwrap();
    assert_eq!(again.plan.session, early.plan.session);
    ack(&area.app.append(&again, &log_of(&again)).await);

    decide(&area, &shows, StudyStatus::Pilot).await;
    assert_eq!(state().await, (StudyStatus::Pilot, StudyState::Pilot));
    assert_eq!(door().await, (Admission::Open, true));
    assert!(listed().await);
    let pilot = start(&area, 3).await.unwrap();
    let purpose = async |of: &SessionStarted| {
        let storage = &area.app.state.storage;
        storage.purpose(&of.plan.session).await.unwrap()
    };
    assert_eq!(purpose(&pilot).await, Purpose::Pilot);
    assert_eq!(purpose(&early).await, Purpose::Participant);

    decide(&area, &shows, StudyStatus::Running).await;
    let participant = start(&area, 4).await.unwrap();
    assert_eq!(purpose(&participant).await, Purpose::Participant);
    // A pilot that goes on is still one.
    assert_eq!(
        start(&area, 3).await.unwrap().plan.session,
        pilot.plan.session
    );

    decide(&area, &shows, StudyStatus::Closed).await;
    assert_eq!(state().await, (StudyStatus::Closed, StudyState::Closed));
    assert_eq!(door().await, (Admission::NotNow, false));
    assert_eq!(start(&area, 5).await.unwrap_err(), ErrorCode::NotOpen);
    ack(&area.app.append(&participant, &log_of(&participant)).await);

    let log: AuditLog = area.get(routes::AUDIT_LOG, &shows).await.json();
    let decided = log.entries.iter().rev();
    let decided = decided.filter(|it| it.act == Act::StatusChanged);
    let decided: Vec<&str> = decided.filter_map(|it| it.about.as_deref()).collect();
    assert_eq!(decided, ["draft", "pilot", "running", "closed"]);
}

#[tokio::test]
async fn the_checklist_says_what_is_left_to_do() {
    let study = study_with(json!({
        "pay": { "currency": "GBP", "amount": "3.00" },
        "recruitment": [{ "platform": "prolific", "codes": { "COMPLETED": "C1" } }, { "platform": "link" }]
    }));
    let area = Area::of(study).await;
    area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
    let shows = area.sign_in("ada").await;
    let found = async || {
        let list: Checklist = area
            .get(&routes::research_checklist(STUDY), &shows)
            .await
            .json();
        let items = list.items.into_iter();
        items
            .map(|it| (it.what, it.state, it.about.join(" ")))
            .collect::<Vec<_>>()
    };
    let of = |items: &[(String, CheckState, String)], what: &str| {
        let item = items.iter().find(|it| it.0 == what).unwrap();
        (item.1, item.2.clone())
    };
    let before = found().await;
    let (checked, warnings) = of(&before, "Checked");
    assert_eq!(checked, CheckState::Open);
    assert!(
        warnings.contains("the consent form says nothing of pay"),
        "{warnings}"
    );
    assert_eq!(of(&before, "Piloted").0, CheckState::Open);
    assert_eq!(of(&before, "Pay per hour").0, CheckState::Open);
    assert!(of(&before, "Codes of the platform").1.contains("C1"));
    assert_eq!(of(&before, "HTTPS").0, CheckState::Open);

    decide(&area, &shows, StudyStatus::Pilot).await;
    let pilot = start(&area, 1).await.unwrap();
    let log = log_of(&pilot);
    ack(&area.app.append(&pilot, &log).await);
    let after = found().await;
    assert_eq!(of(&after, "Piloted").0, CheckState::Done);
    // By hand: three pounds for the time of the log's last event.
    let minutes = log.last().unwrap().at_ms as f64 / 60_000.0;
    let hourly = format!("GBP {:.2} an hour", 3.0 * 60.0 / minutes);
    let (state, about) = of(&after, "Pay per hour");
    assert_eq!(state, CheckState::Done);
    assert!(about.contains(&hourly), "{about}, not {hourly}");
}

#[tokio::test]
async fn a_status_that_is_none_is_refused() {
    let area = Area::new().await;
    area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
    let shows = area.sign_in("ada").await;
    let path = routes::research_status(STUDY);
    for body in [json!({ "status": "open" }), Value::Null, json!({})] {
        let answer = area.call(Method::POST, &path, &shows, Some(body)).await;
        answer.refused(ErrorCode::Malformed);
    }
}

#[tokio::test]
async fn credits_that_sona_has_not_given_need_somebody() {
    let area = Area::new().await;
    area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
    let shows = area.sign_in("ada").await;
    let note = async |number: u32, state: CreditState| {
        let credit = Credit {
            session: SessionId(format!("{number:032}")),
            study: STUDY.to_owned(),
            state,
            attempts: 1,
            next_at_unix_ms: 0,
            answer: "no".to_owned(),
            asked_at_unix_ms: 0,
        };
        area.app.state.storage.note_credit(credit).await.unwrap();
    };
    for (number, state) in [
        (1, CreditState::Waiting),
        (2, CreditState::Refused),
        (3, CreditState::Refused),
        (4, CreditState::Given),
        (5, CreditState::NotDue),
    ] {
        note(number, state).await;
    }
    let study: StudySummary = area
        .get(&routes::research_study(STUDY), &shows)
        .await
        .json();
    assert_eq!((study.credits.refused, study.credits.unanswered), (2, 1));
    // What is answered needs nobody any more.
    note(1, CreditState::Given).await;
    let list: Studies = area.get(routes::RESEARCH_STUDIES, &shows).await.json();
    assert_eq!(list.studies[0].credits.unanswered, 0);
}
