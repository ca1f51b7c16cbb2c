//! Problems of a stage's settings.

use super::{HiddenAt, Item, ListOrder, Settings, ShownDials, SkipPolicy, Stop};
use crate::model::ModelFacts;
use crate::model::distance::{THRESHOLD_TOLERANCE, threshold_at};
use crate::task::check::TaskCheck;

pub(super) fn check(settings: &Settings, context: &mut TaskCheck<'_>) {
    warn_of_no_way_out(settings, context);
    match (settings.questions, settings.items.is_empty()) {
        (None, true) => {
            context.problem("questions", "nothing", "a number of questions, or 'items'")
        }
        (Some(_), false) => {
            context.problem(
                "questions",
                "a number beside 'items'",
                "only one of the two",
            );
        }
        _ => {}
    }
    check_draw(settings, context);
    if settings.skip_after_s.is_some()
        && matches!(settings.skip, Some(SkipPolicy::Never | SkipPolicy::Always))
    {
        context.problem(
            "skip_after_s",
            "a time after which questions can be skipped, beside 'skip'",
            "only one of the two, or 'skip': 'after_active'",
        );
    }
    let Some(model) = context.model("model", &settings.model) else {
        return;
    };
    let mut model = model.clone();
    let hidden = check_shown(settings, &model, context);
    check_distance(settings, &mut model, context);
    if let Some(percent) = settings.target_alignment_percent {
        model.threshold = threshold_at(percent);
        check_reachable(&model, percent, "target_alignment_percent", context);
    }
    for (index, item) in settings.items.iter().enumerate() {
        // With a threshold by its target, drawing finds what is solved at its start.
        let known =
            settings.threshold_by_target.is_none() || item.target_alignment_percent.is_some();
        if check_item(&model, index, item, &hidden, context) && known {
            check_start(&model, index, item, context);
        }
    }
}

/// Warns where people who neither see how near they are nor can go on may stay for ever.
fn warn_of_no_way_out(settings: &Settings, context: &mut TaskCheck<'_>) {
    let never = match settings.skip {
        Some(policy) => policy == SkipPolicy::Never,
        None => context.practice,
    };
    if !settings.show_alignment && never && settings.stop == Stop::AtThreshold {
        context.warning(
            "show_alignment",
            "people do not see how near they are, and cannot go on before they are near enough: some will stay for ever. Show it, let them skip, or let them declare the end (\"stop\": \"declared\")",
        );
    }
}

/// Notes what is wrong with the choice of a distance, and of thresholds that follow from targets; the model has the
/// distance then.
fn check_distance(settings: &Settings, model: &mut ModelFacts, context: &mut TaskCheck<'_>) {
    let of_stage = settings.target_alignment_percent.is_some();
    let by_target = settings.threshold_by_target.is_some();
    if of_stage && by_target {
        let found = "a threshold of all questions, beside 'threshold_by_target'";
        context.problem("target_alignment_percent", found, "only one of the two");
    }
    let Some(distance) = &settings.distance else {
        return;
    };
    if let Some(problem) = distance.problem(model.shape) {
        let right = "a distance for what the model makes";
        context.problem("distance", problem, right);
        return;
    }
    model.distance = distance.clone();
    let given = |item: &Item| item.target_alignment_percent.is_some();
    let each = !settings.items.is_empty() && settings.items.iter().all(given);
    if !of_stage && !by_target && !each {
        context.problem(
            "distance",
            "another distance than the model's, with the model's threshold",
            "a threshold that suits it: 'target_alignment_percent' or 'threshold_by_target'",
        );
    }
}

/// Checks the settings that belong to questions that are drawn, and those that belong to questions that are given.
fn check_draw(settings: &Settings, context: &mut TaskCheck<'_>) {
    let given = !settings.items.is_empty();
    if given && settings.same_for_all.is_some() {
        let found = "a draw that is the same for all, beside 'items'";
        context.problem("same_for_all", found, "only one of the two");
    }
    if !given && settings.same_for_all.is_none() && settings.question_order != ListOrder::AsGiven {
        let found = "an order of questions that are drawn for each person";
        let right = "'items' or 'same_for_all', or no order";
        context.problem("question_order", found, right);
    }
    if let (Some(same), Some(questions)) = (settings.same_for_all, settings.questions)
        && same.strata > questions
    {
        context.problem(
            "same_for_all.strata",
            same.strata.to_string(),
            format!("at most the number of questions, {questions}"),
        );
    }
    let alone: [(&str, bool); 3] = [
        ("distinct_targets", settings.distinct_targets),
        ("start", settings.start != super::StartAt::Drawn),
        (
            "hidden_dials_at",
            settings.hidden_dials_at != HiddenAt::Target,
        ),
    ];
    for (name, set) in alone {
        if given && set {
            let found = "a rule for questions that are drawn, beside 'items'";
            context.problem(name, found, "leave it out: the items say it");
        }
    }
}

/// Notes what is wrong with the choice of dials; gives those that are not shown to anybody.
fn check_shown(settings: &Settings, model: &ModelFacts, context: &mut TaskCheck<'_>) -> Vec<usize> {
    let count = model.latent.len();
    let (place, number) = match &settings.shown_dials {
        None => return Vec::new(),
        Some(ShownDials::First(number)) => ("shown_dials.first", *number),
        Some(ShownDials::Drawn(number)) => ("shown_dials.drawn", *number),
        Some(ShownDials::These(these)) => {
            let twice = (1..these.len()).any(|at| these[..at].contains(&these[at]));
            if these.is_empty() || twice || these.iter().any(|dial| *dial >= count) {
                context.problem(
                    "shown_dials.these",
                    format!("{these:?}"),
                    format!("different dimensions of the model, from 0 to {}", count - 1),
                );
                return Vec::new();
            }
            return (0..count).filter(|dial| !these.contains(dial)).collect();
        }
    };
    if !(1..=count).contains(&number) {
        let right = format!("1 to {count}, as many as the model has");
        context.problem(place, number.to_string(), right);
    } else if place == "shown_dials.first" {
        return (number..count).collect();
    } else if number < count && (!settings.items.is_empty() || settings.same_for_all.is_some()) {
        context.problem(
            place,
            "dials drawn for each person, beside questions that are the same for all",
            "'these' or 'first': the questions depend on which dials are not shown",
        );
    }
    Vec::new()
}

/// Native and browser decoders round differently, so the last pixel of a binarised
/// picture may never match; what exceeds the tolerance by less than that is out of reach.
fn check_reachable(model: &ModelFacts, percent: f64, place: &str, context: &mut TaskCheck<'_>) {
    let values = model.shape.len().max(1);
    #[allow(clippy::cast_precision_loss)] // far fewer than 2^52 values
    let one_value = 1.0 / values as f64;
    if model.distance.counts_values() && model.threshold + THRESHOLD_TOLERANCE < one_value {
        let highest = (100.0 * (1.0 - one_value + THRESHOLD_TOLERANCE)).floor();
        context.problem(
            place,
            percent.to_string(),
            format!(
                "at most {highest}: above it a single value that rounds differently in a browser makes the target unreachable"
            ),
        );
    }
}

/// Notes what is wrong with start and target; says whether both are vectors of the model.
fn check_item(
    model: &ModelFacts,
    index: usize,
    item: &Item,
    hidden: &[usize],
    context: &mut TaskCheck<'_>,
) -> bool {
    let mut fits = true;
    for (name, z) in [("start", &item.start), ("target", &item.target)] {
        if let Err(error) = model.latent.validate(z) {
            let found = format!("{z:?}");
            context.problem(&format!("items[{index}].{name}"), found, error.to_string());
            fits = false;
        }
    }
    if !fits {
        return false;
    }
    for &dial in hidden {
        if item.start[dial] != item.target[dial] {
            context.problem(
                &format!("items[{index}].start[{dial}]"),
                item.start[dial].to_string(),
                format!(
                    "{}, as in the target: this dial is not shown, so it cannot be moved there",
                    item.target[dial]
                ),
            );
        }
    }
    true
}

/// Notes a start that solves its question.
fn check_start(model: &ModelFacts, index: usize, item: &Item, context: &mut TaskCheck<'_>) {
    let mut model = model.clone();
    if let Some(percent) = item.target_alignment_percent {
        model.threshold = threshold_at(percent);
        let place = format!("items[{index}].target_alignment_percent");
        check_reachable(&model, percent, &place, context);
    }
    if context.is_solved(&model, &item.start, &item.target) {
        context.problem(
            &format!("items[{index}]"),
            "a start that already matches its target",
            "a start farther from the target",
        );
    }
}
