//! Decisions that the server sends: it has the database, and credentials of the platform. They enter its outbox by the same
//! request as those of the researcher's area.

use std::time::{Duration, Instant};

use anyhow::bail;
use api::research::WantedDeed;
use domain::recruitment::outbox::DecisionState;
use server::control::{Delivery, Outcome, Request, send};
use server::people::Person;
use server::storage::StoredDecision;

use super::args::WhenArgs;
use super::outbox::{of_study, table_of};
use super::{PlatformStudy, Sender};
use crate::commands::change::there_is_a_database;
use crate::config::Config;
use crate::output::print;

/// How long it is waited for what becomes of decisions that are sent at once.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is looked.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// How long decisions for a platform wait in the outbox of the server, in milliseconds; nothing where no server has the
/// database, or it cannot reach the platform.
///
/// # Errors
/// When there is no database, or the server gives no answer.
pub(super) async fn waits_ms(config: &Config, platform: &str) -> anyhow::Result<Option<u64>> {
    there_is_a_database(config)?;
    let request = Request::AskWait {
        platform: platform.to_owned(),
    };
    Ok(match send(&config.database, &request).await? {
        Delivery::CarriedOut(outcome) => outcome.waits_ms,
        // The lock is given back at once.
        Delivery::NoServer(_) => None,
    })
}

/// When it is sent, in a sentence.
pub(super) fn waits_in_words(waits_ms: u64) -> String {
    let seconds = waits_ms.div_ceil(1_000);
    let time = match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    };
    format!("The server sends it in {time}; until then it can be taken back.")
}

impl PlatformStudy<'_> {
    /// Puts a decision about each of these people into the outbox of the server. With `--now` it is waited for what
    /// becomes of them.
    pub(super) async fn enter(
        &self,
        people: &[&Person],
        wanted: &WantedDeed,
        when: WhenArgs,
    ) -> anyhow::Result<()> {
        let mut numbers = Vec::new();
        let mut refused = None;
        for person in people {
            match self.hand_in(person, wanted, when.now).await {
                Ok(outcome) => numbers.extend(outcome.decision),
                Err(error) => {
                    refused = Some(error);
                    break;
                }
            }
        }
        // Decisions that were entered before one was refused stay there.
        if !numbers.is_empty() {
            let listed: Vec<String> = numbers.iter().map(u64::to_string).collect();
            let mut text = format!("In the outbox of the server as {}.\n", listed.join(", "));
            if let (false, Sender::Server { waits_ms }) = (when.now, self.sender) {
                text += &format!(
                    "{} To take one back: redial platform outbox {} --take-back NUMBER\n",
                    waits_in_words(waits_ms),
                    self.study.id
                );
            }
            print(&text)?;
        }
        if when.now && !numbers.is_empty() {
            self.wait_for(&numbers).await?;
        }
        refused.map_or(Ok(()), Err)
    }

    async fn hand_in(
        &self,
        person: &Person,
        wanted: &WantedDeed,
        at_once: bool,
    ) -> anyhow::Result<Outcome> {
        let request = Request::Decide {
            study: self.study.id.clone(),
            session: person.session.clone(),
            wanted: wanted.clone(),
            at_once,
        };
        match send(&self.config.database, &request).await? {
            Delivery::CarriedOut(outcome) => Ok(outcome),
            Delivery::NoServer(_) => {
                bail!("the server that had the database has ended; say it again once it runs")
            }
        }
    }

    /// Waits until the server has sent decisions, and says what became of them.
    async fn wait_for(&self, numbers: &[u64]) -> anyhow::Result<()> {
        let until = Instant::now() + PATIENCE;
        let is_under_way = |it: &StoredDecision| {
            matches!(
                it.course.state,
                DecisionState::Waiting | DecisionState::Sending
            )
        };
        let found = loop {
            let mut found = of_study(self.config, &self.study.id).await?;
            found.retain(|it| numbers.contains(&it.number));
            if !found.iter().any(is_under_way) || Instant::now() >= until {
                break found;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        };
        print(&table_of(&found))?;
        let sent = |it: &&StoredDecision| it.course.state == DecisionState::Sent;
        let done = found.iter().filter(sent).count();
        if done < numbers.len() {
            bail!(
                "{done} of {} decisions are sent; redial platform outbox {} says how the others go on",
                numbers.len(),
                self.study.id
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_is_told_in_minutes_and_seconds() {
        let told = |ms| {
            let words = waits_in_words(ms);
            let (_, rest) = words.split_once("in ").unwrap();
            rest.split_once(';').unwrap().0.to_owned()
        };
        assert_eq!(told(600_000), "10 min");
        assert_eq!(told(20_000), "20 s");
        assert_eq!(told(90_500), "1 min 31 s");
    }
}
