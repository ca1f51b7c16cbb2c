//! The people who were allocated to each cell, began, completed, were left out and why, and are analysed.

use domain::study::{AnalysisPlan, ConditionsVary, Metric};

use crate::attrition::named_cells;
use crate::extent::ComparedConditions;
use crate::person::{Conditions, Person};
use crate::report::{Excluded, Flow, FlowCell, FlowCount, FlowOutcome, FlowReason, Sample};

/// The flow of all who started, whether they are included or not. `excluded` has who is left out for what, `included` the
/// results.
pub(crate) fn flow(
    people: &[(Person, bool)],
    excluded: &[Excluded],
    cells: &ComparedConditions,
    conditions: &Conditions,
    design: ConditionsVary,
    plan: Option<&AnalysisPlan>,
    included: &Sample,
) -> Flow {
    let mut reasons: Vec<Option<usize>> = vec![None; people.len()];
    for (index, excluded) in excluded.iter().enumerate() {
        for number in &excluded.numbers {
            reasons[number - 1] = Some(index);
        }
    }
    let agreed = |person: &Person| person.agreed != Some(false);
    let which = |matches: &dyn Fn(&Person) -> bool| {
        let numbered = people.iter().zip(1..);
        let found = numbered.filter(|((person, _), _)| matches(person));
        FlowCount::of(found.map(|(_, number)| number).collect())
    };
    let metric = plan.and_then(|plan| plan.metrics.first().copied());
    let mut times_allocated = vec![0_usize; people.len()];
    let of_cell = |(name, members): (String, Vec<&str>)| {
        let is_here = |label: &str| -> bool { members.contains(&label) };
        let here = |person: &Person| {
            let labels = person.stages.iter().map(|stage| conditions.label(stage));
            agreed(person) && labels.into_iter().any(|label| is_here(&label))
        };
        let allocated = which(&here);
        for number in &allocated.numbers {
            times_allocated[number - 1] += 1;
        }
        let of_reason = |index: usize| {
            let numbers = allocated.numbers.iter().copied();
            FlowReason {
                reason: excluded[index].reason,
                left_out: FlowCount::of(
                    numbers
                        .filter(|number| reasons[number - 1] == Some(index))
                        .collect(),
                ),
            }
        };
        let analysed = allocated.numbers.iter().copied();
        let analysed = analysed.filter(|number| people[number - 1].1).collect();
        FlowCell {
            began: which(&|person| {
                let mut stages = person.stages.iter();
                here(person)
                    && stages.any(|stage| {
                        !stage.questions.is_empty() && is_here(&conditions.label(stage))
                    })
            }),
            completed: which(&|person| here(person) && person.complete),
            left_out: (0..excluded.len())
                .map(of_reason)
                .filter(|found| found.left_out.people > 0)
                .collect(),
            analysed: FlowCount::of(analysed),
            outcome: metric.and_then(|metric| outcome(metric, &name, design, included)),
            allocated,
            cell: name,
        }
    };
    let of_cells: Vec<FlowCell> = named_cells(cells, design)
        .into_iter()
        .map(of_cell)
        .collect();
    let asked = people.iter().any(|(person, _)| person.agreed.is_some());
    let not_allocated = people
        .iter()
        .zip(1..)
        .filter(|((person, _), number)| agreed(person) && times_allocated[number - 1] == 0);
    Flow {
        started: which(&|_| true),
        declined: asked.then(|| which(&|person| !agreed(person))),
        not_allocated: FlowCount::of(not_allocated.map(|(_, number)| number).collect()),
        cells: of_cells,
        disjoint: times_allocated.iter().all(|times| *times <= 1),
    }
}

/// People in the tests of a metric in a cell: those of the comparison within people, those with a value between them.
fn outcome(
    metric: Metric,
    cell: &str,
    design: ConditionsVary,
    included: &Sample,
) -> Option<FlowOutcome> {
    let mut of_metric = included.comparisons.iter().filter(|it| it.metric == metric);
    let people = match design {
        ConditionsVary::Within => of_metric.find(|it| it.name == cell)?.n,
        ConditionsVary::Between => {
            let rows = of_metric.flat_map(|it| &it.conditions);
            let mut rows = rows.filter(|row| row.condition == cell);
            rows.next()?.values.len()
        }
    };
    Some(FlowOutcome { metric, people })
}
