//! O leads to where a dial had passed the target's value.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::session::event::{Event, SessionId};
use fantoccini::key::Key;
use tests::area;
use tests::export::Export;
use tests::wait;

use super::{Page, z};

/// The target's value by stage, question and dimension.
type Targets = BTreeMap<(usize, usize, usize), f64>;

impl Page<'_> {
    /// The first that is found is one by the export's targets.
    pub(super) async fn it_leads_to_overshoots(
        &self,
        export: &Export,
        session: &SessionId,
    ) -> Result<()> {
        let mut targets = Targets::new();
        let mut counted = 0;
        for row in export.table("reconstruction_dimensions")? {
            if row["session"] == session.0.as_str() {
                let number = |name: &str| row[name].as_u64().context("no number");
                let place = [number("stage")?, number("question")?, number("dimension")?];
                let [stage, question, dimension] = place.map(|it| it as usize);
                let target = row["target"].as_f64().context("no target")?;
                targets.insert((stage, question, dimension), target);
                counted += number("overshoots")?;
            }
        }
        ensure!(counted > 0, "nobody overshoots in this session");
        let home = char::from(Key::Home);
        self.browser.keys(&[home]).await?;
        self.moment_of_the_address(|ms| ms == 0).await?;
        self.says("overshoot", "Overshoot").await?;
        self.browser.keys(&['o']).await?;
        let at_ms = self.moment_of_the_address(|ms| ms > 0).await?;
        ensure!(
            self.passes(at_ms, &targets),
            "no dial passed its target at {at_ms} ms"
        );
        Ok(())
    }

    /// The moment that the address leads to, once it is one that is waited for.
    async fn moment_of_the_address(&self, is_it: fn(u64) -> bool) -> Result<u64> {
        wait::until("the address", Duration::from_secs(10), async || {
            let (address, _) = self.browser.address().await?;
            let (_, t) = address.split_once("?t=").unwrap_or_default();
            Ok(area::moment_ms(t).filter(|ms| is_it(*ms)))
        })
        .await
    }

    /// Whether a movement at that time led a dial from one side of its target to the other.
    fn passes(&self, at_ms: u64, targets: &Targets) -> bool {
        let mut here = None;
        let mut before: Option<&[f64]> = None;
        for logged in &self.log {
            if let Event::QuestionStarted { at } = &logged.event {
                (here, before) = (Some(*at), None);
            }
            let (Some(at), Some(now)) = (here, z(logged)) else {
                continue;
            };
            let sides = before.into_iter().flat_map(|before| before.iter().zip(now));
            let passed = sides.enumerate().any(|(dimension, (from, to))| {
                let target = targets.get(&(at.stage, at.question, dimension));
                target.is_some_and(|target| (from - target) * (to - target) < 0.0)
            });
            if passed && logged.at_ms == at_ms {
                return true;
            }
            before = Some(now);
        }
        false
    }
}
