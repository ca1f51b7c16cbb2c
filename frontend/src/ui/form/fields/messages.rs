//! Messages about an answer that does not fit.

use domain::questionnaire::{AnswerFault, Item, ItemKind};

use crate::text::text;
use crate::ui::form::answers::AnswerProblem;

/// The words for a problem.
pub(super) fn message(item: &Item, problem: &AnswerProblem) -> String {
    let words = &text().questionnaire;
    match problem {
        AnswerProblem::NoNumber => words.missing_number().to_owned(),
        AnswerProblem::NotRight => words.not_right().to_owned(),
        AnswerProblem::Fault(fault) => fault_words(item, fault),
    }
}

fn fault_words(item: &Item, fault: &AnswerFault) -> String {
    let words = &text().questionnaire;
    let name = |id: &String| {
        let options = item.answer.options().iter();
        let option = options.clone().find(|option| option.id == *id);
        option.map_or_else(|| id.clone(), |option| option.text.clone())
    };
    match fault {
        AnswerFault::Missing => missing(&item.answer).to_owned(),
        AnswerFault::Rows(_) => words.missing_rows().to_owned(),
        AnswerFault::Range { min, max, .. } => match (min.is_finite(), max.is_finite()) {
            (true, true) => words.number_between(text().number(min), text().number(max)),
            (true, false) => words.number_from(text().number(min)),
            (false, _) => words.number_to(text().number(max)),
        },
        AnswerFault::NotWhole => words.number_whole().to_owned(),
        AnswerFault::NoDate => words.date_bad().to_owned(),
        AnswerFault::DateRange { min, max } => match (min, max) {
            (Some(min), Some(max)) => words.date_between(min, max),
            (Some(min), None) => words.date_from(min),
            (None, Some(max)) => words.date_to(max),
            (None, None) => words.date_bad().to_owned(),
        },
        AnswerFault::TooShort { min, .. } => words.too_short(*min),
        AnswerFault::TooLong { max, .. } => words.too_long(*max),
        AnswerFault::TooFew(count) if matches!(item.answer, ItemKind::Ranking { .. }) => {
            words.too_few_ranked(count)
        }
        AnswerFault::TooFew(count) => words.too_few(count),
        AnswerFault::TooMany(count) => words.too_many(count),
        AnswerFault::NotAlone(option) => words.not_alone(name(option)),
        AnswerFault::NotDescribed(option) => words.not_described(name(option)),
        AnswerFault::Kind(_)
        | AnswerFault::Step { .. }
        | AnswerFault::NoOption(_)
        | AnswerFault::NotOffered(_) => words.unfit().to_owned(),
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
