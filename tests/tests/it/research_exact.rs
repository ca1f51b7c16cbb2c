//! A replay is exact. What was recorded follows from the recorded dials, and the replay shows what the participant's
//! page showed at the same moment.

use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use domain::session::event::{Author, SessionId};
use serde_json::Value;
use tempfile::TempDir;
use tests::area::{self, said, token_of_owner};
use tests::browser::{Browser, PATIENCE};
use tests::client::KeptSession;
use tests::export::Export;
use tests::pages::StudyPage;
use tests::scene::in_browser;
use tests::server::{Server, change};
use tests::small_study::one_question_a_stage;
use tests::{journey, tools, wait, whole_study};

mod again;
mod shown;

use again::{Again, Compared};
use shown::{Shown, shown};

/// Shipped studies that have every task, and models of every kind, and how many people take each with `--long`: 200 in
/// all. The third has no more places.
const STUDIES: [(&str, usize); 5] = [
    ("chi21-synthetic", 41),
    ("chi21-mnist", 41),
    ("chi22-ganslider-like", 36),
    ("single-dimension-demo", 41),
    ("exploration-demo", 41),
];

#[tokio::test]
async fn every_recorded_distance_follows_from_its_dials() -> Result<()> {
    let limit = if tools::long() { 3_600 } else { 900 };
    wait::at_most(Duration::from_secs(limit), simulated()).await
}

/// 200 simulated people with `--long`, else one in each study, with one question a stage.
async fn simulated() -> Result<()> {
    let studies = STUDIES.map(|(study, people)| (study, if tools::long() { people } else { 1 }));
    let people: usize = studies.iter().map(|(_, people)| people).sum();
    let small = |definition: &mut Value| one_question_a_stage(definition, |_| ());
    let mut server = Server::start_with(|folder| {
        let mut studies = studies.iter();
        studies.try_for_each(|(study, _)| change(folder, study, small))
    })
    .await?;
    // One program at a time writes to a database.
    server.stop().await?;
    for (study, people) in studies {
        said(
            &server,
            &["simulate", study, "--participants", &people.to_string()],
        )?;
    }
    server.restart().await?;
    let token = token_of_owner(&server, "ada", &STUDIES.map(|it| it.0)).await?;
    let mut again = Again::new(&server, &token)?;
    let mut compared = Compared::default();
    for (study, _) in studies {
        let logs = Export::with(&server, study, &["--simulated"])?.events()?;
        ensure!(!logs.is_empty(), "{study} has no sessions");
        for (session, log) in &logs {
            again.compare(study, session, log, &mut compared).await?;
        }
    }
    println!("{compared:?}");
    ensure!(compared.sessions == people, "{compared:?}");
    ensure!(compared.distances > 100 * people, "{compared:?}");
    Ok(())
}

#[tokio::test]
async fn the_replay_shows_what_the_page_showed() -> Result<()> {
    let limit = if tools::long() { 7_200 } else { 600 };
    let server = Server::start_with(whole_study::add_to);
    in_browser("research-exact", limit, server, taken_and_watched).await
}

/// A moment of the participant's page.
struct Moment {
    screen: String,
    /// How many events the page had written.
    events: usize,
    shown: Shown,
}

async fn taken_and_watched(server: &Server, browser: &Browser) -> Result<()> {
    const STUDY: &str = whole_study::NAME;
    let sessions = if tools::long() { 20 } else { 1 };
    let mut taken = Vec::new();
    for _ in 0..sessions {
        // Each participant has a browser of their own.
        let profile = TempDir::new()?;
        let theirs = Browser::open_beside(browser, profile.path()).await?;
        let result = take(server, &theirs).await;
        let ended = result
            .as_ref()
            .map(|_| ())
            .map_err(|error| anyhow!("{error:#}"));
        theirs.finish("research-exact-page", ended).await?;
        taken.push(result?);
    }
    let token = token_of_owner(server, "bob", &[STUDY]).await?;
    let logs = Export::of(server, STUDY)?.events()?;
    let mut again = Again::new(server, &token)?;
    let mut compared = Compared::default();
    for (session, log) in &logs {
        again.compare(STUDY, session, log, &mut compared).await?;
    }
    println!("{compared:?}");
    ensure!(
        compared.sessions == sessions && compared.distances > 0,
        "{compared:?}"
    );

    area::sign_in(server, browser, STUDY).await?;
    for (session, moments) in &taken {
        let log = logs
            .get(session)
            .context("a session is not in the export")?;
        ensure!(moments.len() >= 10, "{} moments", moments.len());
        let mut differ = Vec::new();
        for moment in moments {
            let of_page = log.iter().filter(|it| it.author == Author::Participant);
            let last = of_page.take(moment.events).last();
            let at_ms = last.map_or(0, |it| it.at_ms);
            let why = watched(server, browser, session, at_ms, moment).await?;
            println!(
                "{} at {at_ms} ms: {}",
                moment.screen,
                why.as_deref().unwrap_or("the same")
            );
            if let Some(why) = why {
                differ.push(format!("{} at {at_ms} ms: {why}", moment.screen));
            }
        }
        println!("{} moments of {session} compared", moments.len());
        ensure!(differ.is_empty(), "{}", differ.join("\n\n"));
    }
    Ok(())
}

/// Takes the study to its end, and looks at each of its screens.
async fn take(server: &Server, browser: &Browser) -> Result<(SessionId, Vec<Moment>)> {
    StudyPage::begin(browser, server.address(), whole_study::NAME).await?;
    let kept = KeptSession::of(browser, server.address()).await?;
    let mut moments: Vec<Moment> = Vec::new();
    let look = async |browser: &Browser, screen: &str| {
        // What is half filled in is in no log, nor is that the page asked for the rest of it, nor which step of a
        // tutorial was on screen. The completion code is nobody's business in a replay.
        let logged = !screen.starts_with("filled-")
            && !screen.starts_with("incomplete-")
            && screen != "complete"
            && (screen == "tutorial-0" || !screen.starts_with("tutorial-"));
        if logged && !moments.iter().any(|it| it.screen == screen) {
            let events = settled(&kept).await?;
            let shown = shown(browser, "", "[data-screen]").await?;
            moments.push(Moment {
                screen: screen.to_owned(),
                events,
                shown: shown.context("no screen")?,
            });
        }
        Ok(())
    };
    journey::finish(browser, PATIENCE, look).await?;
    Ok((kept.id, moments))
}

/// How many events of the page the server has, once no more come.
async fn settled(kept: &KeptSession) -> Result<usize> {
    let mut before = None;
    wait::until("events to be saved", PATIENCE, async || {
        tokio::time::sleep(Duration::from_millis(400)).await;
        let log = kept.log().await?;
        let of_page = log.iter().filter(|it| it.author == Author::Participant);
        let now = Some(of_page.count());
        let same = before == now;
        before = now;
        Ok(now.filter(|_| same))
    })
    .await
}

/// What differs between a moment and its replay, once that had time to load models; nothing if they agree.
async fn watched(
    server: &Server,
    browser: &Browser,
    session: &SessionId,
    at_ms: u64,
    moment: &Moment,
) -> Result<Option<String>> {
    let page = format!(
        "/studies/{}/replay/{session}?t={}s",
        whole_study::NAME,
        at_ms as f64 / 1_000.0
    );
    browser.goto(&area::address(server, &page)).await?;
    browser.await_screen("replay").await?;
    let mut why = Some("nothing is shown".to_owned());
    for _ in 0..24 {
        if let Some(replayed) = shown(
            browser,
            ".replay-window iframe",
            ".replay-frame [data-screen]",
        )
        .await?
        {
            why = moment.shown.differs(&replayed);
            if why.is_none() {
                break;
            }
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    Ok(why)
}
