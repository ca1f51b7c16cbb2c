//! The same at Mechanical Turk: every request goes to one address, work is looked at before it is approved, and a bonus that
//! is asked for again under its token is paid once.

use std::collections::BTreeSet;

use super::turk::Turk;
use super::*;

/// A study on Mechanical Turk, with somebody who decides.
struct OnTurk {
    scene: Scene,
    turk: Turk,
}

impl OnTurk {
    async fn new() -> Self {
        let turk = Turk::start().await;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("credentials");
        let keys = "AWS_ACCESS_KEY_ID=AKID\nAWS_SECRET_ACCESS_KEY=secret\n";
        std::fs::write(&file, keys).unwrap();
        let study = study_with(json!({
            "recruitment": [{ "platform": "mturk" }],
            "pay": { "currency": "USD", "amount": "3.00" },
        }));
        let area = Area::with(Setup {
            stand_ins: vec![turk.origin.clone()],
            platforms: Platforms::of_file(&file).unwrap(),
            ..Setup::of(study)
        })
        .await;
        area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
        let shows = area.sign_in("ada").await;
        // Prolific is not there.
        let there = StandIn::saying(404, "").await;
        let scene = Scene { area, there, shows };
        Self { scene, turk }
    }

    async fn start(&self, name: &str) -> SessionStarted {
        let link = json!({ "assignmentId": format!("A{name}"), "hitId": "H", "workerId": format!("W{name}"),
            "turkSubmitTo": "https://www.mturk.com" });
        let body = json!({ "attempt": format!("{name:0>16}"), "link": link });
        self.scene.area.app.ask_to_start(body).await.json()
    }

    /// Time passes, and what is due is sent. Gives the operations that came of it.
    async fn pass(&self, ms: u64) -> Vec<String> {
        self.scene.pass(ms).await;
        self.turk.asked()
    }

    async fn state(&self, number: u64) -> DecisionState {
        self.scene.find(number).await.state
    }
}

#[tokio::test]
async fn work_is_approved_rejected_and_given_a_bonus_once() {
    let on = OnTurk::new().await;
    let (a, b) = (on.start("a").await, on.start("b").await);
    let approved = on.scene.decided(&a, approve()).await;
    let given = on.scene.decided(&a, bonus("1")).await;
    // Without a category, and with a few words: that is Prolific's rule alone.
    let rejected = on.scene.decided(&b, reject(Value::Null, 20)).await;
    on.scene.area.pass(WAIT_MS);
    on.scene
        .area
        .app
        .state
        .sessions
        .send_decisions()
        .await
        .unwrap();
    assert_eq!(
        on.turk.last("RejectAssignment")["RequesterFeedback"],
        "x".repeat(20)
    );
    let sent = on.turk.last("SendBonus");
    assert_eq!(
        (
            &sent["WorkerId"],
            &sent["AssignmentId"],
            &sent["BonusAmount"]
        ),
        (&json!("Wa"), &json!("Aa"), &json!("0.50"))
    );
    assert_eq!(sent["UniqueRequestToken"], "Aamturk bonus 1");
    let asked = on.turk.asked();
    let expected = [
        "GetAssignment",
        "ApproveAssignment",
        "SendBonus",
        "RejectAssignment",
    ];
    assert_eq!(asked, expected);
    for number in [approved, given, rejected] {
        assert_eq!(on.state(number).await, DecisionState::Sent);
    }
    assert!(on.pass(6 * 60 * MINUTE_MS).await.is_empty());
    let cells = on.scene.cells(&a, "approval,pay_paid,pay_currency").await;
    let cells: Vec<&str> = cells.iter().flatten().map(String::as_str).collect();
    assert_eq!(cells, ["approved", "3.5", "USD"]);
    assert_eq!(
        on.scene.cells(&b, "approval").await,
        [Some("rejected".to_owned())]
    );
}

#[tokio::test]
async fn what_it_refuses_is_told_in_its_words_unless_it_is_so_already() {
    let on = OnTurk::new().await;
    let (a, b) = (on.start("a").await, on.start("b").await);
    on.turk
        .set(|books| books.refuses = Some("RejectAssignment"));
    let number = on.scene.decided(&a, reject(Value::Null, 20)).await;
    let asked = on.pass(WAIT_MS).await;
    assert_eq!(asked, ["RejectAssignment", "GetAssignment"]);
    let failed = on.scene.find(number).await;
    assert_eq!(failed.state, DecisionState::Failed);
    let said = failed.answer.unwrap();
    assert!(
        said.contains("400") && said.contains("does not allow it"),
        "{said}"
    );
    assert!(on.pass(6 * 60 * MINUTE_MS).await.is_empty());
    assert_eq!(on.scene.cells(&a, "approval").await, [None]);
    // Somebody has rejected it there by hand.
    on.turk.stands("Ab", "Rejected");
    let number = on.scene.decided(&b, reject(Value::Null, 20)).await;
    on.pass(WAIT_MS).await;
    assert_eq!(on.state(number).await, DecisionState::Sent);
    // And this one was approved there: it is not approved again.
    on.turk.stands("Ac", "Approved");
    let c = on.start("c").await;
    let number = on.scene.decided(&c, approve()).await;
    assert_eq!(on.pass(WAIT_MS).await, ["GetAssignment"]);
    assert_eq!(on.state(number).await, DecisionState::Sent);
    // A bonus that it does not pay.
    on.turk.set(|books| books.refuses = Some("SendBonus"));
    let number = on.scene.decided(&c, bonus("1")).await;
    assert_eq!(on.pass(WAIT_MS).await, ["SendBonus"]);
    assert_eq!(on.state(number).await, DecisionState::Failed);
    on.turk.set(|books| books.refuses = None);
    assert_eq!(on.scene.settle(number, "again").await.status, 200);
    assert_eq!(on.pass(0).await, ["SendBonus"]);
    assert_eq!(on.state(number).await, DecisionState::Sent);
}

#[tokio::test]
async fn without_an_answer_it_is_looked_at_and_nothing_is_done_twice() {
    let on = OnTurk::new().await;
    let (a, b) = (on.start("a").await, on.start("b").await);
    // It does what it is asked for, and does not say so.
    on.turk
        .set(|books| books.silent = Some("ApproveAssignment"));
    let approved = on.scene.decided(&a, approve()).await;
    assert_eq!(
        on.pass(WAIT_MS).await,
        ["GetAssignment", "ApproveAssignment"]
    );
    let trying = on.scene.find(approved).await;
    assert_eq!(trying.state, DecisionState::TryingAgain);
    assert!(!trying.can_be_taken_back && trying.answer.unwrap().contains("503"));
    on.turk.set(|books| books.silent = None);
    assert_eq!(on.pass(10_000).await, ["GetAssignment"], "it was done");
    assert_eq!(on.state(approved).await, DecisionState::Sent);
    // A rejection that it has not done.
    on.turk.set(|books| books.silent = Some("RejectAssignment"));
    let rejected = on.scene.decided(&b, reject(Value::Null, 20)).await;
    on.pass(WAIT_MS).await;
    on.turk.set(|books| {
        books.silent = None;
        books.status.remove("Ab");
    });
    assert_eq!(on.pass(10_000).await, ["GetAssignment", "RejectAssignment"]);
    assert_eq!(on.state(rejected).await, DecisionState::Sent);
    // A bonus is asked for again under its token, which pays nothing further.
    on.turk.set(|books| books.silent = Some("SendBonus"));
    let given = on.scene.decided(&a, bonus("1")).await;
    assert_eq!(on.pass(WAIT_MS).await, ["SendBonus"]);
    on.turk.set(|books| books.silent = None);
    let again = on.pass(10_000).await;
    assert_eq!(again, ["SendBonus"]);
    assert_eq!(on.state(given).await, DecisionState::Sent);
    // The same where it refuses a token that it has seen, and shows the bonus.
    on.turk.set(|books| {
        books.silent = Some("SendBonus");
        books.token_once = true;
    });
    let given = on.scene.decided(&a, bonus("2")).await;
    on.pass(WAIT_MS).await;
    on.turk.set(|books| books.silent = None);
    assert_eq!(on.pass(10_000).await, ["SendBonus", "ListBonusPayments"]);
    assert_eq!(on.state(given).await, DecisionState::Sent);
    let books = on.turk.books.lock().unwrap();
    let tokens: BTreeSet<&str> = books.bonuses.iter().map(|(token, ..)| &**token).collect();
    assert_eq!(
        tokens,
        BTreeSet::from(["Aamturk bonus 1", "Aamturk bonus 2"])
    );
    assert_eq!(books.bonuses.len(), 2);
}

#[tokio::test]
async fn what_came_back_with_a_backup_is_uncertain_until_somebody_has_looked() {
    let on = OnTurk::new().await;
    let (a, b) = (on.start("a").await, on.start("b").await);
    let storage = &on.scene.area.app.state.storage;
    let mut numbers = Vec::new();
    for (of, deed) in [(&a, approve()), (&a, bonus("1")), (&b, approve())] {
        let number = on.scene.decided(of, deed).await;
        let stored = storage.decision(number).await.unwrap().unwrap();
        let step = DecisionStep {
            number,
            to: stored.course.restored(stored.decided_at_unix_ms),
            from: stored.course,
            entries: Vec::new(),
        };
        assert!(storage.step_decision(step).await.unwrap());
        numbers.push(number);
    }
    assert!(
        on.pass(6 * 60 * MINUTE_MS).await.is_empty(),
        "nothing by itself"
    );
    for number in &numbers {
        assert_eq!(on.state(*number).await, DecisionState::Uncertain);
    }
    // It was done; it was not; it is not to be done any more.
    for (number, how) in numbers.iter().zip(["done", "again", "dropped"]) {
        assert_eq!(on.scene.settle(*number, how).await.status, 200);
    }
    assert_eq!(on.pass(0).await, ["SendBonus"]);
    assert_eq!(on.state(numbers[0]).await, DecisionState::Sent);
    assert_eq!(on.state(numbers[1]).await, DecisionState::Sent);
    assert_eq!(on.state(numbers[2]).await, DecisionState::TakenBack);
    let cells = on.scene.cells(&a, "approval,pay_paid").await;
    let cells: Vec<&str> = cells.iter().flatten().map(String::as_str).collect();
    assert_eq!(cells, ["approved", "3.5"]);
}
