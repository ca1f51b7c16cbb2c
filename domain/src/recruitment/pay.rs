//! Payment of participants: what a study promises, the ledger of what was decided and paid, and
//! what follows from both.
//!
//! The sum that a session is owed is never stored. It is a fold over how the session went (its log) and the
//! entries of its ledger: [`account`].

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::session::ended::Ended;

mod ledger;

pub use ledger::{Entry, EntryConflict, EntryKind, MAX_TEXT};

/// An amount of money in hundredths of a currency's unit. In files it is a text such as `"3.75"`, so
/// that nothing is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Amount(u32);

/// How an amount is written: at most six digits, and two after a point, or none.
#[cfg(feature = "check")]
pub(crate) const AMOUNT: &str = "^[0-9]{1,6}([.][0-9]{2})?$";
/// The form of a currency: its code by ISO 4217.
#[cfg(feature = "check")]
pub(crate) const CURRENCY: &str = "^[A-Z]{3}$";

/// A text that is no amount.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no amount; write it like 3.75 or 12, at most 999999.99")]
pub struct NoAmount(String);

impl Pay {
    /// The amounts that some get in place of the usual one: the field, the amount, and who gets it.
    #[cfg(feature = "check")]
    pub(crate) fn tiers(&self) -> Vec<(&'static str, Amount, &'static str)> {
        let part = |amount: Amount| (!amount.is_zero()).then_some(amount);
        let all = [
            (
                "attention_checks_failed",
                self.attention_checks_failed,
                "people with two wrong attention checks or more",
            ),
            (
                "excluded",
                self.excluded,
                "people whose session does not count",
            ),
            (
                "over_quota",
                self.over_quota,
                "people who end late, when their cell is full",
            ),
            (
                "screened_out",
                part(self.screened_out),
                "people whom practice screens out",
            ),
            (
                "withdrawn",
                part(self.withdrawn),
                "people who stop before the end",
            ),
        ];
        let given = all.into_iter();
        given
            .filter_map(|(field, amount, who)| Some((field, amount?, who)))
            .collect()
    }
}

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// From hundredths of the unit.
    #[must_use]
    pub fn of_hundredths(hundredths: u32) -> Self {
        Self(hundredths)
    }

    /// In hundredths of the unit.
    #[must_use]
    pub fn hundredths(self) -> u32 {
        self.0
    }

    /// Whether it is nothing.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0 == 0
    }

    /// The amount for an hour, in units of the currency, if it is paid for so many minutes; none where these are none.
    #[must_use]
    pub fn an_hour(self, minutes: f64) -> Option<f64> {
        let hourly = f64::from(self.0) / 100.0 * 60.0 / minutes;
        (minutes > 0.0 && hourly.is_finite()).then_some(hourly)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

impl std::str::FromStr for Amount {
    type Err = NoAmount;

    fn from_str(text: &str) -> Result<Self, NoAmount> {
        let digits = |text: &str, longest: usize| {
            let fits = (1..=longest).contains(&text.len());
            let number = text.bytes().all(|c| c.is_ascii_digit()) && fits;
            number.then(|| text.parse::<u32>().ok()).flatten()
        };
        let (units, hundredths) = match text.split_once('.') {
            Some((units, part)) if part.len() == 2 => (digits(units, 6), digits(part, 2)),
            Some(_) => (None, None),
            None => (digits(text, 6), Some(0)),
        };
        match (units, hundredths) {
            (Some(units), Some(hundredths)) => Ok(Self(units * 100 + hundredths)),
            _ => Err(NoAmount(text.to_owned())),
        }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "check")]
impl schemars::JsonSchema for Amount {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": AMOUNT,
            "description": "An amount of money, such as \"3.75\".",
        })
    }
}

/// What a study pays. What a participant reads about it stands in the consent form (`pay` there).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Pay {
    /// The currency by its three letters: `GBP`, `USD`.
    #[cfg_attr(feature = "check", schemars(regex(pattern = CURRENCY)))]
    pub currency: String,
    /// For a session that was answered to its end: `"3.75"`.
    pub amount: Amount,
    /// The same, where two or more attention checks were wrong. Absent: as for everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention_checks_failed: Option<Amount>,
    /// The same, where the session does not count in the study's data. Absent: as for everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded: Option<Amount>,
    /// The same, where it was completed late and its cell was full. Absent: as for everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_quota: Option<Amount>,
    /// Part of the pay for somebody whom practice screens out. Absent: nothing.
    #[serde(default, skip_serializing_if = "Amount::is_zero")]
    pub screened_out: Amount,
    /// Part of the pay for somebody who stops before the end. Absent: nothing.
    #[serde(default, skip_serializing_if = "Amount::is_zero")]
    pub withdrawn: Amount,
}

impl Pay {
    /// The amount that the study promises for a session that went this way, and why, in words.
    #[must_use]
    pub fn promised(&self, course: PayableSession) -> (Amount, &'static str) {
        let otherwise = |amount: Option<Amount>| amount.unwrap_or(self.amount);
        match course.ended {
            None => (Amount::ZERO, "unfinished"),
            Some(Ended::NoConsent) => (Amount::ZERO, "no consent"),
            Some(Ended::IncompatibleDevice) => (Amount::ZERO, "device does not fit"),
            Some(Ended::ScreenedOut) => (self.screened_out, "screened out"),
            Some(Ended::Withdrawn) => (self.withdrawn, "withdrawn"),
            Some(Ended::AttentionChecksFailed) => (
                otherwise(self.attention_checks_failed),
                "attention checks failed",
            ),
            Some(Ended::Completed) if course.over_quota => {
                (otherwise(self.over_quota), "over quota")
            }
            Some(Ended::Completed) if course.excluded => (otherwise(self.excluded), "excluded"),
            Some(Ended::Completed) => (self.amount, "completed"),
        }
    }
}

/// How a session went, as far as pay goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PayableSession {
    /// How it ended; `None` while it has not.
    pub ended: Option<Ended>,
    /// Whether it was completed late, when its cell was full.
    pub over_quota: bool,
    /// Whether it does not count in the study's data.
    pub excluded: bool,
}

/// The account of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The currency; none where nothing was promised or decided.
    pub currency: Option<String>,
    /// The amount owed without bonuses.
    pub owed: Amount,
    /// Why that much: how the session went, or the reason of a decision.
    pub because: String,
    /// Bonuses.
    pub bonus: Amount,
    /// The amount paid.
    pub paid: Amount,
    /// Whether pay was refused.
    pub refused: bool,
}

impl Account {
    /// The amount still to be paid.
    #[must_use]
    pub fn due(&self) -> Amount {
        self.owed.plus(self.bonus).minus(self.paid)
    }

    /// The amount paid beyond what was owed.
    #[must_use]
    pub fn overpaid(&self) -> Amount {
        self.paid.minus(self.owed.plus(self.bonus))
    }
}

/// The amounts that a session is owed and was paid: by the last decision in its ledger, or else by what
/// the study promises; bonuses and payments add up. `entries` are those of the session, oldest first.
#[must_use]
pub fn account(pay: Option<&Pay>, course: PayableSession, entries: &[Entry]) -> Account {
    let (owed, because) = pay.map_or((Amount::ZERO, ""), |pay| pay.promised(course));
    let mut account = Account {
        currency: pay
            .map(|pay| pay.currency.clone())
            .or_else(|| entries.first().map(|entry| entry.currency.clone())),
        owed,
        because: because.to_owned(),
        bonus: Amount::ZERO,
        paid: Amount::ZERO,
        refused: false,
    };
    for entry in entries {
        match entry.kind {
            EntryKind::Owed | EntryKind::Part | EntryKind::Refused => {
                account.refused = entry.kind == EntryKind::Refused;
                account.owed = if account.refused {
                    Amount::ZERO
                } else {
                    entry.amount
                };
                account.because = entry.reason.clone().unwrap_or_default();
            }
            EntryKind::Bonus => account.bonus = account.bonus.plus(entry.amount),
            EntryKind::Paid => account.paid = account.paid.plus(entry.amount),
        }
    }
    account
}

#[cfg(test)]
mod tests;
