//! The network goes in the middle of a drag, then the tab dies, then the
//! server: nothing acknowledged is missing, nothing is there twice, and the
//! participant goes on where they were.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use domain::session::event::{Envelope, Event, QuestionRef, SessionId};
use domain::session::{Phase, Session};
use domain::task::reconstruction::Snapshot;
use serde_json::json;
use tempfile::TempDir;
use tests::browser::{Browser, PATIENCE};
use tests::client::KeptSession;
use tests::events::snapshot;
use tests::export::{Export, check_numbering};
use tests::journey;
use tests::pages::{Complete, Hand, QuestionPage};
use tests::proxy::Proxy;
use tests::server::{Server, seed_quickstart};
use tests::wait;

const STUDY: &str = "quickstart";
/// The outage lasts at least so long...
const OUTAGE: Duration = Duration::from_secs(20);
/// ... and until the browser keeps at least so many events that the server does not have.
const UNSENT: usize = 120;
/// How long the participant tries before skipping: here it only matters that the session ends.
const SKIP_SOON: Duration = Duration::from_secs(20);
/// The second practice question: with the shade as it starts, no radius solves it,
/// so that the first dial can be dragged for as long as it takes.
const HERE: QuestionRef = QuestionRef::new(0, 1);

#[tokio::test]
async fn an_outage_in_a_drag_and_two_crashes_lose_nothing() -> Result<()> {
    wait::at_most(Duration::from_secs(900), crashes()).await
}

async fn crashes() -> Result<()> {
    let mut server = Server::start_with(seed_quickstart).await?;
    let proxy = Proxy::to(server.address()).await?;
    let profile = TempDir::new()?;

    let before = until_the_crash(&mut server, &proxy, profile.path()).await?;
    let at_crash = Export::of(&server, STUDY)?.only_log()?;
    check_numbering(&at_crash)?;
    ensure!(
        at_crash.starts_with(&before.acknowledged),
        "of {} acknowledged events, {} survived the server's crash",
        before.acknowledged.len(),
        at_crash.len()
    );

    server.restart().await?;
    proxy.set_cut(false);
    let browser = Browser::open(profile.path()).await?;
    let result = go_on(&server, &proxy, &browser, &before, &at_crash).await;
    if result.is_err() {
        println!("the server said:\n{}", server.log());
    }
    browser.finish("resilience", result).await
}

/// What was known before everything broke.
struct Before {
    session: KeptSession,
    /// Events that the server said it holds.
    acknowledged: Vec<Envelope>,
    /// Number of events in the browser's own database at the end.
    kept: usize,
    /// When the network went and when the tab was killed, in milliseconds of the session.
    outage_ms: (u64, u64),
}

async fn until_the_crash(server: &mut Server, proxy: &Proxy, profile: &Path) -> Result<Before> {
    let browser = Browser::open(profile).await?;
    journey::to_first_stage(&browser, &proxy.address(), STUDY).await?;
    let mut first = QuestionPage::on_screen(&browser, Hand::Pointer, PATIENCE).await?;
    ensure!(
        first.solve().await?,
        "the first practice question was not solved"
    );
    first.leave().await?;

    let question = QuestionPage::on_screen(&browser, Hand::Pointer, PATIENCE).await?;
    ensure!(question.at == HERE, "at {:?}", question.at);
    let session = KeptSession::of(&browser, server.address()).await?;
    question.slider(0).grab().await?;
    drag_for(&question, Duration::from_secs(2)).await?;
    // The server is asked directly: what it shows here, it has acknowledged or is about to.
    let events = session.log().await?;
    let here = events
        .iter()
        .rev()
        .take_while(|e| e.event != Event::QuestionStarted { at: HERE });
    let moved = here.filter(|e| snapshot(&e.event).is_some()).count();
    ensure!(
        moved > 10,
        "only {moved} snapshots of the drag have arrived"
    );

    let cut_ms = events
        .last()
        .map(|event| event.at_ms)
        .context("no event has arrived")?;
    proxy.set_cut(true);
    browser.set_offline(true).await?;
    let outage = Instant::now();
    let arrived = events.len();
    let kept = wait::until("an outage worth the name", 2 * PATIENCE, async || {
        drag_for(&question, Duration::from_secs(2)).await?;
        let kept = kept_events(&browser, &session.id).await?;
        // A slow browser makes fewer snapshots a second.
        Ok((outage.elapsed() >= OUTAGE && kept > arrived + UNSENT).then_some(kept))
    })
    .await?;
    let sign = "return document.querySelector('[data-testid=save-state]').dataset.state";
    let state = browser.look(sign, vec![]).await?;
    ensure!(
        state == json!("offline"),
        "after {OUTAGE:?} without a network the sign says {state}"
    );
    let acknowledged = session.log().await?;
    ensure!(
        acknowledged.len() <= arrived + 20,
        "{} events have arrived through a network that is cut",
        acknowledged.len() - arrived
    );
    println!(
        "{} events acknowledged, {kept} kept by the browser after {:.1} s without a network",
        acknowledged.len(),
        outage.elapsed().as_secs_f64()
    );
    let killed_ms = cut_ms + u64::try_from(outage.elapsed().as_millis())?;

    // The mouse is still down.
    browser.kill_tab()?;
    server.kill()?;
    browser.kill();
    Ok(Before {
        session,
        acknowledged,
        kept,
        outage_ms: (cut_ms, killed_ms),
    })
}

/// Drags the first dial up and down.
async fn drag_for(question: &QuestionPage<'_>, time: Duration) -> Result<()> {
    let begun = Instant::now();
    let up: Vec<f64> = (0..10).map(|k| 0.3 + 0.04 * f64::from(k)).collect();
    let down: Vec<f64> = up.iter().rev().copied().collect();
    while begun.elapsed() < time {
        for path in [&up, &down] {
            let rest = Duration::from_millis(40);
            question.slider(0).drag(path, rest).await?;
        }
    }
    Ok(())
}

/// How many events of a session are in the browser's database.
async fn kept_events(browser: &Browser, session: &SessionId) -> Result<usize> {
    let script = "
        const request = indexedDB.open('redial');
        await new Promise((yes, no) => { request.onsuccess = yes; request.onerror = no; });
        const all = request.result.transaction('events').objectStore('events').getAll();
        await new Promise((yes, no) => { all.onsuccess = yes; all.onerror = no; });
        request.result.close();
        return all.result.filter(text => JSON.parse(text).session === arguments[0]).length;";
    let script = script.replace("arguments[0]", &json!(session).to_string());
    let count = browser.look_async(&script, vec![]).await?;
    Ok(usize::try_from(
        count.as_u64().context("a number was expected")?,
    )?)
}

async fn go_on(
    server: &Server,
    proxy: &Proxy,
    browser: &Browser,
    before: &Before,
    at_crash: &[Envelope],
) -> Result<()> {
    browser
        .goto(&format!("http://{}/study/{STUDY}", proxy.address()))
        .await?;
    let question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    ensure!(
        question.at == HERE,
        "the session goes on at {:?}",
        question.at
    );
    let (session, token) = browser.kept_session().await?;
    ensure!(
        (&session, &token) == (&before.session.id.0, &before.session.token),
        "another session"
    );
    let caught_up = wait::until("everything kept to be sent", PATIENCE, async || {
        let events = before.session.log().await?;
        Ok((events.len() > before.kept).then_some(events))
    })
    .await?;
    let last = last_snapshot(&caught_up).context("there is no snapshot")?;
    assert_eq!(
        question.values(),
        last.movement.z,
        "the dials stand elsewhere than they were left"
    );

    journey::finish(browser, SKIP_SOON, async |_, _| Ok(())).await?;
    let code = Complete(browser).code().await?;
    let state = before.session.state().await?;
    ensure!(
        state.completion_code.as_deref() == Some(code.as_str()),
        "another code on the server"
    );

    let log = Export::of(server, STUDY)?.only_log()?;
    Export::verify(server, STUDY)?;
    check_numbering(&log)?;
    ensure!(
        log.starts_with(at_crash),
        "the log no longer begins as it did before the crash"
    );
    ensure!(
        log.starts_with(&caught_up),
        "the log no longer begins as it did after the crash"
    );
    let (from, to) = before.outage_ms;
    let offline = log
        .iter()
        .filter(|event| (from..to).contains(&event.at_ms) && snapshot(&event.event).is_some());
    let offline = offline.count();
    println!("{offline} snapshots from the time without a network");
    ensure!(
        offline > 100,
        "only {offline} snapshots from the time without a network"
    );
    let replayed = Session::new(state.plan.clone())
        .replayed(&log)
        .map_err(|e| anyhow::anyhow!("{e:?}"))?;
    ensure!(
        replayed.phase() == Phase::Complete,
        "the log ends in {:?}",
        replayed.phase()
    );
    let reloads = replayed
        .ended()
        .iter()
        .find(|r| r.at == HERE)
        .map(|r| r.reloads);
    ensure!(
        reloads == Some(1),
        "{reloads:?} reloads were noticed in the question"
    );
    Ok(())
}

fn last_snapshot(log: &[Envelope]) -> Option<&Snapshot> {
    log.iter()
        .rev()
        .find_map(|envelope| snapshot(&envelope.event))
}
