//! Many participants at once, over the real WebSocket, and one in Chromium, while the server is killed and started again,
//! its disk is full for a while, or its disk does not confirm a write.
//!
//! 50 participants, 5 kills, a full disk and 2 failing writes; 200, 100, 10 and 10 with `cargo xtask test --long`.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use tempfile::TempDir;
use tests::browser::{Browser, PATIENCE};
use tests::client::Client;
use tests::export::{Export, check_numbering};
use tests::pages::{Complete, Hand, QuestionPage, StageIntro, StudyPage};
use tests::server::{Server, add};
use tests::simulated::run::{SessionPace, take_part};
use tests::solver::DialControl;
use tests::{tools, wait};

const STUDY: &str = "quickstart";
/// What the participant in Chromium takes: a question can be left at any time.
const IN_CHROMIUM: &str = "storm";
/// Questions of the study, practice among them.
const QUESTIONS: u64 = 7;
/// Time from one step of a participant to the next.
const STEP_MS: u64 = 100;
/// Time from one fault to the next, the server's new start and a long disk-full among it; sessions last
/// longer than all faults together.
const BETWEEN: Duration = Duration::from_millis(3_500);
/// What a fault and the recovery from it take at most, on a busy machine.
const RECOVERY: Duration = Duration::from_millis(2_500);
/// The page says that saving has stalled after 20 s.
const STALLED: Duration = Duration::from_secs(45);

/// Sessions at once.
fn sessions() -> usize {
    if tools::long() { 200 } else { 50 }
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// The server is killed (SIGKILL), as by a power cut.
    Kill,
    /// Every write fails: there is no room.
    FullDisk,
    /// The disk does not confirm a write; the server ends by itself.
    FailingSync,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_server_is_killed() -> Result<()> {
    storm(Fault::Kill, if tools::long() { 100 } else { 5 }).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_disk_is_full() -> Result<()> {
    storm(Fault::FullDisk, if tools::long() { 10 } else { 1 }).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_disk_confirms_no_write() -> Result<()> {
    storm(Fault::FailingSync, if tools::long() { 10 } else { 2 }).await
}

async fn storm(fault: Fault, count: u32) -> Result<()> {
    // One storm at a time: each has many people.
    static ONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    let _one = ONE.lock().await;
    let longest = match fault {
        Fault::FullDisk => STALLED,
        _ => RECOVERY,
    };
    let faults = (BETWEEN + RECOVERY) * count + longest;
    let limit = 2 * faults + Duration::from_secs(300);
    wait::at_most(limit, run(fault, count, faults)).await
}

async fn run(fault: Fault, count: u32, faults: Duration) -> Result<()> {
    let sessions = sessions();
    let mut server = Server::start_on_failing_disk(|studies| add(studies, &in_chromium())).await?;
    let address = server.address().to_owned();
    let moves = u64::try_from(faults.as_millis())? / STEP_MS / QUESTIONS;
    let pace = SessionPace {
        step: Duration::from_millis(STEP_MS),
        moves_per_question: usize::try_from(moves + 5)?,
        limit: 2 * faults + Duration::from_secs(200),
        speed: 1,
    };
    let client = Client::new(&address);
    let mut started = Vec::new();
    for n in 0..sessions {
        let attempt = format!("load-test-attempt-{n:04}");
        started.push(client.start(STUDY, &attempt).await?);
    }
    let profile = TempDir::new()?;
    let browser = Browser::open(profile.path()).await?;
    StudyPage::begin(&browser, &address, IN_CHROMIUM).await?;
    let begun = Instant::now();
    let people: Vec<_> = started
        .into_iter()
        .map(|started| {
            let address = address.clone();
            tokio::spawn(async move { take_part(&address, started, pace).await })
        })
        .collect();
    let over = AtomicBool::new(false);
    let (broken, in_browser) = tokio::join!(
        async {
            let broken = break_it(&mut server, &browser, fault, count, begun).await;
            over.store(true, Ordering::Relaxed);
            broken
        },
        moves_dials_until(&browser, &over),
    );
    let seen = broken.and(in_browser);
    if seen.is_err() {
        println!("the server said:\n{}", server.log());
    }
    browser.finish("load", seen).await?;

    let mut codes = BTreeSet::new();
    let (mut snapshots, mut reconnections) = (0, 0);
    for (n, person) in people.into_iter().enumerate() {
        let outcome = person.await?.with_context(|| format!("session {n}"))?;
        ensure!(
            outcome.reconnections > 0,
            "session {n} never lost its connection"
        );
        snapshots += outcome.snapshots;
        reconnections += outcome.reconnections;
        codes.insert(outcome.code);
    }
    println!(
        "{fault:?}, {count} times: {sessions} sessions complete after {:.1} s: {snapshots} snapshots, {reconnections} reconnections",
        begun.elapsed().as_secs_f64()
    );
    ensure!(codes.len() == sessions, "completion codes repeat");
    let exported = Export::of(&server, STUDY)?.events()?;
    ensure!(
        exported.len() == sessions,
        "{} sessions are exported",
        exported.len()
    );
    exported.values().try_for_each(|log| check_numbering(log))?;
    check_numbering(&Export::of(&server, IN_CHROMIUM)?.only_log()?)?;
    let whole = server.command(&["database", "check"])?.output()?;
    let said = String::from_utf8_lossy(&whole.stdout);
    ensure!(whole.status.success(), "the database is damaged: {said}");
    Ok(())
}

fn in_chromium() -> serde_json::Value {
    json!({
        "format": 2,
        "id": IN_CHROMIUM,
        "title": "In the storm",
        "mode": "lab",
        "seed": 1,
        "parts": [{
            "kind": "stage",
            "id": "only",
            "task": { "kind": "reconstruction", "model": "sinelines-gt5", "questions": 2 },
        }],
    })
}

/// The participant in Chromium: moves a dial to and fro until the storm is over, then goes on to the
/// completion code. All of it must be in the log in the end.
async fn moves_dials_until(browser: &Browser, over: &AtomicBool) -> Result<()> {
    StageIntro(browser).begin().await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Keyboard, PATIENCE).await?;
    let mut moves = 0;
    while !over.load(Ordering::Relaxed) {
        question.slide(0, &[0.1, 0.3, 0.1]).await?;
        moves += 3;
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    question.refresh().await?;
    question.leave().await?;
    QuestionPage::on_screen(browser, Hand::Keyboard, PATIENCE)
        .await?
        .leave()
        .await?;
    let code = Complete(browser).code().await?;
    println!("Chromium has the code {code} after {moves} moves");
    Ok(())
}

async fn break_it(
    server: &mut Server,
    browser: &Browser,
    fault: Fault,
    count: u32,
    begun: Instant,
) -> Result<()> {
    for n in 0..count {
        // Not always at the same moment of a second.
        tokio::time::sleep(BETWEEN + Duration::from_millis(u64::from(n * 137 % 500))).await;
        match fault {
            Fault::Kill => {
                server.kill()?;
                server.restart().await?;
            }
            Fault::FullDisk => {
                server.set_fault("full")?;
                if n == 0 {
                    says_that_saving_has_stalled(browser).await?;
                } else {
                    tokio::time::sleep(Duration::from_secs(2)).await;
                }
                server.set_fault("")?;
            }
            Fault::FailingSync => {
                server.set_fault("sync")?;
                let status = server.ends().await?;
                ensure!(status.code() == Some(74), "the server ended with {status}");
                server.set_fault("")?;
                server.restart().await?;
            }
        }
        println!("{:.1} s: the server is back", begun.elapsed().as_secs_f64());
    }
    Ok(())
}

/// The page tells its participant once saving has stalled; and it goes on.
async fn says_that_saving_has_stalled(browser: &Browser) -> Result<()> {
    let sign = "return document.querySelector('[data-testid=save-state]')?.dataset.state ?? null";
    let begun = Instant::now();
    loop {
        if browser.look(sign, vec![]).await? == json!("stalled") {
            println!(
                "the page said so after {:.1} s",
                begun.elapsed().as_secs_f64()
            );
            return Ok(());
        }
        if begun.elapsed() > STALLED {
            bail!("the page never said that saving has stalled");
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}
