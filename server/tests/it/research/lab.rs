//! Lab sessions: experimenters see those that they run.

use api::lab::LabStudies;
use api::replay::{NewEvents, ReplayState};
use api::research::{Act, AuditLog, Role, SessionTable};
use api::{ErrorCode, routes};
use axum::http::Method;
use domain::session::event::{Author, Event, SessionId};
use serde_json::{Value, json};
use server::control::Request;
use server::secrets::TokenHash;

use super::{Area, Shows};
use crate::app::{ATTEMPT, STUDY, ack, log_of};

fn study() -> Value {
    json!({
        "format": 2, "id": STUDY, "title": "Beside somebody", "mode": "lab", "seed": 3,
        "parts": [{ "kind": "stage", "id": "waves", "task": {
            "kind": "reconstruction", "model": "sinelines-gt5", "questions": 2 } }]
    })
}

async fn area() -> Area {
    let area = Area::of(study()).await;
    for (name, role) in [
        ("olga", Role::Owner),
        ("ann", Role::Analyst),
        ("eve", Role::Experimenter),
        ("bob", Role::Experimenter),
        ("vic", Role::Viewer),
    ] {
        area.add(name, false, &[(STUDY, role, false)]).await;
    }
    area
}

async fn listed(area: &Area, shows: &Shows) -> Vec<(SessionId, Option<String>, Option<String>)> {
    let found: LabStudies = area.get(routes::LAB_STUDIES, shows).await.json();
    let lines = found.studies.into_iter().flat_map(|study| study.sessions);
    lines
        .map(|line| (line.session, line.participant_code, line.experimenter))
        .collect()
}

#[tokio::test]
async fn experimenters_see_the_sessions_that_they_run_and_no_others() {
    let area = area().await;
    let first = area.app.start_as(ATTEMPT, "P01").await;
    ack(&area.app.append(&first, &log_of(&first)[..3]).await);
    let second = area.app.start_as("another-attempt-0", "P02").await;
    let (one, two) = (&first.plan.session, &second.plan.session);
    let (olga, ann) = (area.sign_in("olga").await, area.sign_in("ann").await);
    let (eve, bob) = (area.sign_in("eve").await, area.sign_in("bob").await);
    let vic = area.sign_in("vic").await;
    let take = async |shows: &Shows, session: &SessionId, name: &str| {
        let path = routes::lab_experimenter(STUDY, session);
        let body = json!({ "name": name });
        area.call(Method::POST, &path, shows, Some(body)).await
    };
    let see = async |shows: &Shows, session: &SessionId| {
        area.get(&routes::research_session(STUDY, session), shows)
            .await
    };

    // Nobody runs them yet: whoever is there for it takes one.
    assert_eq!(listed(&area, &eve).await.len(), 2);
    assert_eq!(take(&eve, one, "eve").await.status, 200);
    let code = Some("P01".to_owned());
    assert_eq!(
        listed(&area, &eve).await[1],
        (one.clone(), code, Some("eve".to_owned()))
    );
    let of_bob = listed(&area, &bob).await;
    assert_eq!(of_bob.len(), 1);
    assert_eq!(&of_bob[0].0, two);

    // What is another one's is as if it did not exist.
    see(&bob, one).await.refused(ErrorCode::Forbidden);
    take(&bob, one, "bob").await.refused(ErrorCode::Forbidden);
    let acts = routes::lab_acts(STUDY, one);
    let note = json!({ "act": "note", "text": "hesitates" });
    let noted = async |shows: &Shows| {
        let note = Some(note.clone());
        area.call(Method::POST, &acts, shows, note).await
    };
    noted(&bob).await.refused(ErrorCode::Forbidden);
    noted(&vic).await.refused(ErrorCode::Forbidden);
    assert_eq!(noted(&eve).await.status, 200);
    // Analysts write notes, but do not take over what somebody runs.
    assert_eq!(noted(&ann).await.status, 200);
    let refused = take(&ann, one, "ann").await.refused(ErrorCode::Refused);
    assert!(refused.message.contains("eve runs this session"));

    // Who was there and what was typed is for whoever runs it, and noted.
    let shown = routes::research_session(STUDY, one);
    let named: ReplayState = area
        .get(&format!("{shown}?identifying=true"), &eve)
        .await
        .json();
    assert_eq!(named.session.participant_code.as_deref(), Some("P01"));
    let hidden: ReplayState = see(&ann, one).await.json();
    assert_eq!(hidden.session.participant_code, None);
    area.get(&format!("{shown}?identifying=true"), &ann)
        .await
        .refused(ErrorCode::Forbidden);
    let events = routes::research_events(STUDY, one);
    let new: NewEvents = area
        .get(&format!("{events}?identifying=true"), &eve)
        .await
        .json();
    let note =
        |event: &Event| matches!(event, Event::NoteWritten { text, .. } if text == "hesitates");
    assert!(new.events.iter().any(|it| note(&it.event)));
    assert!(new.events.iter().any(|it| it.author == Author::Experimenter
        && it.event == Event::ExperimenterNamed { name: "eve".into() }));

    // The table has their own sessions.
    let path = routes::research_sessions(STUDY);
    let path = format!("{path}?columns=session,experimenter,participant_code");
    let table: SessionTable = area.get(&path, &eve).await.json();
    assert_eq!((table.all, table.matching, table.rows.len()), (1, 1, 1));
    assert_eq!(table.rows[0].values[1].as_deref(), Some("eve"));
    assert_eq!(table.rows[0].values[2].as_deref(), Some("P01"));
    let table: SessionTable = area.get(&path, &bob).await.json();
    assert_eq!((table.all, table.rows.len()), (0, 0));
    area.get(&routes::research_study(STUDY), &eve)
        .await
        .refused(ErrorCode::Forbidden);

    // An owner gives a session to somebody, who has a role in the study.
    take(&bob, two, "eve").await.refused(ErrorCode::Forbidden);
    take(&olga, two, "nobody")
        .await
        .refused(ErrorCode::NotFound);
    assert_eq!(take(&bob, two, "bob").await.status, 200);
    assert_eq!(take(&olga, two, "eve").await.status, 200);
    assert!(listed(&area, &bob).await.is_empty());
    assert_eq!(listed(&area, &eve).await.len(), 2);
    // The command does the same.
    let state = &area.app.state;
    let request = Request::NameExperimenter {
        session: two.clone(),
        name: "bob".into(),
    };
    let done = request.carry_out(&state.sessions, &state.access, None);
    assert_eq!(done.await.unwrap().changed, 1);
    assert_eq!(listed(&area, &bob).await.len(), 1);
    let log: AuditLog = area.get(routes::AUDIT_LOG, &olga).await.json();
    let named: Vec<(Option<&str>, Option<&str>)> = log
        .entries
        .iter()
        .filter(|entry| entry.act == Act::ExperimenterNamed)
        .map(|entry| (entry.by.as_deref(), entry.about.as_deref()))
        .collect();
    let expected = [
        (None, Some("bob")),
        (Some("olga"), Some("eve")),
        (Some("bob"), Some("bob")),
        (Some("eve"), Some("eve")),
    ];
    assert_eq!(named, expected);
    assert!(
        log.entries
            .iter()
            .any(|it| it.act == Act::Identified && it.by.as_deref() == Some("eve"))
    );
}

#[tokio::test]
async fn what_nobody_ran_is_nobody_s_once_it_has_ended() {
    let area = area().await;
    let started = area.app.start(ATTEMPT).await;
    ack(&area.app.append(&started, &log_of(&started)).await);
    let eve = area.sign_in("eve").await;
    assert!(listed(&area, &eve).await.is_empty());
    area.get(
        &routes::research_session(STUDY, &started.plan.session),
        &eve,
    )
    .await
    .refused(ErrorCode::Forbidden);
    let olga = area.sign_in("olga").await;
    assert_eq!(listed(&area, &olga).await.len(), 1);
}

#[tokio::test]
async fn the_key_of_the_lab_opens_nothing_once_there_is_an_account() {
    let mut area = Area::of(study()).await;
    let key = area.app.state.sessions.lab_key().await.unwrap();
    area.app.state.lab_key = Some(TokenHash::of(&key));
    area.app.router = server::http::router(area.app.state.clone());
    let shows = Shows {
        bearer: Some(key),
        ..Shows::default()
    };
    let started = area.app.start(ATTEMPT).await;
    assert_eq!(listed(&area, &shows).await.len(), 1);
    let session = &started.plan.session;
    let named = json!({ "name": "lab key" });
    let path = routes::lab_experimenter(STUDY, session);
    area.call(Method::POST, &path, &shows, Some(named))
        .await
        .refused(ErrorCode::Refused);
    area.add("ada", true, &[]).await;
    for path in [
        routes::LAB_STUDIES.to_owned(),
        routes::research_session(STUDY, session),
    ] {
        let refused = area
            .get(&path, &shows)
            .await
            .refused(ErrorCode::Unauthorised);
        assert!(refused.message.contains("sign in at"), "{refused:?}");
    }
}
