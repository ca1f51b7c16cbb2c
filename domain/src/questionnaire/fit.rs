//! Whether an answer fits its item.

use super::answer::{Answer, DELETED, NoAnswer, WITHHELD};
use super::item::{
    ChoiceOption, Describe, GRADATIONS_MAX, Item, ItemKind, MAX_DESCRIPTION, MatrixRow,
};
use crate::common::language::Words;

/// More letters than any film shows.
const MAX_LETTERS: usize = 12;

/// A fault in an answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AnswerFault {
    /// There is none, and one is needed.
    #[error("an answer is needed")]
    Missing,
    /// It is of another kind than the item asks for.
    #[error("{0} was expected")]
    Kind(&'static str),
    /// A number below the smallest or above the largest.
    #[error("{found} is not between {min} and {max}")]
    Range {
        /// The number.
        found: f64,
        /// Smallest; minus infinity where there is none.
        min: f64,
        /// Largest; infinity where there is none.
        max: f64,
    },
    /// Between two values of a slider.
    #[error("{found} is not on a step")]
    Step {
        /// The number.
        found: f64,
    },
    /// A number with a decimal part.
    #[error("a whole number was expected")]
    NotWhole,
    /// A day that is in no calendar.
    #[error("a day such as 2026-11-22 was expected")]
    NoDate,
    /// A day before the first or after the last.
    #[error("the day is not between {} and {}", min.as_deref().unwrap_or("any"), max.as_deref().unwrap_or("any"))]
    DateRange {
        /// First day, if there is one.
        min: Option<String>,
        /// Last day, if there is one.
        max: Option<String>,
    },
    /// Too little text.
    #[error("{found} characters, at least {min} are needed")]
    TooShort {
        /// Characters found.
        found: usize,
        /// Fewest.
        min: usize,
    },
    /// Too much text.
    #[error("{found} characters, at most {max} are kept")]
    TooLong {
        /// Characters found.
        found: usize,
        /// Most.
        max: usize,
    },
    /// Something that is not among the options, or twice the same.
    #[error("'{0}' is not one of the options, or is there twice")]
    NoOption(String),
    /// Too few options, or too few ranked.
    #[error("at least {0} are needed")]
    TooFew(usize),
    /// Too many options.
    #[error("at most {0} are allowed")]
    TooMany(usize),
    /// An option that stands alone, with others beside it.
    #[error("'{0}' stands alone, nothing else can be chosen beside it")]
    NotAlone(String),
    /// An option whose text field is empty.
    #[error("'{0}' needs words of its own")]
    NotDescribed(String),
    /// A matrix with rows that are not answered: their names.
    #[error("rows without an answer: {}", .0.join(", "))]
    Rows(Vec<String>),
    /// "I don't know" or "prefer not to answer" where that is not offered.
    #[error("'{}' is not offered here", .0.name())]
    NotOffered(NoAnswer),
}

impl<T: Words> Item<T> {
    /// Whether an answer fits.
    ///
    /// # Errors
    /// The first [`AnswerFault`] found.
    pub fn fits(&self, answer: &Answer) -> Result<(), AnswerFault> {
        if let Answer::NoAnswer { no_answer } = answer {
            let offered = match no_answer {
                NoAnswer::DontKnow => self.dont_know,
                NoAnswer::PreferNot => self.prefer_not,
                NoAnswer::CannotSee => matches!(self.answer, ItemKind::MotionLetters { .. }),
            };
            return if offered {
                Ok(())
            } else {
                Err(AnswerFault::NotOffered(*no_answer))
            };
        }
        self.answer.fits(answer)
    }
}

impl<T: Words> ItemKind<T> {
    fn fits(&self, answer: &Answer) -> Result<(), AnswerFault> {
        match self {
            Self::Scale { min, max, .. } => point(answer, *min, *max),
            Self::Gradations { .. } => point(answer, 0, GRADATIONS_MAX),
            Self::Slider { min, max, step, .. } => {
                let found = answer.number().ok_or(AnswerFault::Kind("a number"))?;
                within(found, *min, *max)?;
                let steps = (found - min) / step;
                if (steps - steps.round()).abs() > 1e-6 {
                    return Err(AnswerFault::Step { found });
                }
                Ok(())
            }
            Self::Number {
                min, max, decimals, ..
            } => {
                let found = answer.number().ok_or(AnswerFault::Kind("a number"))?;
                if !decimals && found.fract() != 0.0 {
                    return Err(AnswerFault::NotWhole);
                }
                let min = min.unwrap_or(f64::NEG_INFINITY);
                within(found, min, max.unwrap_or(f64::INFINITY))
            }
            Self::Text {
                min_length,
                max_length,
                ..
            } => match answer {
                // A text that was deleted or is withheld was checked when it was written.
                Answer::Text(text) if text == DELETED || text == WITHHELD => Ok(()),
                Answer::Text(text) => length(text, *min_length, *max_length),
                _ => Err(AnswerFault::Kind("text")),
            },
            Self::MotionLetters { .. } => match answer {
                Answer::Text(text) => length(text, 1, MAX_LETTERS),
                _ => Err(AnswerFault::Kind("letters")),
            },
            Self::Date { min, max } => match answer {
                Answer::Text(text) => date(text, min.as_ref(), max.as_ref()),
                _ => Err(AnswerFault::Kind("a day")),
            },
            Self::Dropdown { options } => match answer {
                Answer::Text(_) | Answer::Described { .. } => {
                    choice(answer, options, false, None, None)
                }
                _ => Err(AnswerFault::Kind("an option")),
            },
            Self::Choice {
                options,
                several,
                at_least,
                at_most,
                ..
            } => match (answer, several) {
                (Answer::Text(_), false)
                | (Answer::Several(_), true)
                | (Answer::Described { .. }, _) => {
                    choice(answer, options, *several, *at_least, *at_most)
                }
                (_, false) => Err(AnswerFault::Kind("an option")),
                (_, true) => Err(AnswerFault::Kind("a list of options")),
            },
            Self::Ranking { options, top, .. } => match answer {
                Answer::Several(ranked) => {
                    among(options, ranked)?;
                    let wanted = top.unwrap_or(options.len()).min(options.len());
                    if ranked.len() < wanted {
                        return Err(AnswerFault::TooFew(wanted));
                    }
                    if ranked.len() > wanted {
                        return Err(AnswerFault::TooMany(wanted));
                    }
                    Ok(())
                }
                _ => Err(AnswerFault::Kind("a list of options")),
            },
            Self::Matrix { points, rows, .. } => match answer {
                Answer::Rows { rows: chosen } => matrix(points, rows, chosen),
                _ => Err(AnswerFault::Kind("a point for each row")),
            },
        }
    }
}

fn point(answer: &Answer, min: i64, max: i64) -> Result<(), AnswerFault> {
    match answer {
        Answer::Number(found) => within(*found as f64, min as f64, max as f64),
        _ => Err(AnswerFault::Kind("a whole number")),
    }
}

fn within(found: f64, min: f64, max: f64) -> Result<(), AnswerFault> {
    // Written so that NaN is out of range.
    if found >= min && found <= max {
        Ok(())
    } else {
        Err(AnswerFault::Range { found, min, max })
    }
}

fn length(text: &str, min: usize, max: usize) -> Result<(), AnswerFault> {
    let found = text.chars().count();
    if text.trim().is_empty() {
        Err(AnswerFault::Missing)
    } else if found < min {
        Err(AnswerFault::TooShort { found, min })
    } else if found > max {
        Err(AnswerFault::TooLong { found, max })
    } else {
        Ok(())
    }
}

fn matrix<T: Words>(
    points: &[T],
    rows: &[MatrixRow<T>],
    chosen: &std::collections::BTreeMap<String, i64>,
) -> Result<(), AnswerFault> {
    for (row, found) in chosen {
        if !rows.iter().any(|known| known.id == *row) {
            return Err(AnswerFault::NoOption(row.clone()));
        }
        let max = i64::try_from(points.len()).unwrap_or(i64::MAX);
        point(&Answer::Number(*found), 1, max)?;
    }
    let empty = rows.iter().filter(|row| !chosen.contains_key(&row.id));
    let empty: Vec<String> = empty.map(|row| row.id.clone()).collect();
    if empty.is_empty() {
        Ok(())
    } else {
        Err(AnswerFault::Rows(empty))
    }
}

fn among<T: Words>(options: &[ChoiceOption<T>], chosen: &[String]) -> Result<(), AnswerFault> {
    for (index, id) in chosen.iter().enumerate() {
        let known = options.iter().any(|option| option.id == *id);
        if !known || chosen[..index].contains(id) {
            return Err(AnswerFault::NoOption(id.clone()));
        }
    }
    Ok(())
}

fn choice<T: Words>(
    answer: &Answer,
    options: &[ChoiceOption<T>],
    several: bool,
    at_least: Option<usize>,
    at_most: Option<usize>,
) -> Result<(), AnswerFault> {
    let chosen = answer.chosen();
    among(options, chosen)?;
    if chosen.is_empty() {
        return Err(AnswerFault::Missing);
    }
    let selected = options.iter().filter(|option| chosen.contains(&option.id));
    if let Some(alone) = selected.clone().find(|option| option.exclusive) {
        if chosen.len() > 1 {
            return Err(AnswerFault::NotAlone(alone.id.clone()));
        }
    } else if let Some(least) = at_least.filter(|least| chosen.len() < *least) {
        return Err(AnswerFault::TooFew(least));
    }
    let most = if several { at_most } else { Some(1) };
    if let Some(most) = most.filter(|most| chosen.len() > *most) {
        return Err(AnswerFault::TooMany(most));
    }
    let empty = std::collections::BTreeMap::new();
    let words = match answer {
        Answer::Described { described, .. } => described,
        _ => &empty,
    };
    for (id, text) in words {
        let has_field = |option: &&ChoiceOption<T>| option.id == *id && option.describe.is_some();
        if !selected.clone().any(|option| has_field(&option)) {
            return Err(AnswerFault::NoOption(id.clone()));
        }
        let found = text.chars().count();
        if found > MAX_DESCRIPTION {
            let max = MAX_DESCRIPTION;
            return Err(AnswerFault::TooLong { found, max });
        }
    }
    let lacks = |option: &&ChoiceOption<T>| {
        option.describe == Some(Describe::Required)
            && words
                .get(&option.id)
                .is_none_or(|text| text.trim().is_empty())
    };
    match selected.clone().find(lacks) {
        Some(option) => Err(AnswerFault::NotDescribed(option.id.clone())),
        None => Ok(()),
    }
}

fn date(text: &str, min: Option<&String>, max: Option<&String>) -> Result<(), AnswerFault> {
    if !is_date(text) {
        return Err(AnswerFault::NoDate);
    }
    // Days written like this sort as they follow each other.
    if min.is_some_and(|min| text < min.as_str()) || max.is_some_and(|max| text > max.as_str()) {
        return Err(AnswerFault::DateRange {
            min: min.cloned(),
            max: max.cloned(),
        });
    }
    Ok(())
}

/// Whether a text is a day of the Gregorian calendar, as ISO 8601 writes it: `2026-11-22`.
#[must_use]
pub fn is_date(text: &str) -> bool {
    let digits = |range: std::ops::Range<usize>| -> Option<u32> {
        let part = text.get(range)?;
        let plain = part.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| part.parse().ok()).flatten()
    };
    let dashes = text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    let (Some(year), Some(month), Some(day)) = (digits(0..4), digits(5..7), digits(8..10)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    };
    dashes && text.len() == 10 && (1..=last).contains(&day)
}
