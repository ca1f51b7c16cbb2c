//! Approving, rejecting and bonuses: first the platform does it, then the ledger says so.

use anyhow::{Context as _, bail, ensure};
use domain::recruitment::pay::{Amount, Entry, EntryKind};
use domain::recruitment::platform::Ended;

use super::args::{ApproveArgs, BonusArgs, RejectArgs};
use super::{PlatformStudy, confirmed};
use crate::commands::pay::{everybody, record};
use crate::commands::people::Person;
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
                arrival.is_some_and(|arrival| arrival.platform == self.speaker.name())
                    && person.course.ended == Some(Ended::Completed)
                    && !person.account.refused
            };
            participants.list.iter().filter(from_here).collect()
        } else {
            let named = args.who.iter().map(|name| participants.named(name));
            named.collect::<anyhow::Result<_>>()?
        };
        let mut open = Vec::new();
        for person in named {
            self.names_of(person)?;
            // Not the platform's name for the work: it would outlive `participants --forget`.
            let reference = self.speaker.name();
            let entry = self.entry(person, EntryKind::Paid, amount, reference)?;
            let is_this = |it: &Entry| it.kind == EntryKind::Paid && it.reference == reference;
            if !person.entries.iter().any(is_this) {
                open.push((person, entry));
            }
        }
        if open.is_empty() {
            return Ok(print(
                "Nothing to do: by the ledger all of them are approved.\n",
            )?);
        }
        let text = format!("{} submissions are approved, {amount} each.", open.len());
        confirmed(&text, args.yes)?;
        for (person, entry) in open {
            self.speaker.approve(&self.names_of(person)?)?;
            // One by one: what the platform has done is noted before the next is asked for.
            record(self.config, &self.study.id, vec![entry]).await?;
        }
        Ok(())
    }

    pub(super) async fn reject(&self, args: &RejectArgs) -> anyhow::Result<()> {
        let because = args.because.trim();
        ensure!(
            !because.is_empty(),
            "--because is empty; the participant reads it"
        );
        if let Some(fault) = self.speaker.rejection_fault(because) {
            bail!("{fault}");
        }
        let participants = everybody(self.config, &self.study.id).await?;
        let person = participants.named(&args.who)?;
        let names = self.names_of(person)?;
        let reference = self.speaker.name();
        let is_this = |it: &Entry| it.kind == EntryKind::Refused && it.reference == reference;
        if person.entries.iter().any(is_this) {
            return Ok(print("Nothing to do: by the ledger it is rejected.\n")?);
        }
        confirmed(
            &format!("Submission {} is rejected: {because}", names.submission),
            args.yes,
        )?;
        self.speaker.reject(&names, because)?;
        let entry = Entry {
            reason: Some(
                because
                    .chars()
                    .take(domain::recruitment::pay::MAX_TEXT)
                    .collect(),
            ),
            ..self.entry(person, EntryKind::Refused, Amount::ZERO, reference)?
        };
        record(self.config, &self.study.id, vec![entry]).await
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
        let name = self.speaker.name();
        let reference = format!("{name} bonus {}", args.reference);
        let there = |kind: EntryKind| {
            let mut entries = person.entries.iter();
            entries.find(|it| it.kind == kind && it.reference == reference)
        };
        if there(EntryKind::Paid).is_some() {
            return Ok(print("Nothing to do: by the ledger this bonus is paid.\n")?);
        }
        ensure!(
            there(EntryKind::Bonus).is_none() || args.again,
            "a bonus with this reference was begun before, and nobody noted that it was paid. Look on \
             the platform. If it was paid, say so: redial pay paid {} {} --amount {} --reference \
             '{reference}'. If not, repeat this with --again",
            self.study.id,
            person.session,
            args.amount
        );
        let text = format!(
            "A bonus of {} for submission {}.",
            args.amount, names.submission
        );
        confirmed(&text, args.yes)?;
        let begun = Entry {
            reason: Some(because.to_owned()),
            ..self.entry(person, EntryKind::Bonus, args.amount, &reference)?
        };
        // First, so that a bonus that may have been paid is never paid again unseen.
        record(self.config, &self.study.id, vec![begun]).await?;
        self.speaker
            .bonus(&names, args.amount, because, &reference)?;
        let paid = self.entry(person, EntryKind::Paid, args.amount, &reference)?;
        record(self.config, &self.study.id, vec![paid]).await
    }
}
