//! What must not be stored is refused, by its own error, on every way in; the
//! session is unharmed and completes afterwards.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use api::{
    Batch, Beacon, ClientMessage, CompletionCode, ErrorCode, MAX_BATCH_EVENTS, MAX_BODY_BYTES,
    routes,
};
use domain::session::event::{Envelope, Event, QuestionRef};
use domain::task::reconstruction;
use hyper::Method;
use serde_json::json;
use tests::client::Client;
use tests::server::Server;
use tests::simulated::SimulatedClient;
use tests::simulated::stream::Stream;
use tests::wait;

mod door;

use door::{AppendReply, RequestClient, TRANSPORTS, Transport};

const STUDY: &str = "quickstart";

#[tokio::test]
async fn each_bad_batch_has_its_own_error_and_leaves_no_trace() -> Result<()> {
    wait::at_most(Duration::from_secs(300), refusals()).await
}

async fn refusals() -> Result<()> {
    let server = Server::start().await?;
    let client = Client::new(server.address());
    let started = client.start(STUDY, "refusals-attempt-1").await?;
    let other = client.start(STUDY, "refusals-attempt-2").await?;
    ensure!(started.token != other.token, "two sessions share a secret");
    let door = RequestClient {
        client,
        address: server.address().to_owned(),
        started,
        other,
    };

    let mut participant = SimulatedClient::new(door.started.plan.clone(), 10);
    let mut now_ms = 0;
    for _ in 0..12 {
        now_ms += 100;
        participant.step(now_ms)?;
    }
    let good = participant.log().to_vec();
    let AppendReply::Acked(acked_len) = door.send(Transport::Post, &good).await? else {
        bail!("a good batch was refused");
    };
    ensure!(
        acked_len as usize == good.len(),
        "{acked_len} of {} events are acknowledged",
        good.len()
    );

    for way in TRANSPORTS {
        door.check_batches(way, &good).await?;
        door.check_shapes(way, &good).await?;
        door.check_tokens(way, &good).await?;
    }
    door.check_only_here(&good).await?;

    // Unharmed: the rest of the session comes in, a third of it on each way.
    while !participant.is_complete() {
        now_ms += 100;
        participant.step(now_ms)?;
    }
    let log = participant.log();
    let rest: Vec<&[Envelope]> = log[good.len()..].chunks(log.len() / 3).collect();
    for (batch, way) in rest.iter().zip(TRANSPORTS.iter().cycle()) {
        ensure!(
            matches!(door.send(*way, batch).await?, AppendReply::Acked(_)),
            "{way:?}"
        );
    }
    let (session, token) = (&door.started.plan.session, &door.started.token);
    let answer = door
        .client
        .completion(session, token)
        .await?
        .success("completion")?;
    ensure!(
        !answer.json::<CompletionCode>()?.code.is_empty(),
        "the code is empty"
    );
    let state = door.client.state(session, token).await?;
    assert_eq!(state.events, log);
    Ok(())
}
impl RequestClient {
    async fn check_batches(&self, way: Transport, good: &[Envelope]) -> Result<()> {
        let last = good.last().context("events")?;
        let next = |event: Event| Envelope {
            seq: last.seq + 1,
            event,
            ..last.clone()
        };
        let acked_len = good.len() as u64;

        let again = self.send(way, good).await?;
        ensure!(
            again == AppendReply::Acked(acked_len),
            "replayed, {way:?}: {again:?}"
        );
        let state = self
            .client
            .state(self.session(), &self.started.token)
            .await?;
        ensure!(state.events == good, "replayed, {way:?}: something changed");

        let gap = Envelope {
            seq: last.seq + 2,
            ..next(Event::PageShown)
        };
        let found = self.send(way, &[gap]).await?;
        ensure!(
            found == AppendReply::Refused(ErrorCode::Gap, Some(acked_len)),
            "a gap, {way:?}: {found:?}"
        );
        let mut holed = good.to_vec();
        holed.remove(3);
        let found = self.send(way, &holed).await;
        let codes = [ErrorCode::Gap, ErrorCode::Malformed, ErrorCode::Refused];
        self.check("a gap inside", way, found, &codes, good).await?;

        let other = Envelope {
            at_ms: last.at_ms + 1,
            ..last.clone()
        };
        let found = self.send(way, &[other]).await;
        self.check("a conflict", way, found, &[ErrorCode::Conflict], good)
            .await?;

        let at = QuestionRef::new(2, 1);
        for (what, event) in [
            ("another question", Event::QuestionStarted { at }),
            (
                "solved though it is not",
                reconstruction::Event::Solved.into(),
            ),
            ("practice skipped", reconstruction::Event::Skipped.into()),
        ] {
            // A good event before the bad one is not stored either.
            let bad = Envelope {
                seq: last.seq + 2,
                ..next(event)
            };
            let found = self.send(way, &[next(Event::PageShown), bad]).await;
            self.check(what, way, found, &[ErrorCode::Refused], good)
                .await?;
        }
        let early = Envelope {
            at_ms: last.at_ms - 1,
            ..next(Event::PageShown)
        };
        let found = self.send(way, &[early]).await;
        self.check("time going back", way, found, &[ErrorCode::Refused], good)
            .await?;
        let format = Envelope {
            format: 999,
            ..next(Event::PageShown)
        };
        let found = self.send(way, &[format]).await;
        let codes = [ErrorCode::Refused, ErrorCode::Malformed];
        self.check("a format to come", way, found, &codes, good)
            .await?;
        let session = self.other.plan.session.clone();
        let foreign = Envelope {
            session,
            ..next(Event::PageShown)
        };
        let found = self.send(way, &[foreign]).await;
        self.check(
            "another session's event",
            way,
            found,
            &[ErrorCode::Refused],
            good,
        )
        .await
    }

    async fn check_shapes(&self, way: Transport, good: &[Envelope]) -> Result<()> {
        let token = &self.started.token;
        let malformed = [ErrorCode::Malformed];
        for text in [
            "",
            "{\"events\": [",
            "null",
            "[1, 2]",
            "\u{0}\u{1}",
            "{\"type\": \"batch\"}",
        ] {
            let found = self.send_text(way, token, text.to_owned()).await;
            self.check(&format!("{text:?}"), way, found, &malformed, good)
                .await?;
        }
        for batch in [
            json!({}),
            json!({ "events": [] }),
            json!({ "events": "all of them" }),
            json!({ "events": [{ "kind": "snapshot" }] }),
            json!({ "events": [{ "format": 1, "session": self.session(), "seq": good.len(),
                                 "at_ms": 9_999_999, "kind": "no_such_kind" }] }),
            json!({ "events": [{ "format": 1, "session": self.session(), "seq": -1,
                                 "at_ms": 9_999_999, "kind": "page_shown" }] }),
        ] {
            let what = batch.to_string();
            let found = self.send_json(way, token, batch).await;
            self.check(&what, way, found, &malformed, good).await?;
        }
        let last = good.last().context("events")?;
        let many: Vec<Envelope> = (0..=MAX_BATCH_EVENTS as u64)
            .map(|k| Envelope {
                seq: last.seq + 1 + k,
                event: Event::PageShown,
                ..last.clone()
            })
            .collect();
        let found = self.send(way, &many).await;
        self.check("too many events", way, found, &[ErrorCode::TooLarge], good)
            .await?;
        let padding = " ".repeat(MAX_BODY_BYTES + 1);
        let found = self.send_text(way, token, padding).await;
        self.check("too many bytes", way, found, &[ErrorCode::TooLarge], good)
            .await
    }

    async fn check_tokens(&self, way: Transport, good: &[Envelope]) -> Result<()> {
        let last = good.last().context("events")?;
        let event = Envelope {
            seq: last.seq + 1,
            event: Event::PageShown,
            ..last.clone()
        };
        let batch = serde_json::to_value(Batch {
            events: vec![event],
        })?;
        for token in [self.other.token.as_str(), "", "x", "ä", &"0".repeat(5_000)] {
            if way == Transport::Post && !token.is_ascii() {
                continue; // no header can carry it
            }
            let found = self.send_json(way, token, batch.clone()).await;
            let what = format!("the token {token:.20}");
            self.check(&what, way, found, &[ErrorCode::Unauthorised], good)
                .await?;
        }
        Ok(())
    }

    /// What only one of the ways has.
    async fn check_only_here(&self, good: &[Envelope]) -> Result<()> {
        let (session, token) = (self.session(), &self.started.token);
        let batch = serde_json::to_vec(&Batch {
            events: good.to_vec(),
        })?;
        let path = routes::events(session);
        let answer = self
            .client
            .send(Method::POST, &path, None, Some(batch))
            .await?;
        ensure!(
            answer.error()?.code == ErrorCode::Unauthorised,
            "no token: {answer:?}"
        );
        let answer = self.client.completion(session, token).await?;
        ensure!(
            answer.error()?.code == ErrorCode::NotComplete,
            "no code yet: {answer:?}"
        );
        let answer = self.client.completion(session, &self.other.token).await?;
        ensure!(
            answer.error()?.code == ErrorCode::Unauthorised,
            "foreign code: {answer:?}"
        );
        let path = routes::session(session);
        let answer = self
            .client
            .send(Method::GET, &path, Some(&self.other.token), None)
            .await?;
        ensure!(
            answer.error()?.code == ErrorCode::Unauthorised,
            "foreign state: {answer:?}"
        );

        let mut stream = Stream::connect(&self.address).await?;
        let first = ClientMessage::Batch(Batch {
            events: good.to_vec(),
        });
        stream.text(serde_json::to_string(&first)?).await?;
        let found = stream.reply().await.map(AppendReply::from);
        let codes = [ErrorCode::Unauthorised, ErrorCode::Malformed];
        self.check(
            "a batch without a greeting",
            Transport::Stream,
            found,
            &codes,
            good,
        )
        .await?;
        // A beacon is read without headers; its token is in its body.
        let beacon = Beacon {
            token: token.clone(),
            batch: Batch {
                events: good.to_vec(),
            },
        };
        let answer = self
            .client
            .post(&routes::beacon(session), None, &beacon)
            .await?;
        ensure!(
            AppendReply::of(&answer)? == AppendReply::Acked(good.len() as u64),
            "{answer:?}"
        );
        Ok(())
    }
}
