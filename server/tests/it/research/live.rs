//! The live stream: a picture, then what changes, for those who may look on.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use api::research::live::{
    LiveChange, LiveMessage, LivePicture, LiveSession, LiveStorage, LiveStudy, MOST_STREAMS,
};
use api::research::{Role, Scope, StudyState};
use api::{ErrorCode, SessionStarted, routes};
use axum::body::{Body, BodyDataStream};
use axum::http::Method;
use cluster::cluster;
use domain::recruitment::StudyStatus;
use domain::session::event::{Envelope, Event};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::{Area, Shows, request};
use crate::app::{App, STUDY, log_of, of_page, study_with};

/// A stream that somebody has open, with the picture that its messages come to.
struct Stream {
    body: BodyDataStream,
    read: String,
    studies: BTreeMap<String, LiveStudy>,
    storage: Option<LiveStorage>,
    /// Everything that came, as text.
    all: String,
}

impl Stream {
    async fn open(area: &Area, shows: &Shows) -> Self {
        let request = request(Method::GET, routes::LIVE, shows, None);
        let answer = area.app.router.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), 200);
        let header = |name| answer.headers()[name].to_str().unwrap();
        assert_eq!(header("content-type"), "text/event-stream");
        assert_eq!(header("cache-control"), "no-cache");
        assert_eq!(header("x-accel-buffering"), "no");
        let body: Body = answer.into_body();
        let mut stream = Self {
            body: body.into_data_stream(),
            read: String::new(),
            studies: BTreeMap::new(),
            storage: None,
            all: String::new(),
        };
        let LiveMessage::Picture(_) = stream.next().await else {
            panic!("the first message is a picture");
        };
        stream
    }

    /// The next message, taken into the picture.
    async fn next(&mut self) -> LiveMessage {
        let message = tokio::time::timeout(Duration::from_secs(30), self.message());
        message.await.unwrap().unwrap()
    }

    /// The next message; nothing at the end.
    async fn message(&mut self) -> Option<LiveMessage> {
        loop {
            if let Some((event, rest)) = self.read.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.read = rest;
                let Some(data) = event.strip_prefix("data: ") else {
                    assert!(event.starts_with(':'), "{event}");
                    continue;
                };
                let message: LiveMessage = serde_json::from_str(data).unwrap();
                self.take(message.clone());
                return Some(message);
            }
            let bytes = self.body.next().await?.unwrap();
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            self.all += &text;
            self.read += &text;
        }
    }

    fn take(&mut self, message: LiveMessage) {
        match message {
            LiveMessage::Picture(LivePicture {
                studies, storage, ..
            }) => {
                self.storage = Some(storage);
                let studies = studies.into_iter().map(|it| (it.study.clone(), it));
                self.studies = studies.collect();
            }
            LiveMessage::Change(change) => {
                let study = self.studies.get_mut(&change.study).unwrap();
                let LiveChange {
                    counts,
                    parts,
                    cells,
                    status,
                    state,
                    pay,
                    storage,
                    people,
                    gone,
                    problems,
                    ..
                } = *change;
                self.storage = Some(storage.unwrap());
                study.counts = counts.unwrap_or(study.counts);
                study.parts = parts.unwrap_or(std::mem::take(&mut study.parts));
                study.cells = cells.unwrap_or(std::mem::take(&mut study.cells));
                study.status = status.unwrap_or(study.status);
                study.state = state.or(study.state);
                study.pay = pay.or(study.pay.take());
                study.problems = problems.unwrap_or(std::mem::take(&mut study.problems));
                study.people.retain(|old| {
                    !gone.contains(&old.session)
                        && people.iter().all(|it| it.session != old.session)
                });
                study.people.extend(people);
                study.people.sort_by_key(|it| it.ordinal);
            }
            LiveMessage::Pulse { storage, .. } => self.storage = Some(storage),
        }
    }

    fn study(&self) -> &LiveStudy {
        &self.studies[STUDY]
    }

    fn person(&self, of: &SessionStarted) -> Option<&LiveSession> {
        let mut people = self.study().people.iter();
        people.find(|it| it.session == of.plan.session)
    }

    /// Waits until the picture is as it should be, for at most two seconds (in a test program without optimisation,
    /// among others, for three times as long).
    async fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) -> Duration {
        let began = Instant::now();
        while !is_so(self) {
            let message = tokio::time::timeout(Duration::from_secs(6), self.message());
            let Ok(message) = message.await else {
                panic!("{what}: {:#?}", self.study());
            };
            assert!(message.is_some(), "{what}: the stream has ended");
        }
        println!("{what}: {:?}", began.elapsed());
        began.elapsed()
    }
}

impl Area {
    async fn watched() -> (Self, Stream) {
        let area = Self::new().await;
        area.add("vi", false, &[(STUDY, Role::Viewer, false)]).await;
        let shows = area.sign_in("vi").await;
        let stream = Stream::open(&area, &shows).await;
        (area, stream)
    }

    async fn begin(&self, number: usize) -> (SessionStarted, Vec<Envelope>) {
        let attempt = format!("{number:016}");
        let started = self.app.start_as(&attempt, &format!("CODE-{number}")).await;
        let log = log_of(&started);
        (started, log)
    }
}

/// Number of events until the first question is on screen and has been worked on for a while.
fn within_a_question(log: &[Envelope]) -> usize {
    let is_start = |it: &Envelope| matches!(it.event, Event::QuestionStarted { .. });
    let started = log.iter().position(is_start).unwrap();
    let snapshots = log[started..].iter().enumerate();
    let mut moved = snapshots
        .filter(|(_, it)| matches!(&it.event, Event::Task(task) if task.distance().is_some()));
    started + moved.nth(1).unwrap().0 + 1
}

#[tokio::test]
async fn a_picture_comes_first_and_then_what_changes() {
    let area = Area::new().await;
    let (before, log) = area.begin(1).await;
    area.app.append(&before, &log[..3]).await;
    area.add("vi", false, &[(STUDY, Role::Viewer, false)]).await;
    let shows = area.sign_in("vi").await;
    let mut stream = Stream::open(&area, &shows).await;
    assert_eq!(stream.studies.len(), 1);
    let person = stream.person(&before).unwrap();
    assert_eq!(
        (person.ordinal, &*person.part),
        (1, "practice"),
        "{person:?}"
    );
    assert_eq!(stream.study().counts.under_way, 1);
    // On to a question.
    let end = within_a_question(&log);
    area.app.append(&before, &log[3..end]).await;
    stream
        .until("a question", |it| {
            it.person(&before).is_some_and(|it| it.question.is_some())
        })
        .await;
    let person = stream.person(&before).unwrap().clone();
    assert_eq!(person.phase, "question");
    assert_eq!(person.question.unwrap().number, 1);
    assert!(
        !person.alignment.is_empty() && !person.paused && !person.connected,
        "{person:?}"
    );
    let expected = log[..end].iter().rev().find_map(|it| match &it.event {
        Event::Task(task) => task.distance(),
        _ => None,
    });
    let newest = person.alignment.last().unwrap();
    assert!((newest - (1.0 - expected.unwrap())).abs() < 1e-4);
    // Away, back, paused.
    let at_ms = log[end - 1].at_ms;
    for (seq, (event, is_so)) in (end as u64..).zip([
        (Event::PageHidden, (true, false)),
        (Event::PageShown, (false, false)),
        (Event::Paused, (false, true)),
        (Event::Resumed, (false, false)),
    ]) {
        let name = event.kind();
        area.app
            .append(&before, &[of_page(&before, seq, at_ms, event)])
            .await;
        stream
            .until(name, |it| {
                let person = it.person(&before).unwrap();
                (person.away_since_unix_ms.is_some(), person.paused) == is_so
            })
            .await;
    }
    // Somebody new, who comes to the end.
    let (new, whole) = area.begin(2).await;
    stream
        .until("a start", |it| it.study().counts.started == 2)
        .await;
    area.app.append(&new, &whole).await;
    stream
        .until("an end", |it| {
            it.study().counts.completed == 1 && it.person(&new).is_none()
        })
        .await;
    assert_eq!(stream.study().counts.counted, 1);
    // Excluded: the same number as in the list of cells.
    let sessions = &area.app.state.sessions;
    sessions
        .exclude(&new.plan.session, true, "a child".to_owned())
        .await
        .unwrap();
    stream
        .until("an exclusion", |it| it.study().cells[0].excluded == 1)
        .await;
    // Whoever connects now is shown the same as whoever has heard every change.
    let fresh = Stream::open(&area, &shows).await;
    assert_eq!(fresh.study(), stream.study());
    let cells = &stream.study().cells;
    let sums = cells.iter().map(|it| (it.counted, it.under_way, it.left));
    let counts = stream.study().counts;
    assert_eq!(
        sums.collect::<Vec<_>>(),
        [(counts.counted, counts.under_way, counts.left)]
    );
    for stream in [&stream, &fresh] {
        assert!(!stream.all.contains("CODE-"), "nobody's code");
    }
    // With nobody watching nothing is told.
    drop((stream, fresh));
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(!sessions.feed().is_watched());
}

#[tokio::test]
async fn a_funnel_and_medians_and_who_is_stuck() {
    let area = Area::new().await;
    let (stays, log) = area.begin(1).await;
    let in_practice = within_a_question(&log);
    area.app.append(&stays, &log[..in_practice]).await;
    let (declines, _) = area.begin(2).await;
    area.app
        .append(
            &declines,
            &[of_page(&declines, 0, 1_000, Event::ConsentDeclined)],
        )
        .await;
    let mut took = Vec::new();
    for number in 3..=7 {
        let (done, log) = area.begin(number).await;
        area.app.append(&done, &log).await;
        let agreed = log
            .iter()
            .find(|it| matches!(it.event, Event::ConsentGiven(_)))
            .unwrap();
        took.push(agreed.at_ms);
    }
    area.add("vi", false, &[(STUDY, Role::Viewer, false)]).await;
    let shows = area.sign_in("vi").await;
    let mut stream = Stream::open(&area, &shows).await;
    stream
        .until("all are read", |it| it.study().problems.is_empty())
        .await;
    let part = |study: &LiveStudy, name: &str| {
        study
            .parts
            .iter()
            .find(|it| it.name == name)
            .unwrap()
            .clone()
    };
    let consent = part(stream.study(), "consent");
    assert_eq!((consent.reached, consent.passed, consent.left), (7, 6, 1));
    let agreed = log
        .iter()
        .find(|it| matches!(it.event, Event::ConsentGiven(_)))
        .unwrap();
    took.push(agreed.at_ms);
    took.sort_unstable();
    assert_eq!(consent.median_ms, Some(u64::midpoint(took[2], took[3])));
    assert_eq!(stream.study().parts[0].name, "consent");
    assert_eq!(stream.study().parts.last().unwrap().name, "end");
    let name = stream.person(&stays).unwrap().part.clone();
    let practice = part(stream.study(), &name);
    assert_eq!(
        (practice.reached, practice.passed, practice.left),
        (6, 5, 0)
    );
    assert!(!stream.person(&stays).unwrap().stuck);
    area.pass(log[in_practice - 1].at_ms + practice.median_ms.unwrap() * 6);
    stream
        .until("stuck", |it| it.person(&stays).unwrap().stuck)
        .await;
    // The moment passes without a word of anybody.
    area.pass(24 * 60 * 60 * 1_000);
    stream
        .until("silent for a day", |it| it.person(&stays).is_none())
        .await;
}

#[tokio::test]
async fn pay_an_hour_and_the_load_of_the_storage_are_told() {
    let pay = json!({ "currency": "GBP", "amount": "3.00" });
    let area = Area::of(study_with(json!({ "pay": pay }))).await;
    area.add("vi", false, &[(STUDY, Role::Viewer, false)]).await;
    let shows = area.sign_in("vi").await;
    let mut stream = Stream::open(&area, &shows).await;
    let pay = stream.study().pay.clone().unwrap();
    assert_eq!((pay.people, pay.median_ms, pay.hourly), (0, None, None));
    assert_eq!(
        (&*pay.currency, pay.amount.to_string()),
        ("GBP", "3.00".to_owned())
    );
    let mut took = Vec::new();
    for number in 1..=3 {
        let (done, log) = area.begin(number).await;
        area.app.append(&done, &log).await;
        took.push(log.last().unwrap().at_ms);
    }
    stream
        .until("three have come to the end", |it| {
            it.study().pay.as_ref().is_some_and(|pay| pay.people == 3)
        })
        .await;
    took.sort_unstable();
    let pay = stream.study().pay.clone().unwrap();
    assert_eq!(pay.median_ms, Some(took[1]));
    let hourly = (3.0 * 3_600_000.0 / took[1] as f64 * 100.0).round();
    assert_eq!(
        pay.hourly.map(|it| f64::from(it.hundredths())),
        Some(hourly)
    );
    // Whoever is read from the database is counted as whoever was heard of.
    let fresh = Stream::open(&area, &shows).await;
    assert_eq!(fresh.study().pay, stream.study().pay);
    for stream in [&stream, &fresh] {
        let storage = stream.storage.as_ref().unwrap();
        assert_eq!(storage.health, "good");
        assert!(storage.commits > 3 && storage.commits <= 100, "{storage:?}");
        assert!(storage.longest_ms >= storage.median_ms && storage.median_ms > 0.0);
    }
    // The other study declares none.
    area.add("ow", false, &[("other", Role::Viewer, false)])
        .await;
    let shows = area.sign_in("ow").await;
    let stream = Stream::open(&area, &shows).await;
    assert_eq!(stream.studies["other"].pay, None);
}

#[tokio::test]
async fn the_stream_is_for_those_who_may_look_on() {
    let mut area = Area::new().await;
    area.app.state.limits.may_watch = Duration::from_millis(500);
    area.app.router = server::http::router(area.app.state.clone());
    area.add("admin", true, &[]).await;
    let own = [(STUDY, Role::Experimenter, false)];
    area.add("ex", false, &own).await;
    for name in ["admin", "ex"] {
        let shows = area.sign_in(name).await;
        let refused = area
            .get(routes::LIVE, &shows)
            .await
            .refused(ErrorCode::Forbidden);
        assert_eq!(
            refused.message,
            "you may not do this, or there is no such thing"
        );
    }
    area.get(routes::LIVE, &Shows::default())
        .await
        .refused(ErrorCode::Unauthorised);
    area.add(
        "an",
        false,
        &[
            (STUDY, Role::Analyst, false),
            ("other", Role::Viewer, false),
        ],
    )
    .await;
    let shows = area.sign_in("an").await;
    let token = area.token(&shows, &[Scope::Read], &["other"]).await;
    let exporting = area.token(&shows, &[Scope::Export], &[STUDY]).await;
    area.get(routes::LIVE, &exporting)
        .await
        .refused(ErrorCode::Forbidden);
    let names = |stream: &Stream| stream.studies.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&Stream::open(&area, &token).await), ["other"]);
    let mut streams = Vec::new();
    for _ in 0..MOST_STREAMS {
        streams.push(Stream::open(&area, &shows).await);
    }
    assert_eq!(names(&streams[0]), ["other", STUDY]);
    let refused = area
        .get(routes::LIVE, &shows)
        .await
        .refused(ErrorCode::Unavailable);
    assert!(refused.message.contains("close one"), "{}", refused.message);
    streams.pop();
    streams.push(Stream::open(&area, &shows).await);
    // Nobody watches any longer than they may.
    area.app
        .state
        .access
        .set_disabled(None, "an", true)
        .await
        .unwrap();
    let mut stream = streams.pop().unwrap();
    let ends = async { while stream.message().await.is_some() {} };
    tokio::time::timeout(Duration::from_secs(10), ends)
        .await
        .unwrap();
}

#[tokio::test]
async fn the_stream_ends_when_the_server_stops() {
    let (area, mut stream) = Area::watched().await;
    area.app.state.stopping.cancel();
    let ends = async { while stream.message().await.is_some() {} };
    tokio::time::timeout(Duration::from_secs(1), ends)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_people_and_several_watchers() {
    let area = Area::new().await;
    area.add("vi", false, &[(STUDY, Role::Viewer, false)]).await;
    let shows = area.sign_in("vi").await;
    let mut people = Vec::new();
    for number in 1..=200 {
        let (started, log) = area.begin(number).await;
        area.app.append(&started, &log[..3]).await;
        people.push((started, log));
    }
    let mut streams = Vec::new();
    let began = Instant::now();
    for _ in 0..5 {
        streams.push(Stream::open(&area, &shows).await);
    }
    println!("five pictures: {:?}", began.elapsed());
    for stream in &mut streams {
        stream
            .until("all are read", |it| {
                it.study().problems.is_empty() && it.study().people.len() == 200
            })
            .await;
    }
    for (started, log) in &people {
        let end = within_a_question(log);
        area.app.append(started, &log[3..end]).await;
    }
    for stream in &mut streams {
        stream
            .until("everybody went on", |it| {
                it.study().people.iter().all(|it| it.question.is_some())
            })
            .await;
    }
    assert!(streams.iter().all(|it| it.study() == streams[0].study()));
    // Who reads nothing for a while is shown all of it then.
    let mut slow = streams.pop().unwrap();
    let (started, log) = &people[0];
    for event in &log[within_a_question(log)..][..20] {
        area.app.append(started, std::slice::from_ref(event)).await;
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    let newest = |stream: &Stream| stream.person(started).unwrap().heard_at_unix_ms;
    let heard = area.app.state.sessions.feed().is_watched();
    assert!(heard);
    let quick = &mut streams[0];
    tokio::time::sleep(Duration::from_secs(2)).await;
    for stream in [quick, &mut slow] {
        while let Ok(message) =
            tokio::time::timeout(Duration::from_millis(1_500), stream.message()).await
        {
            assert!(message.is_some());
        }
    }
    assert_eq!(streams[0].study(), slow.study());
    assert_eq!(newest(&slow), newest(&streams[0]));
}

#[tokio::test]
async fn what_an_owner_decides_comes_by_the_stream() {
    let area = Area::new().await;
    area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
    let ada = area.sign_in("ada").await;
    let mut stream = Stream::open(&area, &ada).await;
    let stands = |study: &LiveStudy| (study.status, study.state);
    let before = (StudyStatus::Running, Some(StudyState::Running));
    assert_eq!(stands(stream.study()), before);
    let post = async |path: String, body: Value| {
        let answer = area.call(Method::POST, &path, &ada, Some(body)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    };
    let all = json!({ "cells": [], "paused": true });
    post(routes::research_pause(STUDY), all).await;
    let paused = (StudyStatus::Running, Some(StudyState::Paused));
    stream
        .until("paused", |it| stands(it.study()) == paused)
        .await;
    let closing = json!({ "status": "closed" });
    post(routes::research_status(STUDY), closing).await;
    let closed = (StudyStatus::Closed, Some(StudyState::Closed));
    stream
        .until("closed", |it| stands(it.study()) == closed)
        .await;
}

#[tokio::test]
async fn whoever_takes_part_at_another_server_is_seen_here() {
    let url = cluster().database();
    let mut area = Area::new().await;
    area.app = App::at(&url, area.app.setup.clone()).await;
    let other = App::at(&url, area.app.setup.clone()).await;
    area.add("vi", false, &[(STUDY, Role::Viewer, false)]).await;
    let shows = area.sign_in("vi").await;
    let mut stream = Stream::open(&area, &shows).await;
    let started = other.start_as("0000000000000001", "CODE-1").await;
    let log = log_of(&started);
    while stream.person(&started).is_none() {
        stream.next().await;
    }
    other
        .append(&started, &log[..within_a_question(&log)])
        .await;
    let is_asked = |it: &Stream| it.person(&started).is_some_and(|it| it.question.is_some());
    while !is_asked(&stream) {
        stream.next().await;
    }
}
