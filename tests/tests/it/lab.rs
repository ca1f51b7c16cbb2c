//! A lab session in two browsers: the participant's, and the experimenter's, who follows it, marks
//! moments, pauses and ends a stage, and goes back to what was on the screen before.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use domain::session::event::{Author, Event};
use fantoccini::key::Key;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::audit::Audit;
use tests::browser::{Browser, Hand, PATIENCE};
use tests::export::Export;
use tests::journey;
use tests::pages::{Complete, QuestionPage, StageIntro};
use tests::server::{Server, add};
use tests::wait;

const STUDY: &str = "beside";
const CODE: &str = "P07";

/// What `redial serve` prints before the experimenter's address.
const PRINTED: &str = "lab sessions, for the experimenter alone: ";

fn prepare(studies: &Path) -> Result<()> {
    let stage = |id: &str| {
        json!({ "kind": "stage", "id": id, "task": {
            "kind": "reconstruction", "model": "circles", "questions": 4,
            "target_alignment_percent": 100 } })
    };
    let study = json!({ "format": 2, "id": STUDY, "title": "Beside you", "mode": "lab",
        "lab": { "marks": ["insight", "confusion"] },
        "parts": [
            { "kind": "consent", "file": "consent.md", "investigator": "Ada Example",
              "contact": "ada@example.org", "duration_minutes": 5 },
            stage("first"), { "kind": "difficulty" }, stage("second")]
    });
    add(studies, &study)?;
    let text = "# What you agree to\n\nYou turn dials until two pictures match.\n";
    Ok(std::fs::write(
        studies.join(STUDY).join("consent.md"),
        text,
    )?)
}

#[tokio::test]
async fn an_experimenter_follows_and_steers() -> Result<()> {
    wait::at_most(Duration::from_secs(500), session()).await
}

async fn session() -> Result<()> {
    let server = Server::start_with(prepare).await?;
    let profiles = (TempDir::new()?, TempDir::new()?);
    let participant = Browser::open(profiles.0.path()).await?;
    let experimenter = Browser::open_beside(&participant, profiles.1.path()).await?;
    let result = Lab {
        server: &server,
        participant: &participant,
        experimenter: &experimenter,
    }
    .run()
    .await;
    if result.is_err() {
        println!("the server said:\n{}", server.log());
        if let Ok(words) = experimenter.words().await {
            println!("the experimenter's page says:\n{words}");
        }
    }
    let closed = experimenter.close().await;
    participant.finish("lab", result).await?;
    closed
}

struct Lab<'a> {
    server: &'a Server,
    participant: &'a Browser,
    experimenter: &'a Browser,
}

impl Lab<'_> {
    async fn run(&self) -> Result<()> {
        let (participant, experimenter) = (self.participant, self.experimenter);
        let mut audit = Audit::default();
        self.enter().await?;
        audit.look(experimenter, "lab-sessions").await?;

        // The link for a participant; whoever starts with it is followed from then on.
        let field = format!("code-{STUDY}");
        experimenter.write(Hand::Keyboard, &field, CODE).await?;
        let link = experimenter.element("link").await?.text().await?;
        ensure!(
            link.ends_with(&format!("/study/{STUDY}?participant={CODE}")),
            "{link}"
        );
        experimenter
            .look("document.querySelector('[data-testid=\"open-here\"]').addEventListener('click', e => e.preventDefault())", vec![])
            .await?;
        experimenter.press("open-here").await?;
        participant.goto(&link).await?;
        participant.await_screen("study").await?;
        participant.press("start").await?;
        participant.await_screen("stage-intro").await?;
        experimenter.await_screen("session").await?;
        self.mirrored("the stage's introduction", "[data-screen=stage-intro]")
            .await?;
        audit.look(experimenter, "lab-intro").await?;

        StageIntro(participant).begin().await?;
        let question = QuestionPage::on_screen(participant, Hand::Keyboard, PATIENCE).await?;
        self.mirrored("the question", "[data-screen=question]")
            .await?;
        self.same_dials_after_a_turn().await?;
        audit.look(experimenter, "lab-question").await?;
        let inert = "return !!document.querySelector('.replay-frame').inert";
        ensure!(experimenter.look(inert, vec![]).await? == json!(true));
        drop(question);

        self.mark_and_note().await?;
        self.pause_across_a_reload(&mut audit).await?;
        self.end_the_stage().await?;

        // Words as the participant sees them, now and earlier.
        participant.press("time-up-go-on").await?;
        participant.await_screen("questionnaire").await?;
        self.same_words("questionnaire").await?;
        audit.look(experimenter, "lab-questionnaire").await?;
        self.consent_of_the_beginning(&mut audit).await?;

        // The rest is taken as in any study, and the experimenter sees the end of it.
        journey::finish(participant, Duration::from_secs(2), async |_, _| Ok(())).await?;
        Complete(participant).code().await?;
        self.says("status", "Ended").await?;
        audit.look(experimenter, "lab-ended").await?;
        self.log_holds_it_all()?;
        audit.verdict()
    }

    /// Opens the address that the server printed.
    async fn enter(&self) -> Result<()> {
        let log = self.server.log();
        let printed = log.lines().find_map(|line| line.split_once(PRINTED));
        let (_, address) = printed.context("the server printed no address")?;
        // Without the key there is nothing to be seen.
        let (page, key) = address.trim().split_once('#').context("no key")?;
        self.experimenter.goto(page).await?;
        self.experimenter.await_screen("key").await?;
        let words = self.experimenter.words().await?;
        ensure!(!words.contains("Beside you"), "{words}");
        self.experimenter.goto("about:blank").await?;
        self.experimenter.goto(address.trim()).await?;
        self.experimenter.await_screen("sessions").await?;
        let address = "return location.href";
        let shown = self.experimenter.look(address, vec![]).await?;
        ensure!(!shown.to_string().contains(key), "the key stays in {shown}");
        Ok(())
    }

    /// Waits until something is to be seen in the mirror.
    async fn mirrored(&self, what: &str, css: &str) -> Result<()> {
        let found = "return !!document.querySelector('.replay-frame ' + arguments[0])";
        wait::until(what, PATIENCE, async || {
            let found = self.experimenter.look(found, vec![json!(css)]).await?;
            Ok((found == json!(true)).then_some(()))
        })
        .await
    }

    /// Waits until a screen in the mirror says what it says to the participant.
    async fn same_words(&self, screen: &str) -> Result<()> {
        let words = "return document.querySelector(`${arguments[0]} [data-screen=${arguments[1]}]`)?.innerText ?? ''";
        let at = |frame: &str| vec![json!(frame), json!(screen)];
        let there = self.participant.look(words, at("body")).await?;
        ensure!(there != json!(""), "the participant sees no {screen}");
        wait::until(&format!("the words of {screen}"), PATIENCE, async || {
            let here = self.experimenter.look(words, at(".replay-frame")).await?;
            Ok((here == there).then_some(()))
        })
        .await
    }

    /// Seeks the first moment, when consent was asked for, and comes back.
    async fn consent_of_the_beginning(&self, audit: &mut Audit) -> Result<()> {
        self.experimenter.tab_to("moment").await?;
        self.experimenter.keys(&[Key::Home.into()]).await?;
        self.mirrored("the consent form", "[data-screen=study] .consent")
            .await?;
        self.says("status", "Earlier").await?;
        let words = "return document.querySelector('.replay-frame').innerText";
        let words = self.experimenter.look(words, vec![]).await?.to_string();
        for expected in ["until two pictures match", "ada@example.org"] {
            ensure!(words.contains(expected), "{expected}: {words}");
        }
        audit.look(self.experimenter, "lab-consent").await?;
        self.experimenter.press("live").await?;
        self.mirrored("the questionnaire again", "[data-screen=questionnaire]")
            .await?;
        self.says("status", "Live").await
    }

    async fn says(&self, test_id: &str, words: &str) -> Result<()> {
        wait::until(&format!("'{words}'"), PATIENCE, async || {
            let Some(element) = self.experimenter.visible(test_id).await? else {
                return Ok(None);
            };
            // It may be another one in the very moment it is asked.
            let said = element.text().await.unwrap_or_default();
            Ok(said.contains(words).then_some(()))
        })
        .await
    }

    async fn same_dials_after_a_turn(&self) -> Result<()> {
        self.participant.tab_to("dial-0").await?;
        self.participant.keys(&[Key::PageUp.into(); 2]).await?;
        let turned = Instant::now();
        let values = "return JSON.stringify([...document.querySelectorAll(arguments[0] + ' [data-testid^=dial-][type=range]')].map(dial => dial.value))";
        let there = self.participant.look(values, vec![json!("body")]).await?;
        ensure!(there != json!("[]"), "the participant has no dials");
        wait::until("the dials to stand the same", PATIENCE, async || {
            let here = self
                .experimenter
                .look(values, vec![json!(".replay-frame")])
                .await?;
            Ok((here == there).then_some(()))
        })
        .await?;
        println!("the experimenter saw the turn after {:?}", turned.elapsed());
        Ok(())
    }

    async fn mark_and_note(&self) -> Result<()> {
        self.experimenter
            .look("document.activeElement?.blur()", vec![])
            .await?;
        self.experimenter.keys(&['2']).await?;
        self.says("timeline", "confusion").await?;
        self.experimenter
            .write(Hand::Keyboard, "note", "turns it back")
            .await?;
        self.experimenter.keys(&[Key::Enter.into()]).await?;
        self.says("timeline", "turns it back").await
    }

    async fn pause_across_a_reload(&self, audit: &mut Audit) -> Result<()> {
        self.experimenter.press("pause").await?;
        self.participant.await_screen("paused").await?;
        audit.look(self.participant, "paused").await?;
        self.says("status", "Paused").await?;
        self.participant.reload().await?;
        self.participant.await_screen("paused").await?;
        // Whoever follows may load their page again, too.
        self.experimenter.reload().await?;
        self.experimenter.await_screen("sessions").await?;
        self.experimenter.press("follow").await?;
        self.says("status", "Paused").await?;
        self.says("timeline", "turns it back").await?;
        self.experimenter.press("pause").await?;
        self.participant.await_screen("question").await
    }

    async fn end_the_stage(&self) -> Result<()> {
        self.experimenter.press("end-stage").await?;
        self.experimenter.press("end-stage-yes").await?;
        self.participant.await_screen("time-up").await?;
        self.says("timeline", "Stage 1 ended").await
    }

    fn log_holds_it_all(&self) -> Result<()> {
        let export = Export::of(self.server, STUDY)?;
        let rows = export.table("events")?;
        let by = |author: Author| {
            // Stored events leave the author out where it is the participant's page.
            let name = |row: &Value| row["author"].as_str().unwrap_or("participant").to_owned();
            let rows = rows.iter().filter(move |row| name(row) == author.name());
            rows.map(|row| row["kind"].as_str().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
        };
        let asked = by(Author::Experimenter);
        let expected = [
            "note_written",
            "note_written",
            "pause_asked",
            "resume_asked",
            "stage_end_asked",
        ];
        ensure!(asked == expected, "{asked:?}");
        let done = by(Author::Participant);
        for kind in ["paused", "resumed", "stage_ended"] {
            ensure!(
                done.iter().filter(|it| *it == kind).count() == 1,
                "{kind}: {done:?}"
            );
        }
        let questions = export.table("reconstruction_questions")?;
        let cut: Vec<&Value> = questions
            .iter()
            .filter(|row| row["outcome"] == "cut")
            .collect();
        ensure!(cut.len() == 1, "{questions:?}");
        ensure!(
            cut[0]["paused_s"].as_f64().is_some_and(|s| s > 0.5),
            "{}",
            cut[0]
        );
        let log = export.only_log()?;
        ensure!(
            log.iter()
                .any(|it| it.event == Event::StageEnded { stage: 0 })
        );
        Export::verify(self.server, STUDY)
    }
}
