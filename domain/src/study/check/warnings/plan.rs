//! The analysis plan, beside what the study asks.

use super::Warnings;
use crate::design::Counts;
use crate::study::{Adjustment, AnalysisPlan, Group, Metric, Order, PairTest, Study};

pub(super) fn look(study: &Study, out: &mut Warnings) {
    let Some(plan) = &study.analysis else { return };
    if plan.test == PairTest::MixedModel {
        mixed_model(study, plan, out);
    }
    people(study, plan, out);
    orders(study, plan, out);
}

/// Whether people's orders differ, and whether they are few enough to be told apart.
fn orders(study: &Study, plan: &AnalysisPlan, out: &mut Warnings) {
    let groups = study.groups();
    let shuffles = |group: &&Group| group.order != Order::Fixed;
    if !groups.iter().any(shuffles) {
        if plan.adjust_for.contains(&Adjustment::Period) {
            out.add(
                "analysis.adjust_for",
                "everybody gets the stages in the same order: periods cannot be told from conditions, and the models will have no number. Put the stages into a group with \"order\": \"latin_square\" or \"random\"",
            );
        }
        if plan.adjust_for.contains(&Adjustment::Sequence) {
            out.add(
                "analysis.adjust_for",
                "everybody gets the stages in the same order: there is one sequence, and nothing to adjust for. Put the stages into a group with \"order\": \"latin_square\"",
            );
        }
    } else if plan.adjust_for.contains(&Adjustment::Sequence)
        && groups.iter().any(|group| group.order == Order::Random)
    {
        out.add(
            "analysis.adjust_for",
            "orders are drawn for each person: there may be almost as many sequences as people, and the models then have no number. With \"order\": \"latin_square\" there are few, and each as often as the others",
        );
    }
}

fn mixed_model(study: &Study, plan: &AnalysisPlan, out: &mut Warnings) {
    for (index, metric) in plan.metrics.iter().enumerate() {
        let is_one_number = match metric {
            Metric::ErrorAucChange => true,
            Metric::Score(score) => !score.is_one_answer(),
            Metric::Own(_) => true,
            other => other.is_of_staircases(),
        };
        if is_one_number {
            out.add(
                format!("analysis.metrics[{index}]"),
                format!(
                    "'{}' is one number of a person and condition, and a mixed model is one of single questions: with \"test\": \"mixed_model\" this metric has no test",
                    metric.name()
                ),
            );
        }
    }
    for stage in study.scored_stages() {
        if let Some(questions) = stage.task.fixed_questions() {
            out.add(
                "analysis.test",
                format!(
                    "everybody gets the same {questions} questions of stage '{}'. A mixed model then generalises over questions, too: its degrees of freedom are at most those of the questions, however many people take part. Ask more questions, or have them drawn for each person",
                    stage.id
                ),
            );
        }
    }
}

/// How many people the plan waits for, and how many can come.
fn people(study: &Study, plan: &AnalysisPlan, out: &mut Warnings) {
    let Some(wanted) = plan.people else { return };
    let rules = &study.design.assignment;
    let most = rules.most_sessions.map(u64::from);
    let cells = study.design.cells();
    let mut capacity = Some(0_u64);
    for cell in &cells {
        capacity = capacity.and_then(|sum| Some(sum + rules.cap_of(&cell.name)?));
    }
    for (field, room) in [("most_sessions", most), ("cap", capacity)] {
        if room.is_some_and(|room| room < wanted as u64) {
            let room = room.unwrap_or_default();
            out.add(
                "analysis.people",
                format!(
                    "the plan waits for {wanted} people, and 'design.assignment.{field}' lets in {room}: its analysis would stay interim for ever. Make the two agree"
                ),
            );
        }
    }
    let exact = capacity.filter(|room| rules.counts == Counts::Included && *room > wanted as u64);
    if let Some(room) = exact {
        out.add(
            "analysis.people",
            format!(
                "the plan waits for {wanted} people, and the caps let {room} in who count: the analysis is final before they have all come. Make the two agree"
            ),
        );
    }
}
