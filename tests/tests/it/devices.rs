//! A look at the participant's device: one that fits goes on by itself, one that does not ends the
//! session before any work, with the platform's code for it.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tests::audit::Audit;
use tests::browser::Browser;
use tests::export::Export;
use tests::pages::StudyPage;
use tests::scene::in_browser;
use tests::server::{Server, add};

/// A study that asks this of a device.
fn study(id: &str, needs: &Value) -> Value {
    json!({
        "format": 2, "id": id, "title": "Devices",
        "recruitment": [
            { "platform": "link" },
            { "platform": "prolific", "codes": { "COMPLETED": "DONE1", "INCOMPATIBLE_DEVICE": "UNFIT2" } }
        ],
        "parts": [
            { "kind": "device_check", "id": "device", "needs": needs, "model": "dsprites-vae5" },
            { "kind": "stage", "id": "s",
              "task": { "kind": "reconstruction", "model": "circles", "questions": 1 } }
        ]
    })
}

#[tokio::test]
async fn a_device_that_fits_goes_on_and_one_that_does_not_is_told_so() -> Result<()> {
    let fits = study(
        "fits",
        &json!({ "min_width_px": 300, "min_picture_px": 80, "max_decode_ms": 10_000 }),
    );
    let wide = study(
        "wide",
        &json!({ "min_width_px": 9_000, "min_picture_px": 9_000, "max_decode_ms": 10_000 }),
    );
    let server = Server::start_with(|studies| {
        add(studies, &fits)?;
        add(studies, &wide)
    });
    in_browser("devices", 300, server, look).await
}

async fn look(server: &Server, browser: &Browser) -> Result<()> {
    let mut audit = Audit::default();
    StudyPage::begin(browser, server.address(), "fits").await?;
    browser.await_screen("stage-intro").await?;
    let export = Export::of(server, "fits")?;
    let sessions = export.table("sessions")?;
    let decode_ms = sessions[0]["decode_ms"].as_f64();
    ensure!(
        decode_ms.is_some_and(|ms| ms > 0.0 && ms < 10_000.0),
        "{decode_ms:?}"
    );

    let arrival = format!(
        "http://{}/study/wide?PROLIFIC_PID=5f0a&STUDY_ID=S&SESSION_ID=X",
        server.address()
    );
    browser.goto(&arrival).await?;
    browser.await_screen("study").await?;
    browser.click("start").await?;
    browser.await_screen("device-check").await?;
    browser.element("device-again").await?;
    let words = browser.words().await?;
    ensure!(words.contains("9000 pixels"), "{words}");
    ensure!(words.contains("more room for its pictures"), "{words}");
    ensure!(!words.contains("dsprites"), "{words}");
    audit.look(browser, "device-check").await?;
    // Nothing has changed: the same again, and after a reload.
    browser.click("device-again").await?;
    browser.element("device-again").await?;
    browser.reload().await?;
    browser.await_screen("device-check").await?;
    browser.element("device-stop").await?;
    browser.click("device-stop").await?;
    browser.await_screen("device-unfit").await?;
    let complete = "https://app.prolific.com/submissions/complete?cc=UNFIT2";
    let link = browser.element("go-back").await?;
    ensure!(link.attr("href").await?.as_deref() == Some(complete));
    audit.look(browser, "device-unfit").await?;
    let export = Export::of(server, "wide")?;
    let sessions = export.table("sessions")?;
    ensure!(sessions[0]["phase"] == "device_unfit", "{}", sessions[0]);
    ensure!(
        sessions[0]["platform_told"] == "incompatible_device",
        "{}",
        sessions[0]
    );
    audit.verdict()
}
