//! Every text of a page, visited in one place: to put it into a language, and to see whether it
//! is in all.

use super::Questionnaire;
use super::item::{ChoiceOption, Item, ItemKind, MatrixRow};
use crate::common::language::{LocalText, Spoken, Words};

/// Makes one text from another; it is told where on the page the text stands: `items[0].text`.
type Make<'a, T, U> = &'a mut dyn FnMut(&str, &T) -> U;

impl Questionnaire<LocalText> {
    /// The page in a language.
    #[must_use]
    pub fn spoken(&self, spoken: Spoken<'_>) -> Questionnaire {
        self.with_texts(&mut |_, text| text.spoken(spoken))
    }
}

impl<T: Words> Questionnaire<T> {
    /// The page with other texts; everything else stays as it is.
    pub fn with_texts<U: Words>(&self, make: Make<'_, T, U>) -> Questionnaire<U> {
        let items = self.items.iter().enumerate();
        Questionnaire {
            id: self.id.clone(),
            block: self.block,
            title: make("title", &self.title),
            intro: self.intro.as_ref().map(|intro| make("intro", intro)),
            items: items
                .map(|(index, item)| with_texts(item, &format!("items[{index}]"), make))
                .collect(),
            random_order: self.random_order,
            attempts: self.attempts,
            wrong_answer: self.wrong_answer,
            back: self.back,
            time_limit: self.time_limit,
            scores: self.scores.clone(),
        }
    }
}

fn with_texts<T: Words, U: Words>(item: &Item<T>, at: &str, make: Make<'_, T, U>) -> Item<U> {
    let hint = item.hint.as_ref();
    Item {
        id: item.id.clone(),
        text: make(&format!("{at}.text"), &item.text),
        hint: hint.map(|hint| make(&format!("{at}.hint"), hint)),
        answer: kind_with_texts(&item.answer, &format!("{at}.answer"), make),
        optional: item.optional,
        dont_know: item.dont_know,
        prefer_not: item.prefer_not,
        show_if: item.show_if.clone(),
        right: item.right.clone(),
    }
}

fn kind_with_texts<T: Words, U: Words>(
    kind: &ItemKind<T>,
    at: &str,
    make: Make<'_, T, U>,
) -> ItemKind<U> {
    let mut text = |field: &str, text: &T| make(&format!("{at}.{field}"), text);
    match kind {
        ItemKind::Scale {
            min,
            max,
            min_label,
            max_label,
        } => ItemKind::Scale {
            min: *min,
            max: *max,
            min_label: text("min_label", min_label),
            max_label: text("max_label", max_label),
        },
        ItemKind::Matrix {
            points,
            rows,
            random_order,
        } => {
            let points = points.iter().enumerate();
            let points = points.map(|(index, point)| text(&format!("points[{index}]"), point));
            let points = points.collect();
            let rows = rows.iter().enumerate().map(|(index, row)| MatrixRow {
                id: row.id.clone(),
                text: text(&format!("rows[{index}].text"), &row.text),
                for_each_stage: row.for_each_stage,
            });
            ItemKind::Matrix {
                points,
                rows: rows.collect(),
                random_order: *random_order,
            }
        }
        ItemKind::Slider {
            min,
            max,
            step,
            min_label,
            max_label,
            show_value,
        } => ItemKind::Slider {
            min: *min,
            max: *max,
            step: *step,
            min_label: text("min_label", min_label),
            max_label: text("max_label", max_label),
            show_value: *show_value,
        },
        ItemKind::Gradations {
            min_label,
            max_label,
        } => ItemKind::Gradations {
            min_label: text("min_label", min_label),
            max_label: text("max_label", max_label),
        },
        ItemKind::Text {
            min_length,
            max_length,
            one_line,
        } => ItemKind::Text {
            min_length: *min_length,
            max_length: *max_length,
            one_line: *one_line,
        },
        ItemKind::Choice {
            options,
            several,
            at_least,
            at_most,
            random_order,
        } => ItemKind::Choice {
            options: options_with_texts(options, &mut text),
            several: *several,
            at_least: *at_least,
            at_most: *at_most,
            random_order: *random_order,
        },
        ItemKind::Dropdown { options } => ItemKind::Dropdown {
            options: options_with_texts(options, &mut text),
        },
        ItemKind::Ranking {
            options,
            top,
            random_order,
        } => ItemKind::Ranking {
            options: options_with_texts(options, &mut text),
            top: *top,
            random_order: *random_order,
        },
        ItemKind::Number {
            min,
            max,
            decimals,
            unit,
        } => ItemKind::Number {
            min: *min,
            max: *max,
            decimals: *decimals,
            unit: unit.as_ref().map(|unit| text("unit", unit)),
        },
        ItemKind::Date { min, max } => ItemKind::Date {
            min: min.clone(),
            max: max.clone(),
        },
        ItemKind::MotionLetters { film } => ItemKind::MotionLetters { film: film.clone() },
    }
}

fn options_with_texts<T: Words, U: Words>(
    options: &[ChoiceOption<T>],
    make: Make<'_, T, U>,
) -> Vec<ChoiceOption<U>> {
    let options = options.iter().enumerate();
    options
        .map(|(index, option)| ChoiceOption {
            id: option.id.clone(),
            text: make(&format!("options[{index}].text"), &option.text),
            describe: option.describe,
            exclusive: option.exclusive,
        })
        .collect()
}
