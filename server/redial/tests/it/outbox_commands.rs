//! Decisions by a command that a server sends: to Mechanical Turk, by a server that is killed in the middle of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::command::{Said, run};
use crate::people::STUDY;
use crate::platform_command::{prepare, start};
use crate::program::Program;
use crate::requester::{KEY, KEY_ID, ReceivedRequest, Requester, is_signed};

/// Longer than a server's claim to a duty holds after it was killed.
const PATIENCE: Duration = Duration::from_secs(120);

/// What Mechanical Turk has, and was told.
#[derive(Default)]
struct Books {
    verdicts: BTreeMap<String, Vec<String>>,
    /// Amounts by token: the same once more pays nothing.
    bonuses: BTreeMap<String, String>,
    /// How often a bonus was asked for.
    bonus_requests: usize,
}

impl Books {
    fn answer(&mut self, asked: &ReceivedRequest) -> (u16, Value) {
        assert!(is_signed(asked), "not signed");
        let operation = asked.header("x-amz-target").rsplit('.').next().unwrap();
        let body = asked.json();
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        match operation {
            "GetAssignment" => {
                let last = self
                    .verdicts
                    .get(&text("AssignmentId"))
                    .and_then(|it| it.last());
                let status = match last.map(String::as_str) {
                    Some("ApproveAssignment") => "Approved",
                    Some(_) => "Rejected",
                    None => "Submitted",
                };
                (200, json!({ "Assignment": { "AssignmentStatus": status } }))
            }
            "ApproveAssignment" | "RejectAssignment" => {
                let of = self.verdicts.entry(text("AssignmentId")).or_default();
                of.push(operation.to_owned());
                (200, json!({}))
            }
            "SendBonus" => {
                self.bonus_requests += 1;
                self.bonuses
                    .insert(text("UniqueRequestToken"), text("BonusAmount"));
                (200, json!({}))
            }
            "ListBonusPayments" => (200, json!({ "BonusPayments": [] })),
            _ => (400, json!({ "__type": "UnknownOperation" })),
        }
    }
}

/// Mechanical Turk; it does the first approval and the first bonus, and answers neither until it is told to.
struct Turk {
    there: Requester,
    books: Arc<Mutex<Books>>,
    stopped: Receiver<()>,
    go_on: Sender<()>,
}

impl Turk {
    fn start() -> Self {
        let books = Arc::<Mutex<Books>>::default();
        let (stop, stopped) = channel();
        let (go_on, may_go_on) = channel();
        let seen = books.clone();
        let mut stops = BTreeSet::from(["ApproveAssignment", "SendBonus"]);
        let there = Requester::answering(move |asked| {
            let answer = seen.lock().unwrap().answer(asked);
            let operation = asked.header("x-amz-target").rsplit('.').next().unwrap();
            if stops.remove(operation) {
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

fn serve(folder: &Path, turk: &Turk, wait_s: &str) -> Program {
    let keys = folder.join("keys");
    let text = format!("AWS_ACCESS_KEY_ID={KEY_ID}\nAWS_SECRET_ACCESS_KEY={KEY}\n");
    std::fs::write(&keys, text).unwrap();
    Program::start(folder, |command| {
        command
            .arg("--studies")
            .arg(folder.join("studies"))
            .arg("--platform-credentials")
            .arg(&keys)
            .args(["--decisions-wait", wait_s, "--stand-in"])
            .arg(&turk.there.origin)
            .stderr(Stdio::null());
    })
}

/// A command without credentials of its own.
fn mturk(folder: &Path, args: &[&str]) -> Said {
    run(folder, &[&["platform", "mturk"], args, &["--yes"]].concat())
}

fn states(folder: &Path) -> Vec<(u64, String)> {
    let listed = run(folder, &["platform", "outbox", STUDY, "--json"]).json();
    let decisions = listed.as_array().unwrap().iter();
    let mut states: Vec<_> = decisions
        .map(|it| {
            (
                it["number"].as_u64().unwrap(),
                it["state"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    states.sort();
    states
}

#[test]
fn a_command_hands_decisions_to_the_server_which_does_each_once_over_two_kills() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder, 30);
    let turk = Turk::start();
    let mut server = serve(folder, &turk, "1000");
    for name in ["1", "2", "3", "4"] {
        let link = json!({ "assignmentId": format!("A{name}"), "hitId": "H", "workerId": format!("W{name}"),
            "turkSubmitTo": "https://www.mturk.com" });
        start(&server, name, link);
    }
    // They wait, and one is taken back.
    mturk(folder, &["approve", STUDY, "A1", "A2"]).says(&[
        "In the outbox of the server as 1, 2",
        "--take-back NUMBER",
        "is not finished.",
    ]);
    let because = "Nothing was answered.";
    mturk(folder, &["reject", STUDY, "A3", "--because", because]).says(&["as 3"]);
    let bonus = ["bonus", STUDY, "A1", "0.50", "--because", "a report"];
    mturk(folder, &bonus).says(&["as 4"]);
    mturk(folder, &["approve", STUDY, "A2"]).refuses(&["has decided to approve it", "outbox"]);
    run(folder, &["platform", "outbox", STUDY, "--take-back", "2"]).says(&["Done"]);
    assert!(
        turk.there.asked().is_empty(),
        "nothing is sent before its time"
    );
    server.child.kill().unwrap();
    server.child.wait().unwrap();

    // A decision that is sent at once is done and not answered: the server is killed, and the next one looks.
    let mut server = serve(folder, &turk, "1000");
    let at_once = std::thread::spawn({
        let folder = folder.to_owned();
        move || mturk(&folder, &["approve", STUDY, "A4", "--now"])
    });
    turk.stopped.recv_timeout(PATIENCE).unwrap();
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    turk.go_on.send(()).unwrap();
    let mut server = serve(folder, &turk, "1000");
    let until = Instant::now() + PATIENCE;
    while states(folder)[4].1 != "sent" {
        assert!(Instant::now() < until, "{:?}", states(folder));
        std::thread::sleep(Duration::from_millis(500));
    }
    // The command waits for what becomes of it, for a minute; the other server may take longer.
    let said = at_once.join().unwrap().text();
    assert!(said.contains("In the outbox of the server as 5"), "{said}");
    mturk(folder, &["approve", STUDY, "A4"]).says(&["Nothing to do"]);

    // The same with a bonus, which is asked for once more under its token.
    // One that waits is in the way of another.
    let now = [&bonus[..], &["--reference", "2", "--now"]].concat();
    mturk(folder, &now).refuses(&["has decided to give it a bonus"]);
    let of_another = [
        "bonus",
        STUDY,
        "A4",
        "0.25",
        "--because",
        "a report",
        "--now",
    ];
    let at_once = std::thread::spawn({
        let folder = folder.to_owned();
        move || mturk(&folder, &of_another)
    });
    turk.stopped.recv_timeout(PATIENCE).unwrap();
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    turk.go_on.send(()).unwrap();
    let server = serve(folder, &turk, "1000");
    let until = Instant::now() + PATIENCE;
    while states(folder)[5].1 != "sent" {
        assert!(Instant::now() < until, "{:?}", states(folder));
        std::thread::sleep(Duration::from_millis(500));
    }
    drop(at_once.join());

    let told: Vec<String> = states(folder).into_iter().map(|(_, state)| state).collect();
    assert_eq!(
        told,
        [
            "waiting",
            "taken_back",
            "waiting",
            "waiting",
            "sent",
            "sent"
        ]
    );
    let books = turk.books.lock().unwrap();
    let verdicts = BTreeMap::from([("A4".to_owned(), vec!["ApproveAssignment".to_owned()])]);
    assert_eq!(books.verdicts, verdicts);
    let token = "A4mturk bonus 1".to_owned();
    assert_eq!(books.bonuses, BTreeMap::from([(token, "0.25".to_owned())]));
    assert_eq!(books.bonus_requests, 2, "asked for again, and paid once");
    drop(books);
    let list = run(folder, &["pay", "list", STUDY, "--json"]).json();
    let mut of = list.as_array().unwrap().iter();
    let paid = of.find(|line| line["submission"] == "A4").unwrap();
    assert_eq!(paid["paid"], "3.25");
    drop(server);
}
