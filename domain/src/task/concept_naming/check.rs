//! Problems of a stage's settings.

use super::Settings;
use crate::concepts::ConceptCard;
use crate::task::check::TaskCheck;

pub(super) fn check(settings: &Settings, context: &mut TaskCheck<'_>) {
    if settings.concepts.is_empty() {
        let expected = "names of bundles of concepts";
        context.problem("concepts", "an empty list", expected);
    }
    let mut first: Option<&ConceptCard> = None;
    for (index, name) in settings.concepts.iter().enumerate() {
        let place = format!("concepts[{index}]");
        if settings.concepts[..index].contains(name) {
            let found = format!("'{name}' a second time");
            context.problem(&place, found, "each bundle once");
        }
        let Some(card) = context.concepts(&place, name) else {
            continue;
        };
        if let Some(most) = settings.questions_per_bundle
            && most > card.concepts.len()
        {
            let expected = format!("'{name}' has {} concepts", card.concepts.len());
            context.problem("questions_per_bundle", most.to_string(), expected);
        }
        match first {
            None => first = Some(card),
            Some(first) => {
                for what in differences(first, card) {
                    let expected = format!("the same as in '{}'", first.name);
                    context.problem(&place, format!("'{name}' with other {what}"), expected);
                }
            }
        }
    }
    if settings.questions_per_bundle == Some(0) {
        context.problem("questions_per_bundle", "0", "at least 1, or no such field");
    }
}

/// The differences by which participants would tell one bundle from another.
fn differences(one: &ConceptCard, other: &ConceptCard) -> Vec<&'static str> {
    [
        ("terms", one.vocabulary == other.vocabulary),
        ("places of highlights", one.display == other.display),
        (
            "thresholds of highlights",
            one.highlight_above == other.highlight_above,
        ),
        ("shapes of pictures", one.shape == other.shape),
        ("numbers of samples", one.samples == other.samples),
    ]
    .into_iter()
    .filter_map(|(what, same)| (!same).then_some(what))
    .collect()
}
