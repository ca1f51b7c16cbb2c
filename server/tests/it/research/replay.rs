//! Replay: the plan and the log of a session, without what says who somebody is.

use api::replay::{MAX_NEW_EVENTS, NewEvents, Overshoots, ReplayState};
use api::research::{Act, EventsQuery, Role};
use api::{ErrorCode, MAX_BATCH_EVENTS, routes};
use axum::http::Method;
use axum::http::header::LINK;
use domain::session::Session;
use domain::session::event::{Author, Envelope, Event};
use serde_json::{Value, json};
use server::export::ExportOptions;
use server::export::layout::{self, ExportHalf};

use super::Area;
use crate::app::{ATTEMPT, STUDY, ack, json_lines, log_of, of_page};
use crate::damage::damage;

const TYPED: &str = "My name is Ada Lovelace";

fn study() -> Value {
    json!({
        "format": 2, "id": STUDY, "title": "Words", "seed": 1,
        "parts": [
            {"kind": "questionnaire", "id": "words", "title": "", "items": [
                {"id": "about", "text": "?", "answer": {"kind": "text", "min_length": 20}}]},
            {"kind": "stage", "id": "s", "task": {
                "kind": "reconstruction", "model": "sinelines-gt5", "questions": 1}}
        ]
    })
}

#[tokio::test]
async fn a_replay_shows_the_log_and_names_nobody_unless_asked_for() {
    let area = Area::of(study()).await;
    area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
    area.add("vic", false, &[(STUDY, Role::Viewer, false)])
        .await;
    area.add("ann", false, &[(STUDY, Role::Analyst, false)])
        .await;
    let started = area.app.start_as(ATTEMPT, "Ada Lovelace").await;
    let answered = json!({"kind": "questionnaire_answered", "questionnaire": "words",
        "answers": {"about": TYPED}});
    let log: Vec<Envelope> = [answered, json!({"kind": "stage_started", "stage": 0})]
        .into_iter()
        .zip(0..)
        .map(|(event, seq)| {
            of_page(
                &started,
                seq,
                seq * 1_000,
                serde_json::from_value(event).unwrap(),
            )
        })
        .collect();
    assert_eq!(ack(&area.app.append(&started, &log).await), 2);
    let session = &started.plan.session;
    let owner = area.sign_in("ada").await;
    let exclusion = json!({ "excluded": true, "why": "a pilot of ours" });
    let path = routes::research_exclusion(STUDY, session);
    area.call(Method::POST, &path, &owner, Some(exclusion))
        .await;
    let viewer = area.sign_in("vic").await;
    let shown = area
        .get(&routes::research_session(STUDY, session), &viewer)
        .await;
    assert!(!shown.text().contains("Lovelace"));
    let shown: ReplayState = shown.json();
    assert_eq!(shown.plan, started.plan);
    let events = routes::research_events(STUDY, session);
    let with_words = format!("{events}?identifying=true");
    let plain = area.get(&events, &viewer).await;
    assert!(!plain.text().contains(TYPED));
    let plain: NewEvents = plain.json();
    let of_page = plain
        .events
        .iter()
        .filter(|it| it.author == Author::Participant);
    assert_eq!(of_page.count(), log.len());
    // What is left leads to the same state.
    let replayed = |events: &[Envelope]| {
        let mut session = Session::new(shown.plan.clone());
        for event in events {
            session.apply(event).unwrap();
        }
        session.phase()
    };
    let full = area.get(&with_words, &owner).await;
    assert!(full.text().contains(TYPED));
    let full: NewEvents = full.json();
    assert_eq!(replayed(&plain.events), replayed(&full.events));
    for name in ["vic", "ann"] {
        let shows = area.sign_in(name).await;
        area.get(&with_words, &shows)
            .await
            .refused(ErrorCode::Forbidden);
    }
    // From where it was read on.
    let rest = format!("{events}?participant=1&server=9&experimenter=9");
    let rest: NewEvents = area.get(&rest, &viewer).await.json();
    assert!(
        rest.events
            .iter()
            .all(|it| it.author == Author::Participant && it.seq >= 1)
    );
    area.get(&format!("{events}?participant=x"), &viewer)
        .await
        .refused(ErrorCode::Malformed);
    // Of another study's sessions nothing is shown.
    area.get(&routes::research_session("other", session), &owner)
        .await
        .refused(ErrorCode::Forbidden);
    let acts = area.acts().await;
    let looked = acts.iter().filter(|(_, act)| *act == Act::Identified);
    assert_eq!(
        looked.map(|(by, _)| by.as_deref()).collect::<Vec<_>>(),
        [Some("ada")]
    );
}

#[tokio::test]
async fn of_a_long_log_each_part_leads_to_the_next_and_the_last_to_none() {
    let area = Area::of(study()).await;
    area.add("vic", false, &[(STUDY, Role::Viewer, false)])
        .await;
    let started = area.app.start(ATTEMPT).await;
    let viewer = area.sign_in("vic").await;
    let path = routes::research_events(STUDY, &started.plan.session);
    let mut sent = 0;
    let mut send = async |count: u64| {
        let turns = [Event::PageHidden, Event::PageShown];
        let of = |seq| of_page(&started, seq, seq, turns[seq as usize % 2].clone());
        for from in (sent..sent + count).step_by(MAX_BATCH_EVENTS) {
            let to = (from + MAX_BATCH_EVENTS as u64).min(sent + count);
            let events: Vec<Envelope> = (from..to).map(of).collect();
            assert_eq!(ack(&area.app.append(&started, &events).await), to);
        }
        sent += count;
    };
    // The server has its own events, too.
    let of_server: NewEvents = area.get(&path, &viewer).await.json();
    let of_server = of_server.events.len();
    send((MAX_NEW_EVENTS - of_server) as u64).await;
    let whole = area.get(&path, &viewer).await;
    assert!(!whole.headers.contains_key(LINK));
    let whole: NewEvents = whole.json();
    assert_eq!((whole.events.len(), whole.next), (MAX_NEW_EVENTS, None));
    send(1).await;
    let first = area.get(&path, &viewer).await;
    let link = first.headers[LINK].to_str().unwrap().to_owned();
    let first: NewEvents = first.json();
    assert_eq!(
        first,
        NewEvents {
            now_ms: first.now_ms,
            next: first.next,
            ..whole
        }
    );
    let query = EventsQuery::of_link(&link).unwrap();
    let next = EventsQuery::from_ends(first.next.unwrap(), false);
    assert_eq!(query, next.to_string());
    let rest = area.get(&format!("{path}{query}"), &viewer).await;
    assert!(!rest.headers.contains_key(LINK));
    let rest: NewEvents = rest.json();
    let [last] = &rest.events[..] else {
        panic!("{} events are left", rest.events.len());
    };
    assert_eq!((last.author, last.seq), (Author::Participant, sent - 1));
}

#[tokio::test]
async fn of_a_damaged_log_a_replay_gets_what_comes_before() {
    const CUT: &str = "UPDATE events SET envelope = 'x' || envelope WHERE session = $1 AND seq = 7 \
                       AND author = 'participant'";
    let area = Area::new().await;
    area.add("vic", false, &[(STUDY, Role::Viewer, false)])
        .await;
    let started = area.app.start("attempt-number-1").await;
    let other = area.app.start("attempt-number-2").await;
    area.app.append_all(&started).await;
    area.app.state.storage.close().await;
    damage(&area.app, &started, CUT).await;
    let cut_plan = "UPDATE plans SET plan = substr(plan, 1, 100) WHERE session = $1";
    damage(&area.app, &other, cut_plan).await;
    let Area { app, clock } = area;
    let app = app.restart().await;
    let area = Area { app, clock };
    let viewer = area.sign_in("vic").await;
    let path = routes::research_events(STUDY, &started.plan.session);
    let new: NewEvents = area.get(&path, &viewer).await.json();
    let of_page = |it: &&Envelope| it.author == Author::Participant;
    let seqs = new.events.iter().filter(of_page).map(|it| it.seq);
    let seqs: Vec<u64> = seqs.collect();
    assert_eq!(seqs, [0, 1, 2, 3, 4, 5, 6]);
    assert!(new.events.last().is_some_and(|it| of_page(&it)));
    assert_eq!(new.next, None);
    let found = new.damage.unwrap();
    assert_eq!((found.author, found.seq), (Author::Participant, 7));
    assert!(found.why.contains("damaged"), "{}", found.why);
    // Whoever asks on from there is answered at once.
    let rest: NewEvents = area
        .get(&format!("{path}?participant=7&server=99"), &viewer)
        .await
        .json();
    assert!(rest.events.is_empty() && rest.damage.is_some());
    // The damage lies in the first question, of which nothing is told.
    let path = routes::research_overshoots(STUDY, &started.plan.session);
    let found: Overshoots = area.get(&path, &viewer).await.json();
    assert_eq!(found.overshoots, []);
    // Without its plan nothing can be shown, and researchers are told so as such.
    let path = routes::research_session(STUDY, &other.plan.session);
    let told = area.get(&path, &viewer).await.refused(ErrorCode::Gone);
    let words = told.message;
    assert!(words.contains("redial database check") && !words.contains("your answers"));
}

/// The moments are told, and as many as the export counts; the answer keys are not.
#[tokio::test]
async fn overshoots_are_those_that_the_export_counts() {
    let area = Area::new().await;
    area.add("vic", false, &[(STUDY, Role::Viewer, false)])
        .await;
    let started = area.app.start_as(ATTEMPT, "Ada Lovelace").await;
    let log = log_of(&started);
    let path = routes::research_overshoots(STUDY, &started.plan.session);
    let viewer = area.sign_in("vic").await;
    let told = async || -> Overshoots { area.get(&path, &viewer).await.json() };
    // The last question that began is under way.
    let begun = |event: &Envelope| matches!(event.event, Event::QuestionStarted { .. });
    let last = log.iter().rposition(begun).unwrap();
    let (before, after) = log.split_at(log.len() - (log.len() - last) / 2);
    area.app.append(&started, before).await;
    let Event::QuestionStarted { at } = &log[last].event else {
        unreachable!()
    };
    assert!(told().await.overshoots.iter().all(|it| it.at != *at));
    area.app.append(&started, after).await;
    let overshoots = told().await.overshoots;
    assert!(!overshoots.is_empty());
    assert!(overshoots.is_sorted_by_key(|it| it.at_ms));
    let out = area.app.export_of(STUDY, ExportOptions::new("")).await;
    let table = out.join(layout::jsonl(ExportHalf::Raw, "reconstruction_dimensions"));
    let mut counted = 0;
    for row in json_lines(&std::fs::read_to_string(table).unwrap()) {
        let number = |name: &str| row[name].as_u64().unwrap();
        let of_row = overshoots.iter().filter(|it| {
            (it.at.stage, it.at.question, it.dimension)
                == (
                    number("stage") as usize,
                    number("question") as usize,
                    number("dimension") as usize,
                )
        });
        assert_eq!(of_row.count() as u64, number("overshoots"), "{row}");
        counted += number("overshoots");
    }
    assert_eq!(counted, overshoots.len() as u64);
}
