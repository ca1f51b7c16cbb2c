//! Scores that a questionnaire declares itself: means and sums of answers on scales.

use serde::{Deserialize, Serialize};

use super::item::{GRADATIONS_MAX, Item, ItemKind, MatrixRow};
use super::{Answer, Answers, Questionnaire};
use crate::common::language::Words;

/// A number that is made of several answers of one page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OwnScore {
    /// Name in the data, one for the whole study: lower-case letters, digits, `_`, 24 characters at most.
    pub name: String,
    /// Items that are answered on a scale: scales, sliders, lines with gradations, matrices with all their statements;
    /// and single statements, as `matrix.statement`.
    pub items: Vec<String>,
    /// Those of them in which a high answer speaks for a low score: lowest + highest point − answer counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reversed: Vec<String>,
    /// What is made of the answers.
    #[serde(default, skip_serializing_if = "is_mean")]
    pub of: ScoreOf,
}

/// What a score makes of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ScoreOf {
    /// Their mean.
    #[default]
    Mean,
    /// Their sum.
    Sum,
}

fn is_mean(of: &ScoreOf) -> bool {
    *of == ScoreOf::Mean
}

/// A scale that a page has: of an item, or of a statement in a matrix.
#[derive(Debug, Clone, Copy)]
pub struct PageScale<'a, T: Words = String> {
    /// The item.
    pub item: &'a Item<T>,
    /// The statement, in a matrix.
    pub row: Option<&'a MatrixRow<T>>,
    /// Lowest and highest point.
    pub ends: [f64; 2],
}

impl<T: Words> PageScale<'_, T> {
    /// Name in the data: the item's; of a statement, `matrix.statement`.
    #[must_use]
    pub fn name(&self) -> String {
        match self.row {
            Some(row) => format!("{}.{}", self.item.id, row.id),
            None => self.item.id.clone(),
        }
    }

    /// The text that participants read.
    #[must_use]
    pub fn text(&self) -> &T {
        self.row.map_or(&self.item.text, |row| &row.text)
    }

    /// The point that was chosen; `None` without an answer.
    #[must_use]
    pub fn answered(&self, answers: &Answers) -> Option<f64> {
        match (self.row, answers.get(&self.item.id)?) {
            (Some(row), Answer::Rows { rows }) => Some(*rows.get(&row.id)? as f64),
            (None, answer) => answer.number(),
            _ => None,
        }
    }

    fn is(&self, name: &str) -> bool {
        self.item.id == name || self.row.is_some() && self.name() == name
    }
}

impl<T: Words> Item<T> {
    /// The scales that it has; none where it is answered otherwise.
    #[must_use]
    pub fn scales(&self) -> Vec<PageScale<'_, T>> {
        let scale = |row, ends| PageScale {
            item: self,
            row,
            ends,
        };
        match &self.answer {
            ItemKind::Scale { min, max, .. } => vec![scale(None, [*min as f64, *max as f64])],
            ItemKind::Slider { min, max, .. } => vec![scale(None, [*min, *max])],
            ItemKind::Gradations { .. } => vec![scale(None, [0.0, GRADATIONS_MAX as f64])],
            ItemKind::Matrix { points, rows, .. } => {
                let ends = [1.0, points.len() as f64];
                rows.iter().map(|row| scale(Some(row), ends)).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl OwnScore {
    /// Most characters of a name.
    pub const LONGEST: usize = 24;

    /// Whether a score can have this name.
    #[must_use]
    pub fn is_name(name: &str) -> bool {
        let fits = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
        (1..=Self::LONGEST).contains(&name.len()) && name.bytes().all(fits)
    }

    /// Its scales on a page, each with whether it is reversed.
    #[must_use]
    pub fn scales<'a, T: Words>(
        &self,
        page: &'a Questionnaire<T>,
    ) -> Vec<(PageScale<'a, T>, bool)> {
        let all = page.items.iter().flat_map(Item::scales);
        let mine = all.filter(|scale| self.items.iter().any(|name| scale.is(name)));
        mine.map(|scale| {
            let is_reversed = self.reversed.iter().any(|name| scale.is(name));
            (scale, is_reversed)
        })
        .collect()
    }

    /// Its value on a page; `None` when an answer is missing, or no item has a scale.
    #[must_use]
    pub fn value<T: Words>(&self, page: &Questionnaire<T>, answers: &Answers) -> Option<f64> {
        let scales = self.scales(page);
        let count = scales.len() as f64;
        let points = scales.into_iter().map(|(scale, is_reversed)| {
            let [low, high] = scale.ends;
            let point = scale.answered(answers)?;
            Some(if is_reversed {
                low + high - point
            } else {
                point
            })
        });
        let sum: f64 = points.sum::<Option<f64>>()?;
        match self.of {
            _ if count == 0.0 => None,
            ScoreOf::Mean => Some(sum / count),
            ScoreOf::Sum => Some(sum),
        }
    }
}
