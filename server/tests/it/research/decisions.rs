//! What platforms are told of sessions: waiting, taking back, sending, and what goes wrong.

use std::slice::from_ref;

use api::research::{
    Act, AuditLog, DecisionInfo, DecisionMade, Outbox, PaymentNoted, Role, SessionRow,
    SessionTable, Studies,
};
use api::{ErrorCode, SessionStarted, routes};
use axum::http::Method;
use domain::recruitment::outbox::{BegunBonus, DecisionState, SHORTEST_MESSAGE};
use serde_json::{Value, json};
use server::platforms::Platforms;
use server::storage::DecisionStep;

use super::{Area, MINUTE_MS, Shows};
use crate::app::{AppResponse, STUDY, Setup, study_with};
use crate::stand_in::StandIn;

mod mturk;
mod turk;

/// The usual wait, in milliseconds.
const WAIT_MS: u64 = 10 * MINUTE_MS;

/// A study on Prolific, which stands in a stand-in, with somebody who decides.
struct Scene {
    area: Area,
    there: StandIn,
    shows: Shows,
}

fn platforms() -> Platforms {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("credentials");
    std::fs::write(&file, "PROLIFIC_API_TOKEN=a-token\n").unwrap();
    Platforms::of_file(&file).unwrap()
}

/// What Prolific says of a submission.
fn submission(status: &str, bonuses: &[f64]) -> String {
    json!({ "id": "b1", "status": status, "bonus_payments": bonuses }).to_string()
}

impl Scene {
    async fn new() -> Self {
        Self::reaching(platforms()).await
    }

    async fn reaching(platforms: Platforms) -> Self {
        let there = StandIn::saying(200, &submission("AWAITING REVIEW", &[])).await;
        let study = study_with(json!({
            "recruitment": [
                { "platform": "prolific", "codes": { "COMPLETED": "C1A2" } }, { "platform": "link" }
            ],
            "pay": { "currency": "GBP", "amount": "3.00" },
        }));
        let area = Area::with(Setup {
            stand_ins: vec![there.origin.clone()],
            platforms,
            ..Setup::of(study)
        })
        .await;
        area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
        let shows = area.sign_in("ada").await;
        Self { area, there, shows }
    }

    /// Somebody from Prolific.
    async fn start(&self, name: &str) -> SessionStarted {
        let link = json!({ "PROLIFIC_PID": format!("p{name}"), "STUDY_ID": "60", "SESSION_ID": format!("s{name}") });
        let body = json!({ "attempt": format!("{name:0>16}"), "link": link });
        self.area.app.ask_to_start(body).await.json()
    }

    async fn post(&self, path: &str, body: Value) -> AppResponse {
        self.area
            .call(Method::POST, path, &self.shows, Some(body))
            .await
    }

    async fn decide(&self, of: &SessionStarted, deed: Value) -> AppResponse {
        let path = routes::research_decisions(STUDY, &of.plan.session);
        self.post(&path, deed).await
    }

    async fn decided(&self, of: &SessionStarted, deed: Value) -> u64 {
        let made: DecisionMade = self.decide(of, deed).await.json();
        made.number
    }

    async fn take_back(&self, number: u64) -> AppResponse {
        let path = routes::research_take_back(STUDY, &number.to_string());
        self.post(&path, json!({})).await
    }

    async fn settle(&self, number: u64, how: &str) -> AppResponse {
        let path = routes::research_settlement(STUDY, &number.to_string());
        self.post(&path, json!({ "how": how })).await
    }

    async fn outbox(&self) -> Outbox {
        let path = routes::research_outbox(STUDY);
        self.area.get(&path, &self.shows).await.json()
    }

    async fn find(&self, number: u64) -> DecisionInfo {
        let mut decisions = self.outbox().await.decisions.into_iter();
        decisions.find(|it| it.number == number).unwrap()
    }

    /// Time passes, and what is due is sent. Gives the requests that came of it.
    async fn pass(&self, ms: u64) -> Vec<String> {
        self.area.pass(ms);
        self.area.app.state.sessions.send_decisions().await.unwrap();
        self.there.asked()
    }

    /// Cells of a session's row.
    async fn cells(&self, of: &SessionStarted, columns: &str) -> Vec<Option<String>> {
        let path = routes::research_sessions(STUDY);
        let path = format!(
            "{path}?columns={columns}&filter=session={}",
            of.plan.session
        );
        let table: SessionTable = self.area.get(&path, &self.shows).await.json();
        table.rows.into_iter().next().unwrap().values
    }
}

fn approve() -> Value {
    // Nearly nobody here comes to the end.
    json!({ "kind": "approve", "anyway": true })
}

fn bonus(reference: &str) -> Value {
    json!({ "kind": "bonus", "amount": "0.50", "reason": "a report", "reference": reference })
}

fn reject(category: Value, length: usize) -> Value {
    json!({ "kind": "reject", "category": category, "message": "x".repeat(length) })
}

fn transition(name: &str) -> String {
    format!("/api/v1/submissions/s{name}/transition/")
}

#[tokio::test]
async fn a_decision_waits_can_be_taken_back_and_is_sent_once() {
    let scene = Scene::new().await;
    let (a, b) = (scene.start("a").await, scene.start("b").await);
    let of_a = scene.decided(&a, approve()).await;
    let of_b = scene.decided(&b, approve()).await;
    let waits = scene.find(of_a).await;
    assert_eq!(waits.state, DecisionState::Waiting);
    assert_eq!(
        waits.next_at_unix_ms,
        Some(waits.decided_at_unix_ms + WAIT_MS)
    );
    assert!(
        scene.pass(WAIT_MS - 1).await.is_empty(),
        "its time is not over"
    );
    assert_eq!(scene.take_back(of_b).await.status, 200);
    assert_eq!(scene.pass(1).await, [transition("a")]);
    assert_eq!(scene.find(of_a).await.state, DecisionState::Sent);
    let back = scene.find(of_b).await;
    assert_eq!(back.state, DecisionState::TakenBack);
    assert_eq!(back.settled_by.as_deref(), Some("ada"));
    assert!(scene.pass(6 * 60 * MINUTE_MS).await.is_empty());
    scene.take_back(of_a).await.refused(ErrorCode::Decided);
    // The ledger has the answer, and the table says what an export says.
    let cells = scene
        .cells(&a, "approval,pay_paid,pay_due,pay_currency")
        .await;
    let cells: Vec<&str> = cells.iter().flatten().map(String::as_str).collect();
    assert_eq!(cells, ["approved", "3.0", "0.0", "GBP"]);
    assert_eq!(scene.cells(&b, "approval").await, [None]);
    // Approving once more is refused by what the ledger says.
    let told = scene
        .decide(&a, approve())
        .await
        .refused(ErrorCode::Decided);
    assert!(
        told.message.contains("has this already"),
        "{}",
        told.message
    );
    let log: AuditLog = scene.area.get(routes::AUDIT_LOG, &scene.shows).await.json();
    let noted = |act| {
        let mut entries = log.entries.iter().filter(move |it| it.act == act);
        entries.next().map(|it| it.session.clone())
    };
    let session = |of: &SessionStarted| Some(Some(of.plan.session.0.clone()));
    assert_eq!(noted(Act::Decided), session(&b));
    assert_eq!(noted(Act::DecisionTakenBack), session(&b));
}

#[tokio::test]
async fn the_second_sees_what_the_first_did() {
    let scene = Scene::new().await;
    scene
        .area
        .add("eve", false, &[(STUDY, Role::Owner, false)])
        .await;
    scene
        .area
        .add("vic", false, &[(STUDY, Role::Viewer, false)])
        .await;
    let a = scene.start("a").await;
    scene.decided(&a, approve()).await;
    let path = routes::research_decisions(STUDY, &a.plan.session);
    let eve = scene.area.sign_in("eve").await;
    for deed in [approve(), reject(json!("NO_DATA"), SHORTEST_MESSAGE)] {
        let told = scene.area.call(Method::POST, &path, &eve, Some(deed)).await;
        let told = told.refused(ErrorCode::Decided).message;
        assert!(told.contains("ada has decided to approve it"), "{told}");
        assert!(told.contains("waits to be sent"), "{told}");
    }
    // Another kind is not in the way; twice the same is.
    let bonus = scene
        .area
        .call(Method::POST, &path, &eve, Some(bonus("1")))
        .await;
    assert_eq!(bonus.status, 200);
    let vic = scene.area.sign_in("vic").await;
    let told = scene
        .area
        .call(Method::POST, &path, &vic, Some(approve()))
        .await;
    told.refused(ErrorCode::Forbidden);
    let outbox = routes::research_outbox(STUDY);
    scene
        .area
        .get(&outbox, &vic)
        .await
        .refused(ErrorCode::Forbidden);
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_before_it_waits() {
    let scene = Scene::new().await;
    let a = scene.start("a").await;
    let refused = async |deed: Value, words: &str| {
        let told = scene.decide(&a, deed).await.refused(ErrorCode::Refused);
        assert!(told.message.contains(words), "{}", told.message);
    };
    refused(reject(json!("NO_DATA"), 99), "at least 100").await;
    refused(reject(json!("NO_DATA"), 2_000), "at most 1024").await;
    refused(reject(Value::Null, 100), "wants a category").await;
    refused(
        reject(json!("TOO_QUICKLY"), 100),
        "three standard deviations",
    )
    .await;
    refused(
        json!({ "kind": "bonus", "amount": "0", "reason": "r" }),
        "bonus of nothing",
    )
    .await;
    refused(
        json!({ "kind": "bonus", "amount": "1", "reason": " " }),
        "1 to 500",
    )
    .await;
    let unknown = scene.decide(&a, reject(json!("UGLY"), 100)).await;
    unknown.refused(ErrorCode::Malformed);
    let by_hand: SessionStarted = {
        let body = json!({ "attempt": "by-hand-012345678", "link": {} });
        scene.area.app.ask_to_start(body).await.json()
    };
    let told = scene
        .decide(&by_hand, approve())
        .await
        .refused(ErrorCode::Refused);
    assert!(
        told.message.contains("came from no platform"),
        "{}",
        told.message
    );
    assert!(scene.outbox().await.decisions.is_empty());
    scene.take_back(77).await.refused(ErrorCode::NotFound);

    // A server without credentials says which command does it.
    let scene = Scene::reaching(Platforms::default()).await;
    let a = scene.start("a").await;
    let told = scene
        .decide(&a, approve())
        .await
        .refused(ErrorCode::Refused);
    assert!(
        told.message.contains("redial platform prolific"),
        "{}",
        told.message
    );
    let outbox = scene.outbox().await;
    assert_eq!(outbox.platforms.len(), 1);
    assert!(!outbox.platforms[0].reachable);
}

#[tokio::test]
async fn what_a_platform_refuses_is_told_in_its_words_and_not_sent_again() {
    let scene = Scene::new().await;
    let a = scene.start("a").await;
    let number = scene.decided(&a, approve()).await;
    scene
        .there
        .say(404, r#"{"error":"The submission was returned"}"#);
    let asked = scene.pass(WAIT_MS).await;
    // It is looked at there, since somebody may have approved it by hand.
    assert_eq!(
        asked,
        [transition("a"), "/api/v1/submissions/sa/".to_owned()]
    );
    let failed = scene.find(number).await;
    assert_eq!(failed.state, DecisionState::Failed);
    let said = failed.answer.unwrap();
    assert!(
        said.contains("404") && said.contains("was returned"),
        "{said}"
    );
    assert!(scene.pass(6 * 60 * MINUTE_MS).await.is_empty());
    assert_eq!(scene.cells(&a, "approval").await, [None]);
    let studies = scene.area.get(routes::RESEARCH_STUDIES, &scene.shows).await;
    let studies: Studies = studies.json();
    assert_eq!(studies.studies[0].decisions.failed, 1);
    scene.settle(number, "dropped").await.json::<Value>();
    assert_eq!(scene.find(number).await.state, DecisionState::TakenBack);
    scene
        .settle(number, "done")
        .await
        .refused(ErrorCode::Decided);
}

#[tokio::test]
async fn a_platform_that_does_not_answer_is_asked_again_and_looked_at_first() {
    let scene = Scene::new().await;
    let (a, b) = (scene.start("a").await, scene.start("b").await);
    let number = scene.decided(&a, approve()).await;
    let other = scene.decided(&b, approve()).await;
    scene.there.say(503, "down");
    // The others wait while it does not answer.
    assert_eq!(scene.pass(WAIT_MS).await, [transition("a")]);
    let trying = scene.find(number).await;
    assert_eq!(trying.state, DecisionState::TryingAgain);
    assert_eq!(trying.failing_since_unix_ms, Some(trying.since_unix_ms));
    assert!(trying.answer.unwrap().contains("503"));
    assert!(!trying.can_be_taken_back, "it may have arrived");
    assert!(trying.can_be_settled, "somebody can look");
    assert_eq!(scene.take_back(other).await.status, 200, "this one has not");
    assert!(scene.pass(9_999).await.is_empty(), "not at once");
    let look = "/api/v1/submissions/sa/".to_owned();
    assert_eq!(scene.pass(1).await, from_ref(&look));
    // It had done it: nothing is asked for a second time.
    scene.there.say(200, &submission("APPROVED", &[]));
    assert_eq!(scene.pass(20_000).await, [look]);
    let sent = scene.find(number).await;
    assert_eq!(sent.state, DecisionState::Sent);
    assert_eq!(sent.failing_since_unix_ms, None);
    let approval = scene.cells(&a, "approval").await;
    assert_eq!(approval, [Some("approved".to_owned())]);
    // One that stays without an answer is given up by somebody who has looked.
    let c = scene.start("c").await;
    let number = scene.decided(&c, approve()).await;
    scene.there.say(503, "down");
    scene.pass(WAIT_MS).await;
    scene.take_back(number).await.refused(ErrorCode::Decided);
    assert_eq!(scene.settle(number, "dropped").await.status, 200);
    assert_eq!(scene.find(number).await.state, DecisionState::TakenBack);
    assert!(scene.pass(6 * 60 * MINUTE_MS).await.is_empty());
}

#[tokio::test]
async fn a_bonus_that_may_have_been_paid_is_never_paid_again_unseen() {
    let scene = Scene::new().await;
    let a = scene.start("a").await;
    let pay = "/api/v1/bulk-bonus-payments/b1/pay/".to_owned();
    let look = "/api/v1/submissions/sa/".to_owned();
    let set_up = "/api/v1/submissions/bonus-payments/".to_owned();
    let first = scene.decided(&a, bonus("1")).await;
    let asked = scene.pass(WAIT_MS).await;
    assert_eq!(asked, [look.clone(), set_up.clone(), pay.clone()]);
    assert_eq!(scene.find(first).await.state, DecisionState::Sent);
    let told = scene
        .decide(&a, bonus("1"))
        .await
        .refused(ErrorCode::Decided);
    assert!(
        told.message.contains("prolific bonus 1"),
        "{}",
        told.message
    );

    // The server dies after it has asked for the payment: what it left is as follows.
    let second = scene.decided(&a, bonus("2")).await;
    scene.area.pass(WAIT_MS);
    let storage = &scene.area.app.state.storage;
    let stored = storage.decision(second).await.unwrap().unwrap();
    let now = stored.course.next_at_unix_ms.unwrap();
    let begun = BegunBonus {
        name: "b1".into(),
        like_it_before: 1,
    };
    let left = stored
        .course
        .sending(now)
        .unwrap()
        .with_begun(begun)
        .unwrap();
    let step = DecisionStep {
        number: second,
        from: stored.course,
        to: left,
        entries: Vec::new(),
    };
    assert!(storage.step_decision(step).await.unwrap());
    // Prolific shows the first alone: the second may come yet, so it is looked for.
    scene.there.say(200, &submission("APPROVED", &[50.0]));
    assert_eq!(scene.pass(0).await, from_ref(&look));
    assert_eq!(scene.find(second).await.state, DecisionState::TryingAgain);
    let mut asked = Vec::new();
    for _ in 0..8 {
        asked.extend(scene.pass(5 * MINUTE_MS).await);
    }
    assert!(asked.iter().all(|it| *it == look), "{asked:?}");
    let uncertain = scene.find(second).await;
    assert_eq!(uncertain.state, DecisionState::Uncertain);
    assert!(uncertain.answer.unwrap().contains("under b1"));
    let told = scene
        .decide(&a, bonus("3"))
        .await
        .refused(ErrorCode::Decided);
    assert!(
        told.message.contains("somebody has to look"),
        "{}",
        told.message
    );
    // Somebody has looked: it was not paid.
    assert_eq!(scene.settle(second, "again").await.status, 200);
    assert_eq!(scene.pass(0).await, [look.clone(), set_up, pay]);
    assert_eq!(scene.find(second).await.state, DecisionState::Sent);
    let cells = scene.cells(&a, "pay_bonus,pay_paid").await;
    let cells: Vec<&str> = cells.iter().flatten().map(String::as_str).collect();
    assert_eq!(cells, ["1.0", "1.0"]);
}

#[tokio::test]
async fn whoever_takes_everything_back_is_approved_all_the_same_unless_their_names_are_dropped() {
    let scene = Scene::new().await;
    let (a, b) = (scene.start("a").await, scene.start("b").await);
    scene.area.app.append_all(&a).await;
    scene.decided(&a, approve()).await;
    let dropped = scene.decided(&b, approve()).await;
    let erased = scene.area.app.erase(&a).await;
    assert!(erased.status.is_success(), "{}", erased.text());
    assert_eq!(
        scene.pass(WAIT_MS).await,
        [transition("a"), transition("b")]
    );
    assert_eq!(scene.find(dropped).await.state, DecisionState::Sent);
    let c = scene.start("c").await;
    let number = scene.decided(&c, approve()).await;
    let storage = &scene.area.app.state.storage;
    storage.forget_arrivals(STUDY).await.unwrap();
    assert!(scene.pass(WAIT_MS).await.is_empty());
    let failed = scene.find(number).await;
    assert_eq!(failed.state, DecisionState::Failed);
    assert!(failed.answer.unwrap().contains("was dropped"));
}

#[tokio::test]
async fn whoever_was_exceptionally_fast_may_be_rejected_as_too_fast() {
    let scene = Scene::new().await;
    let mut people = Vec::new();
    for number in 0..30 {
        let started = scene.start(&format!("{number:02}")).await;
        // Half an hour each, but for the last, who needs a second.
        scene
            .area
            .pass(if number < 29 { 30 * MINUTE_MS } else { 1_000 });
        scene.area.app.append_all(&started).await;
        people.push(started);
    }
    let fast = people.last().unwrap();
    let fast_alone = from_ref(&fast.plan.session);
    let found = scene.area.app.state.sessions.too_fast(STUDY).await;
    assert_eq!(found.unwrap(), fast_alone);
    let shows = scene.area.sign_in("ada").await;
    let scene = Scene { shows, ..scene };
    assert_eq!(scene.outbox().await.too_fast, fast_alone);
    assert_eq!(
        scene.cells(fast, "too_fast").await,
        [Some("true".to_owned())]
    );
    let slow = scene.cells(&people[0], "too_fast").await;
    assert_eq!(slow, [Some("false".to_owned())]);
    // The list of studies says that somebody should look: thirty to decide about, and those whose rows have flags. A
    // page that a test plays has signs of a script, too.
    let path = format!(
        "{}?rows=200&columns=contradictions,automation_flags,attention_checks_failed,too_fast",
        routes::research_sessions(STUDY)
    );
    let table: SessionTable = scene.area.get(&path, &scene.shows).await.json();
    let says_something = |cell: &String| !["0", "[]", "false"].contains(&cell.as_str());
    let flags = |row: &SessionRow| row.values.iter().flatten().any(says_something);
    let flagged = table.rows.iter().filter(|row| flags(row)).count() as u64;
    assert!(flagged >= 1);
    let needs = || async {
        let studies: Studies = scene
            .area
            .get(routes::RESEARCH_STUDIES, &scene.shows)
            .await
            .json();
        studies.studies[0].sessions.clone().unwrap()
    };
    let found = needs().await;
    assert_eq!(
        (found.undecided.number, found.flagged.number),
        (30, flagged)
    );
    assert_eq!(found.undecided.filter.as_deref(), Some("ordinal=1..30"));
    assert!(found.flagged.filter.unwrap().ends_with("30"));
    let too_fast = || reject(json!("TOO_QUICKLY"), 100);
    scene.decided(fast, too_fast()).await;
    scene
        .decide(&people[0], too_fast())
        .await
        .refused(ErrorCode::Refused);
    let found = needs().await;
    assert_eq!(
        (found.undecided.number, found.flagged.number),
        (29, flagged - 1)
    );
    let filter = found.undecided.filter.as_deref();
    assert_eq!(filter, Some("ordinal=1..29"), "a decision waits");
}

#[tokio::test]
async fn a_participant_is_asked_to_return_their_work() {
    let scene = Scene::new().await;
    let (a, b) = (scene.start("a").await, scene.start("b").await);
    let ask = |reason: &str| json!({ "kind": "ask_return", "reason": reason });
    let refused = scene.decide(&a, ask(" ")).await;
    let refused = refused.refused(ErrorCode::Refused);
    assert!(
        refused.message.contains("0 characters"),
        "{}",
        refused.message
    );
    let asked = scene.decided(&a, ask("the pictures did not load")).await;
    scene
        .decide(&a, approve())
        .await
        .refused(ErrorCode::Decided);
    let path = "/api/v1/submissions/sa/request-return/";
    assert_eq!(scene.pass(WAIT_MS).await, [path]);
    let body = scene.there.bodies().pop().unwrap();
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        body,
        json!({ "request_return_reasons": ["the pictures did not load"] })
    );
    assert_eq!(scene.find(asked).await.state, DecisionState::Sent);
    // It is no rejection: nothing is in the ledger, and the work can still be approved.
    let cells = scene.cells(&a, "approval").await;
    assert_eq!(cells, [None]);
    scene.decided(&a, approve()).await;
    assert_eq!(scene.pass(WAIT_MS).await, [transition("a")]);

    // In doubt, the platform is looked at: whoever was asked is not written to again.
    let again = scene.decided(&b, ask("it did not save")).await;
    scene.there.say(500, "");
    scene.pass(WAIT_MS).await;
    let unsure = scene.find(again).await.state;
    assert!(unsure.is_open(), "{unsure:?}");
    let seen = json!({ "id": "b", "status": "AWAITING REVIEW", "return_requested": "2026-11-27T09:30:00Z" });
    scene.there.say(200, &seen.to_string());
    let looked = scene.pass(WAIT_MS).await;
    assert!(!looked.contains(&path.replace("sa", "sb")), "{looked:?}");
    assert_eq!(scene.find(again).await.state, DecisionState::Sent);
}

#[tokio::test]
async fn nobody_is_approved_without_a_word_who_was_paid_by_hand_or_is_not_finished() {
    let scene = Scene::new().await;
    let (a, b) = (scene.start("a").await, scene.start("b").await);
    let plain = || json!({ "kind": "approve" });
    let refused = async |of: &SessionStarted, words: &str| {
        let told = scene.decide(of, plain()).await;
        let told = told.refused(ErrorCode::Refused).message;
        assert!(told.contains(words), "{told}");
        assert!(told.contains("\"anyway\": true"), "{told}");
    };
    refused(&a, "is not finished; ").await;
    scene.area.app.append_all(&a).await;
    let path = routes::research_payments(STUDY, &a.plan.session);
    let body = json!({ "amount": "3.75", "reference": "transfer of Monday" });
    let noted: PaymentNoted = scene.post(&path, body).await.json();
    assert_eq!(noted.due.unwrap().to_string(), "0.00");
    refused(&a, "is already paid 3.75 by hand; ").await;
    let outbox = scene.outbox().await;
    assert!(outbox.decisions.is_empty());
    let paid: Vec<_> = outbox.paid_by_hand.iter().collect();
    assert_eq!(paid.len(), 1);
    assert_eq!(paid[0].session, a.plan.session);
    assert_eq!(paid[0].amount.to_string(), "3.75");
    scene.decided(&a, approve()).await;
    // Nothing speaks against whoever has finished and was not paid; what the platform pays is not by hand.
    scene.area.app.append_all(&b).await;
    scene.decided(&b, plain()).await;
    scene.decided(&b, bonus("1")).await;
    scene.pass(WAIT_MS).await;
    assert_eq!(scene.cells(&b, "pay_paid").await, [Some("3.5".to_owned())]);
    assert_eq!(scene.outbox().await.paid_by_hand.len(), 1);
}

#[tokio::test]
async fn a_payment_by_hand_is_noted_as_the_command_notes_it() {
    let scene = Scene::new().await;
    let a = scene.start("a").await;
    let path = routes::research_payments(STUDY, &a.plan.session);
    let nothing: PaymentNoted = scene.post(&path, json!({})).await.json();
    assert!(!nothing.added, "nothing is due before the end");
    scene.area.app.append_all(&a).await;
    assert_eq!(scene.cells(&a, "pay_due").await, [Some("3.0".to_owned())]);
    let body = json!({ "reference": "transfer of Monday" });
    let noted: PaymentNoted = scene.post(&path, body.clone()).await.json();
    assert!(noted.added);
    assert_eq!(noted.due.unwrap().to_string(), "0.00");
    assert_eq!(
        scene.cells(&a, "pay_due,approval").await,
        [Some("0.0".to_owned()), None]
    );
    let again: PaymentNoted = scene.post(&path, body).await.json();
    assert!(!again.added);
    let body = json!({ "amount": "1.00", "reference": "transfer of Monday" });
    let told = scene.post(&path, body).await.refused(ErrorCode::Refused);
    assert!(told.message.contains("--reference"), "{}", told.message);
    let log: AuditLog = scene.area.get(routes::AUDIT_LOG, &scene.shows).await.json();
    let paid = log.entries.iter().find(|it| it.act == Act::Paid).unwrap();
    assert_eq!(paid.session.as_deref(), Some(&*a.plan.session.0));
}
