//! Decisions for Prolific, sent by a server that is killed in the middle of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use api::research::WantedDeed;
use domain::recruitment::outbox::RejectionCategory;
use domain::session::event::SessionId;
use serde_json::{Value, json};
use server::control::{Delivery, Request, send};

use crate::command::run;
use crate::people::STUDY;
use crate::platform_command::{prepare, start};
use crate::program::Program;
use crate::requester::{ReceivedRequest, Requester, TOKEN};

const APPROVALS: usize = 50;
const REJECTIONS: usize = 3;
const BONUSES: usize = 5;
const TAKEN_BACK: usize = 2;

/// Longer than a server's claim to a duty holds after it was killed.
const PATIENCE: Duration = Duration::from_secs(120);

/// What Prolific has, and what it was told.
#[derive(Default)]
struct Books {
    /// Actions by submission, as they came.
    transitions: BTreeMap<String, Vec<Value>>,
    /// Submission and hundredths of bonuses that were set up.
    set_up: Vec<(String, f64)>,
    /// Hundredths that were paid, by submission: each request pays.
    paid: BTreeMap<String, Vec<f64>>,
}

impl Books {
    fn effects(&self) -> (usize, usize) {
        let transitions = self.transitions.values().map(Vec::len);
        (transitions.sum(), self.paid.values().map(Vec::len).sum())
    }

    fn answer(&mut self, asked: &ReceivedRequest) -> (u16, Value) {
        assert_eq!(asked.header("authorization"), format!("Token {TOKEN}"));
        let parts: Vec<&str> = asked.path.trim_matches('/').split('/').skip(2).collect();
        match (asked.method.as_str(), &*parts) {
            ("GET", ["submissions", id]) => {
                let last = self.transitions.get(*id).and_then(|it| it.last());
                let status = match last.map(|body| &body["action"]) {
                    Some(action) if action == "APPROVE" => "APPROVED",
                    Some(_) => "REJECTED",
                    None => "AWAITING REVIEW",
                };
                let paid = self.paid.get(*id).cloned().unwrap_or_default();
                let known = json!({ "id": id, "status": status, "bonus_payments": paid });
                (200, known)
            }
            ("POST", ["submissions", id, "transition"]) => {
                let of = self.transitions.entry((*id).to_owned()).or_default();
                of.push(asked.json());
                (200, json!({ "id": id }))
            }
            ("POST", ["submissions", "bonus-payments"]) => {
                let body = asked.json();
                let bonus = body["csv_bonuses"].as_str().unwrap().to_owned();
                let (id, amount) = bonus.split_once(',').unwrap();
                let hundredths = amount.parse::<f64>().unwrap() * 100.0;
                self.set_up.push((id.to_owned(), hundredths));
                (201, json!({ "id": format!("b{}", self.set_up.len()) }))
            }
            ("POST", ["bulk-bonus-payments", name, "pay"]) => {
                let number: usize = name.trim_start_matches('b').parse().unwrap();
                let (id, hundredths) = self.set_up[number - 1].clone();
                self.paid.entry(id).or_default().push(hundredths);
                (202, json!("paid soon"))
            }
            other => (404, json!({ "error": format!("{other:?} does not exist") })),
        }
    }
}

/// Prolific; once it has done so much that it stops, it answers nobody until it is told to.
struct Prolific {
    there: Requester,
    books: Arc<Mutex<Books>>,
    stopped: Receiver<()>,
    go_on: Sender<()>,
}

impl Prolific {
    /// It stops when these numbers of verdicts and bonuses say so, one after the other.
    fn start(stops: [fn(usize, usize) -> bool; 2]) -> Self {
        let books = Arc::<Mutex<Books>>::default();
        let (stop, stopped) = channel();
        let (go_on, may_go_on) = channel();
        let seen = books.clone();
        let mut stops = stops.into_iter().peekable();
        let there = Requester::answering(move |asked| {
            let (answer, effects) = {
                let mut books = seen.lock().unwrap();
                (books.answer(asked), books.effects())
            };
            let (verdicts, bonuses) = effects;
            let stops_now = |stop: &fn(usize, usize) -> bool| stop(verdicts, bonuses);
            if asked.method == "POST" && stops.next_if(stops_now).is_some() {
                stop.send(()).unwrap();
                may_go_on.recv().unwrap();
            }
            answer
        });
        Self {
            there,
            books,
            stopped,
            go_on,
        }
    }
}

fn serve(folder: &Path, prolific: &Prolific) -> Program {
    let keys = folder.join("keys");
    std::fs::write(&keys, format!("PROLIFIC_API_TOKEN={TOKEN}\n")).unwrap();
    Program::start(folder, |command| {
        command
            .arg("--studies")
            .arg(folder.join("studies"))
            .arg("--platform-credentials")
            .arg(&keys)
            .args(["--decisions-wait", "20", "--stand-in"])
            .arg(&prolific.there.origin)
            .stderr(Stdio::null());
    })
}

/// Asks the server as a command does.
async fn carried_out(url: &str, request: Request) -> u64 {
    match send(url, &request).await.unwrap() {
        Delivery::CarriedOut(outcome) => outcome.decision.unwrap(),
        Delivery::NoServer(_) => panic!("no server has the database"),
    }
}

fn decide(session: &SessionId, wanted: WantedDeed) -> Request {
    Request::Decide {
        study: STUDY.to_owned(),
        session: session.clone(),
        wanted,
        at_once: false,
    }
}

fn rejection() -> WantedDeed {
    WantedDeed::Reject {
        category: Some(RejectionCategory::NoData),
        message: "Nothing was answered in this session. ".repeat(4),
    }
}

/// Makes all decisions, in an order in which kinds are mixed, and takes some back.
async fn decide_all(url: &str, sessions: &[SessionId]) {
    let mut others = sessions[APPROVALS..].iter();
    for (place, session) in sessions[..APPROVALS].iter().enumerate() {
        carried_out(url, decide(session, WantedDeed::Approve { anyway: true })).await;
        if place >= APPROVALS - BONUSES {
            let bonus = WantedDeed::Bonus {
                amount: "0.50".parse().unwrap(),
                reason: "a report".to_owned(),
                reference: "1".to_owned(),
            };
            carried_out(url, decide(session, bonus)).await;
        }
        if place % 15 == 0
            && place < 15 * REJECTIONS
            && let Some(rejected) = others.next()
        {
            carried_out(url, decide(rejected, rejection())).await;
        }
    }
    for session in others {
        let number = carried_out(url, decide(session, WantedDeed::Approve { anyway: true })).await;
        let study = STUDY.to_owned();
        carried_out(url, Request::TakeBack { study, number }).await;
    }
}

fn states(folder: &Path) -> BTreeMap<String, usize> {
    let listed = run(folder, &["platform", "outbox", STUDY, "--json"]).json();
    let mut states = BTreeMap::new();
    for decision in listed.as_array().unwrap() {
        let state = decision["state"].as_str().unwrap().to_owned();
        *states.entry(state).or_default() += 1;
    }
    states
}

#[test]
fn every_decision_arrives_once_over_two_kills_and_those_taken_back_never() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder, 1_000);
    // It stops with its 20th verdict, and again with its 3rd bonus: done, and not answered.
    let prolific = Prolific::start([|verdicts, _| verdicts == 20, |_, bonuses| bonuses == 3]);
    let mut server = serve(folder, &prolific);
    let session = |number: usize| {
        let link = json!({ "PROLIFIC_PID": format!("p{number}"), "STUDY_ID": "60",
            "SESSION_ID": format!("s{number}") });
        start(&server, &number.to_string(), link).plan.session
    };
    let sessions: Vec<SessionId> = (0..APPROVALS + REJECTIONS + TAKEN_BACK)
        .map(session)
        .collect();
    let url = format!("sqlite://{}/test.db", folder.display());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(decide_all(&url, &sessions));

    for _ in 0..2 {
        prolific.stopped.recv_timeout(PATIENCE).unwrap();
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        prolific.go_on.send(()).unwrap();
        server = serve(folder, &prolific);
    }
    let until = Instant::now() + PATIENCE;
    let expected = BTreeMap::from([
        ("sent".to_owned(), APPROVALS + REJECTIONS + BONUSES),
        ("taken_back".to_owned(), TAKEN_BACK),
    ]);
    while states(folder) != expected {
        assert!(Instant::now() < until, "{:?}", states(folder));
        std::thread::sleep(Duration::from_millis(500));
    }

    let books = prolific.books.lock().unwrap();
    assert_eq!(books.effects(), (APPROVALS + REJECTIONS, BONUSES));
    assert!(books.transitions.values().all(|actions| actions.len() == 1));
    let actions = books.transitions.values().flatten();
    let of = |wanted: &str| actions.clone().filter(|it| it["action"] == wanted).count();
    assert_eq!((of("APPROVE"), of("REJECT")), (APPROVALS, REJECTIONS));
    let rejected = actions.clone().find(|it| it["action"] == "REJECT").unwrap();
    assert_eq!(rejected["rejection_category"], "NO_DATA");
    assert!(books.paid.values().all(|paid| *paid == [50.0]));
    let never = sessions.len() - TAKEN_BACK;
    let unseen = |number: usize| !books.transitions.contains_key(&format!("s{number}"));
    assert!((never..sessions.len()).all(unseen));

    // The ledger has the same, and a decision that is over cannot be taken back.
    let list = run(folder, &["pay", "list", STUDY, "--json"]).json();
    let list = list.as_array().unwrap();
    let paid = |amount: &str| list.iter().filter(|it| it["paid"] == amount).count();
    assert_eq!(paid("3.00"), APPROVALS - BONUSES);
    assert_eq!(paid("3.50"), BONUSES);
    let refused = list.iter().filter(|it| it["refused"] == true).count();
    assert_eq!(refused, REJECTIONS);
    run(folder, &["platform", "outbox", STUDY, "--take-back", "1"]).refuses(&["was sent"]);
    run(
        folder,
        &[
            "platform", "outbox", STUDY, "--settle", "1", "--as", "again",
        ],
    )
    .refuses(&["cannot be settled now"]);
    let listed = run(folder, &["platform", "outbox", STUDY]).succeeds();
    assert!(
        listed.contains("reject, NO_DATA") && !listed.contains(TOKEN),
        "{listed}"
    );
}
