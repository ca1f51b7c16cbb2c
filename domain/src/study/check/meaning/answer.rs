//! Conditions on answers.

use super::{PartsIndex, Problems};
use crate::questionnaire::AnswerCondition;

/// A condition on an answer refers to a questionnaire in the group at that place.
pub(super) fn check_answer(
    condition: &AnswerCondition,
    place: &str,
    group: &str,
    seen: &PartsIndex,
    out: &mut Problems,
) {
    let within =
        |(id, at): &&(String, String)| *id == condition.questionnaire && at.starts_with(group);
    let asked = seen.names.iter().find(within);
    let Some(questionnaire) = asked.and_then(|(id, _)| seen.questionnaires.get(id)) else {
        out.add(
            format!("{place}.questionnaire"),
            format!("'{}'", condition.questionnaire),
            if group.is_empty() {
                "the name of a questionnaire of the study"
            } else {
                "the name of a questionnaire in this group"
            },
        );
        return;
    };
    let Some(item) = questionnaire
        .items
        .iter()
        .find(|item| item.id == condition.item)
    else {
        let known: Vec<String> = questionnaire
            .items
            .iter()
            .map(|item| item.id.clone())
            .collect();
        out.add(
            format!("{place}.item"),
            format!("'{}'", condition.item),
            format!(
                "there is no such item; {}",
                super::suggest(&condition.item, &known)
            ),
        );
        return;
    };
    super::questionnaire::check_comparison(item, condition.comparison(), place, out);
}
