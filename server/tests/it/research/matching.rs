//! A platform's own list beside the sessions that are here.

use api::research::{Act, AuditLog, MatchLine, PlatformMatch, Role};
use api::{ErrorCode, SessionStarted, routes};
use axum::body::Body;
use axum::http::Method;
use domain::recruitment::matching::{MatchKind, ToDo};
use serde_json::{Value, json};
use server::control::Request;
use server::platforms::{MOST_BYTES, MOST_ROWS};

use super::{Area, MINUTE_MS, Shows, request};
use crate::app::{AppResponse, STUDY, log_of, study_with};

const HEADS: &str = "Submission id,Participant id,Status,Completion code";

struct Scene {
    area: Area,
    shows: Shows,
}

impl Scene {
    async fn new() -> Self {
        let study = study_with(json!({
            "recruitment": [
                { "platform": "prolific", "codes": { "COMPLETED": "C1A2" } }, { "platform": "link" }
            ],
            "pay": { "currency": "GBP", "amount": "3.00" },
        }));
        let area = Area::of(study).await;
        for (name, role, identifying) in [
            ("ada", Role::Owner, false),
            ("ann", Role::Analyst, false),
            ("amy", Role::Analyst, true),
            ("vic", Role::Viewer, false),
        ] {
            area.add(name, false, &[(STUDY, role, identifying)]).await;
        }
        let shows = area.sign_in("ada").await;
        Self { area, shows }
    }

    /// Somebody from Prolific.
    async fn start(&self, name: &str) -> SessionStarted {
        let link = json!({ "PROLIFIC_PID": format!("p{name}"), "STUDY_ID": "60", "SESSION_ID": format!("s{name}") });
        let body = json!({ "attempt": format!("{name:0>16}"), "link": link });
        self.area.app.ask_to_start(body).await.json()
    }

    async fn complete(&self, name: &str) -> SessionStarted {
        let started = self.start(name).await;
        let answer = self.area.app.append(&started, &log_of(&started)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        self.area.app.complete(&started).await.json::<Value>();
        started
    }

    async fn hand_in_as(&self, shows: &Shows, list: impl Into<Body>) -> AppResponse {
        let mut request = request(Method::POST, &routes::research_match(STUDY), shows, None);
        *request.body_mut() = list.into();
        self.area.app.send(request).await
    }

    async fn hand_in(&self, rows: &str) -> AppResponse {
        let list = format!("{HEADS}\n{rows}");
        self.hand_in_as(&self.shows, list).await
    }
}

fn of<'a>(found: &'a PlatformMatch, participant: &str) -> &'a MatchLine {
    let mut lines = found.lines.iter();
    let of = |line: &&MatchLine| line.participant.as_deref() == Some(participant);
    lines.find(of).unwrap()
}

#[tokio::test]
async fn both_lists_are_compared_and_nothing_of_the_platform_s_is_kept() {
    let scene = Scene::new().await;
    let done = scene.complete("done").await;
    scene.complete("forgot").await;
    let under_way = scene.start("begun").await;
    let erased = scene.complete("erased").await;
    assert_eq!(scene.area.app.erase(&erased).await.status, 200);
    let list = "sdone,pdone,AWAITING REVIEW,C1A2\n\
                sbegun,pbegun,AWAITING REVIEW,NOCODE\n\
                serased,perased,AWAITING REVIEW,C1A2\n\
                sunseen-word,punseen-word,RETURNED,\n";
    let found: PlatformMatch = scene.hand_in(list).await.json();
    assert_eq!((&*found.platform, &*found.title), ("prolific", "Prolific"));
    assert_eq!((found.listed, found.known, found.nameless), (4, 4, 0));
    let told = |found: &PlatformMatch, name: &str| {
        let line = of(found, name);
        (line.kind, line.to_do)
    };
    let (agrees, differs) = (MatchKind::Agrees, MatchKind::Differs);
    assert_eq!(told(&found, "pdone"), (agrees, ToDo::Approve));
    assert_eq!(told(&found, "pbegun"), (differs, ToDo::Look));
    assert_eq!(
        told(&found, "punseen-word"),
        (MatchKind::OnlyThere, ToDo::Nothing)
    );
    assert_eq!(
        told(&found, "pforgot"),
        (MatchKind::OnlyHere, ToDo::AskForCode)
    );
    // Whoever took everything back has worked all the same.
    assert_eq!(told(&found, "perased"), (agrees, ToDo::Approve));
    assert!(of(&found, "perased").erased);
    let line = of(&found, "pdone");
    assert_eq!(line.session.as_ref(), Some(&done.plan.session));
    assert_eq!(
        (line.row, line.here.as_deref()),
        (Some(2), Some("completed"))
    );
    assert_eq!(line.due.map(|due| due.to_string()).as_deref(), Some("3.00"));
    assert_eq!(of(&found, "pbegun").here.as_deref(), Some("unfinished"));
    let sum: u64 = found.counts.iter().map(|count| count.number).sum();
    assert_eq!(sum, found.lines.len() as u64);

    // What is noted as paid meanwhile is seen at once.
    let path = routes::research_payments(STUDY, &done.plan.session);
    let paid = scene
        .area
        .call(Method::POST, &path, &scene.shows, Some(json!({})));
    assert_eq!(paid.await.status, 200);
    let list = "sdone,pdone,APPROVED,C1A2\nsbegun,pbegun,ACTIVE,\n";
    let found: PlatformMatch = scene.hand_in(list).await.json();
    assert_eq!(told(&found, "pdone"), (agrees, ToDo::Nothing));
    assert_eq!(told(&found, "pbegun"), (agrees, ToDo::Nothing));
    // And what has happened in a session, after half a minute.
    let answer = scene.area.app.append(&under_way, &log_of(&under_way)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    scene.area.pass(MINUTE_MS);
    let found: PlatformMatch = scene.hand_in(list).await.json();
    assert_eq!(told(&found, "pbegun"), (differs, ToDo::AskForCode));

    let storage = &scene.area.app.state.storage;
    let file = std::fs::read(storage.path().unwrap()).unwrap();
    let log = storage.path().unwrap().with_extension("db-wal");
    let log = std::fs::read(log).unwrap_or_default();
    let kept = [file, log].concat();
    let unseen = b"unseen-word";
    assert!(!kept.windows(unseen.len()).any(|it| it == unseen));
}

#[tokio::test]
async fn it_is_for_those_who_may_identify_and_each_look_is_noted() {
    let scene = Scene::new().await;
    scene.complete("done").await;
    let list = format!("{HEADS}\nsdone,pdone,APPROVED,C1A2\n");
    let mut seen = 0;
    for (name, may) in [("ada", true), ("amy", true), ("ann", false), ("vic", false)] {
        let shows = scene.area.sign_in(name).await;
        let answer = scene.hand_in_as(&shows, list.clone()).await;
        if may {
            answer.json::<PlatformMatch>();
            seen += 1;
        } else {
            answer.refused(ErrorCode::Forbidden);
        }
    }
    // What is refused is refused before five megabytes of it are read.
    let vic = scene.area.sign_in("vic").await;
    let answer = scene.hand_in_as(&vic, vec![b'x'; MOST_BYTES]).await;
    answer.refused(ErrorCode::Forbidden);
    let log: AuditLog = scene.area.get(routes::AUDIT_LOG, &scene.shows).await.json();
    let noted = log.entries.iter().filter(|it| it.act == Act::Identified);
    let noted: Vec<_> = noted.map(|it| it.about.as_deref()).collect();
    assert_eq!(noted, vec![Some("list of prolific"); seen]);
    let text = serde_json::to_string(&log).unwrap();
    assert!(!text.contains("pdone") && !text.contains("sdone"), "{text}");
}

#[tokio::test]
async fn what_is_no_list_is_refused_with_what_is_wanted() {
    let scene = Scene::new().await;
    let refused = async |list: &str, words: &[&str]| {
        let answer = scene.hand_in_as(&scene.shows, list.to_owned()).await;
        let told = answer.refused(ErrorCode::Refused).message;
        for word in words {
            assert!(told.contains(word), "{told}");
        }
    };
    refused("", &["is empty"]).await;
    refused(
        "name,mark\nx,1\n",
        &["name, mark", "Submission id", "WorkerId"],
    )
    .await;
    let row = format!("{HEADS}\ns1,p1,ACTIVE,\ns2,,ACTIVE,\n");
    refused(&row, &["row 3, column 'Participant id'"]).await;
    // Of a platform that the study does not name.
    let mturk = "HITId,AssignmentId,WorkerId,AssignmentStatus\nH,A,W,Submitted\n";
    refused(mturk, &["list of Mechanical Turk", "nobody from there"]).await;
    let long = scene
        .hand_in_as(&scene.shows, vec![b'x'; MOST_BYTES + 1])
        .await;
    long.refused(ErrorCode::TooLarge);
    let rows: String = (0..=MOST_ROWS)
        .map(|it| format!("s{it},p{it},ACTIVE,\n"))
        .collect();
    refused(&format!("{HEADS}\n{rows}"), &["more than 50000 rows"]).await;
}

#[tokio::test]
async fn the_longest_list_is_compared_and_dropped_names_match_nobody() {
    let scene = Scene::new().await;
    scene.complete("1").await;
    let rows: String = (0..MOST_ROWS)
        .map(|it| format!("s{it},p{it},AWAITING REVIEW,C1A2\n"))
        .collect();
    let found: PlatformMatch = scene.hand_in(&rows).await.json();
    assert_eq!((found.listed, found.lines.len()), (50_000, MOST_ROWS));
    assert_eq!(of(&found, "p1").to_do, ToDo::Approve);
    assert_eq!(of(&found, "p2").kind, MatchKind::OnlyThere);

    let forget = Request::ForgetArrivals {
        study: STUDY.to_owned(),
    };
    let state = &scene.area.app.state;
    let forgotten = forget.carry_out(&state.sessions, &state.access, None).await;
    assert_eq!(forgotten.unwrap().changed, 1);
    scene.area.pass(MINUTE_MS);
    let found: PlatformMatch = scene.hand_in("s1,p1,APPROVED,C1A2\n").await.json();
    assert_eq!((found.known, found.nameless), (1, 1));
    assert_eq!(of(&found, "p1").kind, MatchKind::OnlyThere);
}
