//! A researcher watches a session again: a link leads to a moment, keys go from event to event, and what is shown is
//! what the log says.

mod overshoots;
mod tampered;
mod window;

use std::time::Duration;

use anyhow::{Context, Result};
use api::routes;
use domain::session::event::{Author, Envelope, Event, SessionId};
use fantoccini::key::Key;
use tests::area;
use tests::browser::{Browser, Hand};
use tests::client::Client;
use tests::export::Export;
use tests::scene::in_browser;
use tests::server::Server;
use tests::simulated::run::{SessionPace, take_part};
use tests::wait;

const STUDY: &str = "quickstart";

#[tokio::test]
async fn a_session_is_watched_again() -> Result<()> {
    in_browser("research-replay", 300, Server::start(), watch).await
}

#[tokio::test]
async fn a_changed_record_is_marked() -> Result<()> {
    in_browser(
        "research-replay-tampered",
        300,
        tampered::taken(),
        tampered::watch,
    )
    .await
}

/// A page that replays a session, and the session's log.
struct Page<'a> {
    browser: &'a Browser,
    address: String,
    log: Vec<Envelope>,
}

async fn watch(server: &Server, browser: &Browser) -> Result<()> {
    let client = Client::new(server.address());
    let pace = SessionPace {
        step: Duration::from_millis(5),
        moves_per_question: 30,
        limit: Duration::from_secs(60),
        speed: 1,
    };
    let started = client.start(STUDY, "research-replay-watched").await?;
    take_part(server.address(), started, pace).await?;
    // The server decodes what has ended again, and notes it in its own log.
    let (session, log) = wait::until("verification", Duration::from_secs(60), async || {
        let found = longest(server)?;
        let verified = |it: &Envelope| matches!(it.event, Event::Verified { .. });
        Ok(found.1.iter().any(verified).then_some(found))
    })
    .await?;
    let under_way = client.start(STUDY, "research-replay-begun").await?;
    area::sign_in(server, browser, STUDY).await?;
    let address = |session: &SessionId| {
        let area = format!("http://{}{}", server.address(), routes::RESEARCH);
        format!("{area}/studies/{STUDY}/replay/{session}")
    };
    let page = Page {
        browser,
        address: address(&session),
        log,
    };
    page.a_link_leads_to_a_moment().await?;
    page.keys_step().await?;
    area::look(browser, "replay").await?;
    page.the_list_and_the_timeline_lead_to_moments().await?;
    page.it_leads_to_overshoots(&Export::of(server, STUDY)?, &session)
        .await?;
    page.it_plays().await?;
    page.the_window_is_the_participant_s().await?;
    page.keys_count_on_the_screen().await?;
    page.odd_links().await?;
    page.it_is_excluded_here().await?;
    // A session that is under way is followed.
    browser.goto(&address(&under_way.plan.session)).await?;
    page.says("state", "Live").await?;
    page.says("place", "Consent form").await
}

fn longest(server: &Server) -> Result<(SessionId, Vec<Envelope>)> {
    let events = Export::of(server, STUDY)?.events()?.into_iter();
    let longest = events.max_by_key(|(_, log)| log.len());
    longest.context("nobody took part")
}

impl Page<'_> {
    async fn says(&self, test_id: &str, words: &str) -> Result<()> {
        area::says(self.browser, test_id, words).await
    }

    async fn at(&self, count: usize) -> Result<()> {
        let words = format!("Event {count} of {}:", self.log.len());
        self.says("event", &words).await
    }

    /// How many events had happened when the participant's last one had.
    fn ended(&self) -> usize {
        let mut of_page = self.log.iter();
        let last = of_page.rfind(|it| it.author == Author::Participant);
        let end_ms = last.map_or(0, |it| it.at_ms);
        let until = self.log.iter().rposition(|it| it.at_ms <= end_ms);
        until.map_or(0, |last| last + 1)
    }

    /// A link to a moment.
    fn moment(&self, at_ms: u64) -> String {
        format!("{}?t={}s", self.address, at_ms as f64 / 1_000.0)
    }

    async fn numbers(&self, script: &str) -> Result<Vec<f64>> {
        let found = self.browser.look(script, vec![]).await?;
        Ok(serde_json::from_value(found)?)
    }

    /// The dials beside the screen and those on it stand where the log says.
    async fn dials_stand_at(&self, expected: &[f64]) -> Result<()> {
        let beside =
            "return [...document.querySelectorAll('[data-dial]')].map(it => Number(it.innerText))";
        let on_it = "const { contentDocument } = document.querySelector('.replay-window iframe');
            return [...contentDocument.querySelectorAll('.replay-frame input[type=range]')].map(it => it.valueAsNumber)";
        wait::until("the dials", Duration::from_secs(30), async || {
            let close = |found: &[f64]| {
                found.len() == expected.len()
                    && found
                        .iter()
                        .zip(expected)
                        .all(|(a, b)| (a - b).abs() < 1e-9)
            };
            let (beside, on_it) = (self.numbers(beside).await?, self.numbers(on_it).await?);
            Ok((close(&beside) && close(&on_it)).then_some(()))
        })
        .await
    }

    async fn a_link_leads_to_a_moment(&self) -> Result<()> {
        let index = movement(&self.log)?;
        let at_ms = self.log[index].at_ms;
        self.browser.goto(&self.moment(at_ms)).await?;
        self.browser.await_screen("replay").await?;
        // Of several events at one moment all have happened.
        let last = self.log.iter().rposition(|it| it.at_ms <= at_ms);
        let last = last.context("nothing has happened")?;
        self.at(last + 1).await?;
        let here = self.log[..=last].iter().rev().find_map(z);
        self.dials_stand_at(here.context("no dial moved")?).await
    }

    async fn keys_step(&self) -> Result<()> {
        let index = movement(&self.log)?;
        let last = self
            .log
            .iter()
            .rposition(|it| it.at_ms <= self.log[index].at_ms);
        let here = last.context("nothing has happened")? + 1;
        let [left, right] = [Key::Left, Key::Right].map(char::from);
        self.browser.keys(&[right, right, right]).await?;
        self.at(here + 3).await?;
        let moved = self.log[..here + 3].iter().rev().find_map(z);
        self.dials_stand_at(moved.context("no dial moved")?).await?;
        self.browser.keys(&[left, left, left]).await?;
        self.at(here).await?;
        let moved = self.log[..here].iter().rev().find_map(z);
        self.dials_stand_at(moved.context("no dial moved")?).await?;
        // The beginning of this question, which the address says as well.
        self.browser.shifted(left, 1).await?;
        let begun = self.log[..here].iter().rev();
        let mut begun = begun.filter(|it| matches!(it.event, Event::QuestionStarted { .. }));
        let at_ms = begun.next().context("no question")?.at_ms;
        self.says("place", "uestion").await?;
        wait::until("the address", Duration::from_secs(10), async || {
            let (address, _) = self.browser.address().await?;
            let (_, t) = address.split_once("?t=").unwrap_or_default();
            Ok((area::moment_ms(t) == Some(at_ms)).then_some(()))
        })
        .await
    }

    async fn the_list_and_the_timeline_lead_to_moments(&self) -> Result<()> {
        let entry = "const entries = [...document.querySelectorAll('[data-testid=events] button')];
            const entry = entries.find(it => it.innerText.includes('Question 2 began')); entry.click();";
        let end = char::from(Key::End);
        self.browser.keys(&[end]).await?;
        self.at(self.ended()).await?;
        self.browser.click_by(entry, vec![]).await?;
        self.says("place", "ractice question 2").await?;
        // Hidden kinds are in neither.
        let hide = "document.querySelector('[data-testid=legend] [data-kind=places]').click();
            return document.querySelectorAll('[data-testid=events] [data-kind=place]').length";
        self.browser.click_by(hide, vec![]).await?;
        let left =
            "return document.querySelectorAll('[data-testid=events] [data-kind=place]').length";
        wait::until("places to be hidden", Duration::from_secs(10), async || {
            let left = self.browser.look(left, vec![]).await?;
            Ok((left.as_u64() == Some(0)).then_some(()))
        })
        .await?;
        // At the right end of the drawing is what was written last, after the end of the session.
        let press = "const chart = document.querySelector('[data-testid=chart] canvas');
            const { right, top } = chart.getBoundingClientRect();
            const at = { clientX: right - 2, clientY: top + 30, bubbles: true, button: 0, pointerId: 1 };
            chart.dispatchEvent(new PointerEvent('pointerdown', at));
            chart.dispatchEvent(new PointerEvent('pointerup', at));";
        self.browser.look(press, vec![]).await?;
        self.at(self.log.len()).await
    }

    async fn it_plays(&self) -> Result<()> {
        let home = char::from(Key::Home);
        self.browser.keys(&[home]).await?;
        self.browser.keys(&['+', '+', '+', '+']).await?;
        self.browser.click("play").await?;
        // At sixteen times its speed a session of made-up people is soon over. What the server found comes after its end.
        self.at(self.ended()).await?;
        self.says("play", "Play").await
    }

    /// Excluded and readmitted without going back; the same row of the table of sessions says so.
    async fn it_is_excluded_here(&self) -> Result<()> {
        for (button, done, standing) in [
            ("exclude", "1 session excluded.", "excluded"),
            ("readmit", "1 session readmitted.", "counted"),
        ] {
            self.browser.click(button).await?;
            self.says("means", "1 session: ").await?;
            self.browser
                .write(Hand::Keyboard, "why", "talked to somebody")
                .await?;
            self.browser.click("decide").await?;
            self.says("done", done).await?;
            self.says("standing", standing).await?;
            if standing == "excluded" {
                self.says("standing", "talked to somebody").await?;
                area::look(self.browser, "replay-excluded").await?;
            }
        }
        Ok(())
    }

    async fn odd_links(&self) -> Result<()> {
        self.browser
            .goto(&format!("{}?t=900m", self.address))
            .await?;
        self.at(self.log.len()).await?;
        self.browser
            .goto(&format!("{}?t=soon", self.address))
            .await?;
        self.says("problem", "no moment that can be read").await?;
        self.says("time", "0:00.0 of").await
    }
}

/// The place in a log of a movement in the middle of the second question.
fn movement(log: &[Envelope]) -> Result<usize> {
    let begun = log
        .iter()
        .enumerate()
        .filter(|(_, it)| matches!(it.event, Event::QuestionStarted { .. }));
    let (second, _) = begun.clone().nth(1).context("one question only")?;
    let found = log.iter().enumerate().skip(second + 8);
    let mut moved = found.filter(|(_, it)| z(it).is_some());
    Ok(moved.next().context("no movement")?.0)
}

fn z(logged: &Envelope) -> Option<&[f64]> {
    match &logged.event {
        Event::Task(event) => Some(&event.movement()?.z),
        _ => None,
    }
}
