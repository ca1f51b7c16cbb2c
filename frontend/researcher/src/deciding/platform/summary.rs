//! The meaning of a decision for a platform, or of a payment that is noted, for the sessions that are chosen.

use api::research::{Outbox, OutboxPlatform, SessionTable};
use domain::recruitment::outbox::DeedKind;
use domain::session::Phase;
use domain::session::event::SessionId;

use crate::text::text;
use crate::words::{list, money};

/// The act that is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// A platform is told.
    Tell(DeedKind),
    /// A payment by hand is noted.
    Pay,
}

/// The columns that are asked for of sessions that are chosen.
pub const COLUMNS: &str = "session,platform,approval,pay_currency,pay_due,phase";

/// The facts about a session that is chosen, from the table of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The session.
    pub session: SessionId,
    platform: String,
    approval: Option<String>,
    currency: Option<String>,
    /// In hundredths.
    due: u64,
    /// Whether everything was answered.
    finished: bool,
}

/// The rows of a table with [`COLUMNS`].
pub fn chosen_of(table: SessionTable) -> Vec<Chosen> {
    let places: Vec<Option<usize>> = COLUMNS
        .split(',')
        .map(|column| table.shown.iter().position(|shown| shown == column))
        .collect();
    let rows = table.rows.into_iter();
    rows.filter_map(|row| {
        let cell = |place: usize| row.values.get(places.get(place).copied()??)?.clone();
        let due = cell(4).and_then(|due| due.parse::<f64>().ok());
        Some(Chosen {
            session: row.session.clone()?,
            platform: cell(1).unwrap_or_default(),
            approval: cell(2),
            currency: cell(3),
            due: due.map_or(0, |due| (due * 100.0).round() as u64),
            finished: cell(5).is_some_and(|phase| phase == Phase::Complete.name()),
        })
    })
    .collect()
}

/// The summary of what is going to happen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// The sessions with which it happens.
    pub able: Vec<SessionId>,
    /// Its meaning, a sentence or more each.
    pub lines: Vec<String>,
    /// Whether something speaks against it, which a sentence says.
    pub anyway: bool,
    /// Commands that do it where the server has no credentials.
    pub commands: Vec<String>,
}

/// A time in words: `10 minutes`.
pub fn duration(ms: u64) -> String {
    match ms / 1_000 {
        seconds if seconds.is_multiple_of(60) => text().counted.minutes(seconds / 60),
        seconds => text().counted.seconds(seconds),
    }
}

/// The meaning of a wish for the sessions that are chosen.
pub fn summary(wish: Wish, chosen: &[Chosen], outbox: &Outbox, study: &str) -> Summary {
    match wish {
        Wish::Pay => pay(chosen),
        Wish::Tell(kind) => tell(kind, chosen, outbox, study),
    }
}

fn pay(chosen: &[Chosen]) -> Summary {
    let due: Vec<&Chosen> = chosen.iter().filter(|it| it.due > 0).collect();
    let currency = due.first().and_then(|it| it.currency.clone());
    let sum = due.iter().map(|it| it.due).sum();
    let mut lines = Vec::new();
    if !due.is_empty() {
        lines.push(text().deeds.means_pay(
            text().counted.sessions(due.len()),
            money(sum, currency.as_deref().unwrap_or_default()),
        ));
    }
    lines.extend(left_out(
        chosen.len() - due.len(),
        text().deeds.nothing_due(),
    ));
    Summary {
        able: due.iter().map(|it| it.session.clone()).collect(),
        lines,
        ..Summary::default()
    }
}

/// How many of the sessions are left out of it, and why.
fn left_out(number: usize, why: &str) -> Option<String> {
    let sessions = text().counted.sessions(number);
    (number > 0).then(|| text().deeds.left_out(sessions, why))
}

/// Why a session is left out.
fn in_the_way(kind: DeedKind, it: &Chosen, outbox: &Outbox) -> Option<&'static str> {
    let words = &text().deeds;
    let known = |platform: &&OutboxPlatform| platform.name == it.platform;
    if !outbox.platforms.iter().any(|platform| known(&platform)) {
        return Some(words.no_platform());
    }
    let mut decisions = outbox.decisions.iter();
    if decisions.any(|decision| {
        decision.session == it.session
            && decision.state.is_open()
            && decision.deed.kind().excludes(kind)
    }) {
        return Some(words.decided());
    }
    if kind == DeedKind::AskReturn && it.platform != "prolific" {
        return Some(words.no_return());
    }
    match (kind, it.approval.as_deref()) {
        (DeedKind::Approve | DeedKind::AskReturn, Some("approved")) => Some(words.approved()),
        (DeedKind::Reject | DeedKind::AskReturn, Some("rejected")) => Some(words.rejected()),
        _ => None,
    }
}

fn tell(kind: DeedKind, chosen: &[Chosen], outbox: &Outbox, study: &str) -> Summary {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    let mut able: Vec<&Chosen> = Vec::new();
    for it in chosen {
        match in_the_way(kind, it, outbox) {
            None => able.push(it),
            Some(why) => match reasons.iter_mut().find(|(reason, _)| *reason == why) {
                Some((_, number)) => *number += 1,
                None => reasons.push((why, 1)),
            },
        }
    }
    let platforms: Vec<&OutboxPlatform> = outbox
        .platforms
        .iter()
        .filter(|platform| able.iter().any(|it| it.platform == platform.name))
        .collect();
    let mut found = Summary::default();
    for platform in platforms.iter().filter(|platform| !platform.reachable) {
        let of = able.iter().filter(|it| it.platform == platform.name);
        let of: Vec<&str> = of.map(|it| it.session.0.as_str()).collect();
        found.commands.extend(commands(kind, platform, study, &of));
        let words = text().deeds.no_credentials(&platform.title);
        found.lines.push(words);
    }
    able.retain(|it| {
        let mut reached = platforms.iter().filter(|platform| platform.reachable);
        reached.any(|platform| platform.name == it.platform)
    });
    if !able.is_empty() {
        let reached = platforms.iter().filter(|platform| platform.reachable);
        let titles: Vec<&str> = reached.map(|platform| platform.title.as_str()).collect();
        found
            .lines
            .extend(means(kind, able.len(), &list(&titles), outbox));
        if kind == DeedKind::Approve {
            let cautions = cautions(&able, outbox);
            found.anyway = !cautions.is_empty();
            found.lines.extend(cautions);
        }
    }
    found.able = able.iter().map(|it| it.session.clone()).collect();
    let left = reasons.iter();
    found
        .lines
        .extend(left.filter_map(|(why, number)| left_out(*number, why)));
    found
}

/// The reasons against approving these sessions.
fn cautions(able: &[&Chosen], outbox: &Outbox) -> Vec<String> {
    let paid = able.iter().filter_map(|it| {
        let mut paid = outbox.paid_by_hand.iter();
        let paid = paid.find(|paid| paid.session == it.session)?;
        Some((u64::from(paid.amount.hundredths()), it.currency.clone()))
    });
    let paid: Vec<(u64, Option<String>)> = paid.collect();
    let currency = paid.first().and_then(|(_, currency)| currency.as_deref());
    let words = &text().deeds;
    let by_hand = (!paid.is_empty()).then(|| {
        let sum = paid.iter().map(|(amount, _)| amount).sum();
        let sessions = text().counted.sessions(paid.len());
        words.paid_by_hand(sessions, money(sum, currency.unwrap_or_default()))
    });
    let open = able.iter().filter(|it| !it.finished).count();
    let open = (open > 0).then(|| words.not_finished(text().counted.sessions(open)));
    by_hand.into_iter().chain(open).collect()
}

/// The meaning of a deed for so many sessions.
fn means(kind: DeedKind, number: usize, platforms: &str, outbox: &Outbox) -> Vec<String> {
    let words = &text().deeds;
    let sessions = text().counted.sessions(number);
    let what = match kind {
        DeedKind::Approve => {
            let each = outbox
                .amount
                .map_or(0, |amount| u64::from(amount.hundredths()));
            let currency = outbox.currency.as_deref().unwrap_or_default();
            let all = money(each * number as u64, currency);
            words.means_approve(sessions, platforms, money(each, currency), all)
        }
        DeedKind::Reject => words.means_reject(sessions, platforms),
        DeedKind::AskReturn => words.means_return(sessions, platforms),
        DeedKind::Bonus => words.means_bonus(sessions, platforms),
    };
    vec![what, words.sent_in(duration(outbox.wait_ms))]
}

/// The commands that do the same.
fn commands(
    kind: DeedKind,
    platform: &OutboxPlatform,
    study: &str,
    sessions: &[&str],
) -> Vec<String> {
    let verb = kind.name().replace('_', "-");
    let command = format!("redial platform {} {verb} {study}", platform.name);
    let each = |rest: &str| {
        let sessions = sessions.iter();
        sessions
            .map(|session| format!("{command} {session}{rest}"))
            .collect()
    };
    match kind {
        DeedKind::Approve => vec![format!("{command} {}", sessions.join(" "))],
        DeedKind::Reject if platform.name == "prolific" => {
            each(" --because \"…\" --category OTHER")
        }
        DeedKind::Reject | DeedKind::AskReturn => each(" --because \"…\""),
        DeedKind::Bonus => each(" 0.50 --because \"…\""),
    }
}

#[cfg(test)]
mod tests;
