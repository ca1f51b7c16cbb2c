//! Approving, rejecting and bonuses. A server that has the database and the platform's credentials is handed the decision
//! ([`super::by_server`]). Otherwise this command asks the platform: first it does it, then the ledger says so.

use anyhow::{Context as _, bail, ensure};
use api::research::WantedDeed;
use domain::recruitment::outbox::{Caution, Deed, bonus_reference, cautions, rejection_fault};
use domain::recruitment::platform::Ended;
use server::people::Person;
use server::platforms::BonusWish;
use server::storage::StoredDecision;

use super::args::{ApproveArgs, AskReturnArgs, BonusArgs, RejectArgs, WhenArgs};
use super::by_server::waits_in_words;
use super::outbox::of_study;
use super::{PlatformStudy, Sender, confirmed, has};
use crate::commands::pay::{everybody, record};
use crate::output::print;

impl PlatformStudy<'_> {
    pub(super) async fn approve(&self, args: &ApproveArgs) -> anyhow::Result<()> {
        let participants = everybody(self.config, &self.study.id).await?;
        let pay = self.study.pay.as_ref();
        let amount = pay
            .context("the study declares no pay ('pay' in study.json)")?
            .amount;
        let named: Vec<&Person> = if args.completed {
            let from_here = |person: &&Person| {
                let arrival = person.arrival.as_ref();
                arrival.is_some_and(|arrival| arrival.platform == self.platform)
                    && person.course.ended == Some(Ended::Completed)
                    && !person.account.refused
            };
            participants.list.iter().filter(from_here).collect()
        } else {
            let named = args.who.iter().map(|name| participants.named(name));
            named.collect::<anyhow::Result<_>>()?
        };
        let decisions = self.decisions().await?;
        let mut open = Vec::new();
        for person in named {
            self.names_of(person)?;
            let deed = Deed::Approve {
                amount,
                currency: self.currency_of(person)?,
            };
            let entries = self.entries(person, &deed);
            if !entries.iter().all(|entry| has(person, entry)) {
                self.not_among(&decisions, person, &deed)?;
                open.push((person, entries));
            }
        }
        if open.is_empty() {
            return Ok(print(
                "Nothing to do: by the ledger all of them are approved.\n",
            )?);
        }
        let named = open.iter().map(|(person, _)| *person);
        let cautions = self.cautions(named);
        if args.when.yes && !cautions.is_empty() {
            // Where nobody is asked, it is said all the same.
            print(&format!("{cautions}\n"))?;
        }
        let text = format!(
            "{} submissions are approved, {amount} each. {cautions}",
            open.len()
        );
        self.confirmed(text.trim_end().to_owned(), args.when)?;
        match self.sender {
            Sender::Server { .. } => {
                let people: Vec<&Person> = open.iter().map(|(person, _)| *person).collect();
                // It was said who is not finished, and who was paid by hand.
                let wanted = WantedDeed::Approve { anyway: true };
                self.enter(&people, &wanted, args.when).await
            }
            Sender::Here(speaker) => {
                for (person, entries) in open {
                    speaker.approve(&self.names_of(person)?)?;
                    // One by one: what the platform has done is noted before the next is asked for.
                    record(self.config, &self.study.id, entries).await?;
                }
                Ok(())
            }
        }
    }

    pub(super) async fn reject(&self, args: &RejectArgs) -> anyhow::Result<()> {
        let because = args.because.trim();
        ensure!(
            !because.is_empty(),
            "--because is empty; the participant reads it"
        );
        if let Some(fault) = rejection_fault(self.platform, because) {
            bail!("--because: {fault}");
        }
        let participants = everybody(self.config, &self.study.id).await?;
        let person = participants.named(&args.who)?;
        let names = self.names_of(person)?;
        let deed = Deed::Reject {
            category: None,
            message: because.to_owned(),
            currency: self.currency_of(person)?,
        };
        let entries = self.entries(person, &deed);
        if entries.iter().all(|entry| has(person, entry)) {
            return Ok(print("Nothing to do: by the ledger it is rejected.\n")?);
        }
        self.not_among(&self.decisions().await?, person, &deed)?;
        let text = format!("Submission {} is rejected: {because}", names.submission);
        self.confirmed(text, args.when)?;
        match self.sender {
            Sender::Server { .. } => {
                let wanted = WantedDeed::Reject {
                    // Mechanical Turk has none.
                    category: (self.platform == "prolific").then_some(args.category),
                    message: because.to_owned(),
                };
                self.enter(&[person], &wanted, args.when).await
            }
            Sender::Here(speaker) => {
                speaker.reject(&names, args.category.code(), because)?;
                record(self.config, &self.study.id, entries).await
            }
        }
    }

    pub(super) async fn ask_return(&self, args: &AskReturnArgs) -> anyhow::Result<()> {
        let deed = Deed::AskReturn {
            reason: args.because.trim().to_owned(),
        };
        if let Some(fault) = deed.fault(self.platform) {
            bail!("{fault}");
        }
        let participants = everybody(self.config, &self.study.id).await?;
        let person = participants.named(&args.who)?;
        let names = self.names_of(person)?;
        self.not_among(&self.decisions().await?, person, &deed)?;
        let Deed::AskReturn { reason } = deed else {
            bail!("nothing is asked");
        };
        let text = format!(
            "The participant is asked to return submission {}: {reason}",
            names.submission
        );
        self.confirmed(text, args.when)?;
        match self.sender {
            Sender::Server { .. } => {
                let wanted = WantedDeed::AskReturn { reason };
                self.enter(&[person], &wanted, args.when).await
            }
            Sender::Here(speaker) => Ok(speaker.ask_return(&names, &reason)?),
        }
    }

    pub(super) async fn bonus(&self, args: &BonusArgs) -> anyhow::Result<()> {
        let because = args.because.trim();
        ensure!(
            !because.is_empty(),
            "--because is empty; say why, in a few words"
        );
        let participants = everybody(self.config, &self.study.id).await?;
        let person = participants.named(&args.who)?;
        let names = self.names_of(person)?;
        let deed = Deed::Bonus {
            amount: args.amount,
            currency: self.currency_of(person)?,
            reason: because.to_owned(),
            reference: args.reference.clone(),
        };
        // First that it is given, then that it was paid.
        let mut begun = self.entries(person, &deed);
        let paid = begun.split_off(1);
        if paid.iter().all(|entry| has(person, entry)) {
            return Ok(print("Nothing to do: by the ledger this bonus is paid.\n")?);
        }
        self.not_among(&self.decisions().await?, person, &deed)?;
        let text = format!(
            "A bonus of {} for submission {}.",
            args.amount, names.submission
        );
        let speaker = match self.sender {
            Sender::Here(speaker) => speaker,
            Sender::Server { .. } => {
                self.confirmed(text, args.when)?;
                let wanted = WantedDeed::Bonus {
                    amount: args.amount,
                    reason: because.to_owned(),
                    reference: args.reference.clone(),
                };
                return self.enter(&[person], &wanted, args.when).await;
            }
        };
        let reference = bonus_reference(self.platform, &args.reference);
        ensure!(
            !begun.iter().any(|entry| has(person, entry)) || args.again,
            "a bonus with this reference was begun before, and nobody noted that it was paid. Look on \
             the platform. If it was paid, say so: redial pay paid {} {} --amount {} --reference \
             '{reference}'. If not, repeat this with --again",
            self.study.id,
            person.session,
            args.amount
        );
        self.confirmed(text, args.when)?;
        // First, so that a bonus that may have been paid is never paid again unseen.
        record(self.config, &self.study.id, begun).await?;
        let bonus = BonusWish {
            amount: args.amount,
            because,
            reference: &reference,
        };
        let set_up = speaker.begin_bonus(&names, bonus)?;
        speaker.pay_bonus(&names, bonus, set_up.as_deref())?;
        record(self.config, &self.study.id, paid).await
    }

    /// Cautions against approving the work of these people, in sentences.
    fn cautions<'p>(&self, people: impl Iterator<Item = &'p Person>) -> String {
        let sentences = people.filter_map(|person| {
            let found = cautions(self.platform, &person.entries, person.course.ended);
            let found: Vec<String> = found.iter().map(Caution::to_string).collect();
            let session = &person.session;
            (!found.is_empty()).then(|| format!("Session {session} is {}.", found.join(" and ")))
        });
        sentences.collect::<Vec<_>>().join(" ")
    }

    /// Asks before something that cannot be taken back, or only for some time.
    fn confirmed(&self, what: String, when: WhenArgs) -> anyhow::Result<()> {
        let what = match self.sender {
            Sender::Server { waits_ms } if !when.now => {
                format!("{what} {}", waits_in_words(waits_ms))
            }
            _ => what,
        };
        confirmed(&what, when.yes)
    }

    /// The decisions in the outbox of the server.
    async fn decisions(&self) -> anyhow::Result<Vec<StoredDecision>> {
        of_study(self.config, &self.study.id).await
    }

    /// Whether the outbox of the server leaves room for this.
    ///
    /// # Errors
    /// When a decision is there that is not over.
    fn not_among(
        &self,
        decisions: &[StoredDecision],
        person: &Person,
        deed: &Deed,
    ) -> anyhow::Result<()> {
        let in_the_way = decisions.iter().find(|it| {
            it.session == person.session
                && it.course.state.is_open()
                && it.deed.kind().excludes(deed.kind())
        });
        match in_the_way {
            None => Ok(()),
            Some(it) => bail!(
                "{}; see redial platform outbox {}",
                it.in_words(),
                self.study.id
            ),
        }
    }
}
