//! Messages about an answer that does not fit.

use domain::questionnaire::{Fault, Item, ItemKind};

use crate::text::text;
use crate::ui::form::answers::Problem;

/// The words for a problem.
pub(super) fn message(item: &Item, problem: &Problem) -> String {
    let words = &text().questionnaire;
    match problem {
        Problem::NoNumber => words.missing_number().to_owned(),
        Problem::NotRight => words.not_right().to_owned(),
        Problem::Fault(fault) => fault_words(item, fault),
    }
}

fn fault_words(item: &Item, fault: &Fault) -> String {
    let words = &text().questionnaire;
    let name = |id: &String| {
        let options = item.answer.options().iter();
        let option = options.clone().find(|option| option.id == *id);
        option.map_or_else(|| id.clone(), |option| option.text.clone())
    };
    match fault {
        Fault::Missing => missing(&item.answer).to_owned(),
        Fault::Rows(_) => words.missing_rows().to_owned(),
        Fault::Range { min, max, .. } => match (min.is_finite(), max.is_finite()) {
            (true, true) => words.number_between(text().number(min), text().number(max)),
            (true, false) => words.number_from(text().number(min)),
            (false, _) => words.number_to(text().number(max)),
        },
        Fault::NotWhole => words.number_whole().to_owned(),
        Fault::NoDate => words.date_bad().to_owned(),
        Fault::DateRange { min, max } => match (min, max) {
            (Some(min), Some(max)) => words.date_between(min, max),
            (Some(min), None) => words.date_from(min),
            (None, Some(max)) => words.date_to(max),
            (None, None) => words.date_bad().to_owned(),
        },
        Fault::TooShort { min, .. } => words.too_short(*min),
        Fault::TooLong { max, .. } => words.too_long(*max),
        Fault::TooFew(count) if matches!(item.answer, ItemKind::Ranking { .. }) => {
            words.too_few_ranked(count)
        }
        Fault::TooFew(count) => words.too_few(count),
        Fault::TooMany(count) => words.too_many(count),
        Fault::NotAlone(option) => words.not_alone(name(option)),
        Fault::NotDescribed(option) => words.not_described(name(option)),
        Fault::Kind(_) | Fault::Step { .. } | Fault::NoOption(_) | Fault::NotOffered(_) => {
            words.unfit().to_owned()
        }
    }
}

fn missing(kind: &ItemKind) -> &'static str {
    let words = &text().questionnaire;
    match kind {
        ItemKind::Scale { .. } => words.missing_scale(),
        ItemKind::Matrix { .. } => words.missing_rows(),
        ItemKind::Slider { .. } | ItemKind::Gradations { .. } => words.missing_mark(),
        ItemKind::Text { .. } => words.missing_text(),
        ItemKind::Choice { .. } | ItemKind::Dropdown { .. } => words.missing_choice(),
        ItemKind::Ranking { .. } => words.missing_rank(),
        ItemKind::Number { .. } => words.missing_number(),
        ItemKind::Date { .. } => words.missing_date(),
        ItemKind::MotionLetters { .. } => words.missing_letters(),
    }
}
