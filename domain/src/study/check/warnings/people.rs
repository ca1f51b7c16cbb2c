//! The people who come, into which cell and for what: recruitment, consent, pay and time.

use std::collections::BTreeMap;

use super::super::{CheckContext, suggest};
use super::{Placed, Warnings, placed};
use crate::common::settings::Mode;
use crate::design::{DEFAULT_LEASE_MINUTES, Varies};
use crate::recruitment::pay::Amount;
use crate::recruitment::platform::Recruitment;
use crate::study::{Consent, Part, Study};

pub(super) fn look(study: &Study, context: &dyn CheckContext, out: &mut Warnings) {
    match study.consent() {
        Some(consent) => agreed(study, consent, out),
        // In a lab it is signed on paper as often as not.
        None if study.mode == Mode::Lab => {}
        None => out.add(
            "parts",
            "nobody agrees to anything: the study has no consent form. Put a part { \"kind\": \"consent\", … } first",
        ),
    }
    platforms(study, out);
    others(study, context, out);
    unused_factors(study, out);
    balanced_orders(study, out);
}

/// Time and pay as the consent form promises them.
fn agreed(study: &Study, consent: &Consent, out: &mut Warnings) {
    let minutes = consent.duration_minutes;
    if let Some(limit) = study.time_limit.filter(|limit| limit.minutes < minutes) {
        out.add(
            "time_limit.minutes",
            format!(
                "people have {} minutes, and the consent form says that it takes {minutes}",
                limit.minutes
            ),
        );
    }
    let rules = &study.design.assignment;
    let capped = rules.cap.is_some() || !rules.caps.is_empty();
    let lease = rules
        .lease_minutes
        .or(capped.then_some(DEFAULT_LEASE_MINUTES));
    if let Some(lease) = lease.filter(|lease| *lease < minutes) {
        out.add(
            "design.assignment.lease_minutes",
            format!(
                "a slot is given to somebody else after {lease} minutes, and the consent form says that the study takes {minutes}: cells would be filled twice. Make it longer, say {}",
                minutes.saturating_mul(2)
            ),
        );
    }
    let Some(pay) = &study.pay else { return };
    let owed = format!("{} {}", pay.amount, pay.currency);
    let Some(words) = &consent.pay else {
        let said = format!("{owed} are paid, and the consent form says nothing of pay");
        out.add("pay", said);
        return;
    };
    for language in &study.languages {
        let words = words.spoken(study.spoken(language));
        let amounts = amounts_in(&words);
        if !amounts.is_empty() && !amounts.contains(&pay.amount) {
            out.add(
                "pay.amount",
                format!("{owed} are paid, and the consent form says '{words}'"),
            );
            continue;
        }
        let tiers = pay.tiers();
        let unsaid = tiers
            .iter()
            .filter(|(_, amount, _)| *amount != pay.amount && !amounts.contains(amount));
        for (field, amount, who) in unsaid {
            let place = format!("pay.{field}");
            if out.0.iter().all(|other| other.path != place) {
                out.add(
                    place,
                    format!(
                        "{amount} {} are paid to {who}, and 'pay' of the consent form does not say so ('{words}'): people agree to what they read",
                        pay.currency
                    ),
                );
            }
        }
    }
}

/// The numbers in words, as amounts of money.
fn amounts_in(words: &str) -> Vec<Amount> {
    let numbers = words.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    let numbers = numbers.map(|number| number.trim_matches(['.', ',']).replace(',', "."));
    numbers.filter_map(|number| number.parse().ok()).collect()
}

fn platforms(study: &Study, out: &mut Warnings) {
    for (index, from) in study.recruitment.iter().enumerate() {
        let place = format!("recruitment[{index}]");
        let online = matches!(
            from,
            Recruitment::Prolific(_) | Recruitment::Mturk(_) | Recruitment::Connect(_)
        );
        if online && study.mode == Mode::Lab {
            out.add(
                &place,
                format!(
                    "people of {} are at home, and the study is one for a lab: questions can be skipped at once, and nobody sits beside them. Leave out \"mode\": \"lab\"",
                    from.facts().title
                ),
            );
        }
        let Recruitment::Prolific(prolific) = from else {
            continue;
        };
        let mut by_code: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (kind, code) in &prolific.codes {
            let name = serde_json::to_value(kind).unwrap_or_default();
            let name = name.as_str().unwrap_or_default().to_owned();
            by_code.entry(code).or_default().push(name);
        }
        for (code, kinds) in by_code.iter().filter(|(_, kinds)| kinds.len() > 1) {
            out.add(
                format!("{place}.codes"),
                format!(
                    "{} have the same code '{code}', so that Prolific cannot tell them apart. Give each its own",
                    kinds.join(" and ")
                ),
            );
        }
    }
}

/// Other studies that are named here, where it is known which there are.
fn others(study: &Study, context: &dyn CheckContext, out: &mut Warnings) {
    let Some(known) = context.studies() else {
        return;
    };
    for (field, names) in [
        ("not_after", &study.not_after),
        ("may_follow", &study.may_follow),
    ] {
        for (index, name) in names.iter().enumerate() {
            if !known.contains(name) {
                out.add(
                    format!("{field}[{index}]"),
                    format!(
                        "no study named '{name}' lies beside this one; {}",
                        suggest(name, &known)
                    ),
                );
            }
        }
    }
}

/// A factor that makes no difference doubles the cells, and with them the people that are needed.
fn unused_factors(study: &Study, out: &mut Warnings) {
    let parts = placed(study);
    let is_used = |name: &str| {
        parts.iter().any(|it| {
            matches!(it.part, Part::Group(group)
                if group.only_if.contains_key(name) || group.levels.contains_key(name))
        })
    };
    for (index, factor) in study.design.factors.iter().enumerate() {
        // A link may only say where people come from; answers are asked for the sake of even cells.
        if matches!(factor.varies, Varies::Link | Varies::Answer) || is_used(&factor.name) {
            continue;
        }
        let cost = match factor.varies {
            Varies::Between if factor.levels.len() > 1 => format!(
                ", and there are {} times as many cells for it",
                factor.levels.len()
            ),
            _ => String::new(),
        };
        out.add(
            format!("design.factors[{index}]"),
            format!(
                "nothing depends on '{0}'{cost}: no part has {{{0}}} in its texts, and no group names it. Use it, or leave it out",
                factor.name
            ),
        );
    }
}

/// Orders that are balanced over a number of people, which a cell's cap cuts short.
fn balanced_orders(study: &Study, out: &mut Warnings) {
    let rules = &study.design.assignment;
    let cells = study.design.cells();
    for Placed { place, part, .. } in placed(study) {
        let Part::Group(group) = part else { continue };
        let rows = group.rows();
        let caps = cells.iter().filter_map(|cell| rules.cap_of(&cell.name));
        let odd = caps.into_iter().find(|cap| rows > 1 && cap % rows != 0);
        if let Some(cap) = odd {
            out.add(
                format!("{place}.order"),
                format!(
                    "its orders are even over {rows} people of a cell, and a cell takes {cap}: some orders come more often than others. Take {} people",
                    cap.next_multiple_of(rows)
                ),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_found_in_words() {
        let of = |words: &str| {
            let found = amounts_in(words);
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(of("You get £3.75."), ["3.75"]);
        assert_eq!(of("3,75 € für 20 Minuten"), ["3.75", "20.00"]);
        assert_eq!(of("course credit"), [""; 0]);
        assert_eq!(of("£1.234"), [""; 0]);
    }
}
