//! Somebody with access to the database has changed a recorded distance: the replay marks it at its event.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::session::event::{Envelope, SessionId};
use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tests::area;
use tests::browser::Browser;
use tests::export::Export;
use tests::server::Server;
use tests::wait;

use super::{Page, STUDY, movement};

/// Far more than decoding again may differ by.
const CHANGED_BY: f64 = 0.25;

/// A server with two simulated people: what they report follows from their dials, but for one distance of the first.
pub(super) async fn taken() -> Result<Server> {
    let mut server = Server::start().await?;
    // One program at a time writes to a database. The server that starts afterwards seals both logs, changed as
    // the one is.
    server.stop().await?;
    area::said(&server, &["simulate", STUDY, "--participants", "2"])?;
    let (session, log) = nth_log(&server, 0)?;
    change(&server, &session, &log[movement(&log)?]).await?;
    server.restart().await?;
    Ok(server)
}

fn nth_log(server: &Server, n: usize) -> Result<(SessionId, Vec<Envelope>)> {
    let logs = Export::with(server, STUDY, &["--simulated"])?.events()?;
    logs.into_iter().nth(n).context("too few took part")
}

async fn change(server: &Server, session: &SessionId, event: &Envelope) -> Result<()> {
    let options = SqliteConnectOptions::new().filename(server.database());
    let mut connection = SqliteConnection::connect_with(&options).await?;
    let change = "UPDATE events SET envelope =
            json_set(envelope, '$.distance', json_extract(envelope, '$.distance') + ?)
        WHERE session = ? AND seq = ? AND author = 'participant'
            AND json_type(envelope, '$.distance') = 'real'";
    let changed = sqlx::query(change)
        .bind(CHANGED_BY)
        .bind(session.to_string())
        .bind(i64::try_from(event.seq)?)
        .execute(&mut connection)
        .await?;
    connection.close().await?;
    ensure!(
        changed.rows_affected() == 1,
        "no distance was changed at event {}",
        event.seq
    );
    Ok(())
}

pub(super) async fn watch(server: &Server, browser: &Browser) -> Result<()> {
    area::sign_in(server, browser, STUDY).await?;
    let page = |n| -> Result<Page> {
        let (session, log) = nth_log(server, n)?;
        let address = area::address(server, &format!("/studies/{STUDY}/replay/{session}"));
        Ok(Page {
            browser,
            address,
            log,
        })
    };
    let untouched = page(1)?;
    let at_ms = untouched.log[movement(&untouched.log)?].at_ms;
    browser.goto(&untouched.moment(at_ms)).await?;
    untouched
        .says("compared", "Distances and errors are as recorded.")
        .await?;
    page(0)?.a_tampered_log_is_marked().await
}

impl Page<'_> {
    /// The list has one finding, at the event whose distance is not what was recorded, and leads to it.
    async fn a_tampered_log_is_marked(&self) -> Result<()> {
        let event = &self.log[movement(&self.log)?];
        self.browser.goto(&self.moment(event.at_ms)).await?;
        self.says("compared", "One recorded number does not agree")
            .await?;
        let seconds = event.at_ms / 1_000;
        let time = format!("{}:{:02}", seconds / 60, seconds % 60);
        let findings =
            "return [...document.querySelectorAll('[data-testid=events] [data-kind=finding]')]
            .map(it => [it.querySelector('time').innerText, it.innerText])";
        let found = wait::until("the finding", Duration::from_secs(30), async || {
            let found = self.browser.look(findings, vec![]).await?;
            let found: Vec<(String, String)> = serde_json::from_value(found)?;
            Ok((!found.is_empty()).then_some(found))
        })
        .await?;
        let [(at, words)] = &found[..] else {
            anyhow::bail!("one number was changed, and the list has {found:?}");
        };
        ensure!(
            *at == time,
            "the finding is at {at}, and the event at {time}"
        );
        ensure!(words.contains("does not agree"), "{words}");
        area::look(self.browser, "replay-tampered").await?;
        // From elsewhere the finding leads back to its moment.
        self.browser
            .keys(&[char::from(fantoccini::key::Key::Home)])
            .await?;
        self.at(0).await?;
        let lead = "document.querySelector('[data-testid=events] [data-kind=finding]').click()";
        self.browser.click_by(lead, vec![]).await?;
        let last = self.log.iter().rposition(|it| it.at_ms <= event.at_ms);
        self.at(last.context("nothing has happened")? + 1).await
    }
}
