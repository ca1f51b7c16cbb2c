//! The flow of participants in words.

use domain::study::ConditionsVary;

use super::left_out;
use crate::numbers::counted;
use crate::report::{Analysis, FlowCount, FlowReason};

impl FlowReason {
    /// The reason in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        left_out(self.reason)
    }
}

impl Analysis {
    /// The names of the flow's cells for readers: conditions have the plan's labels, comparisons their names.
    #[must_use]
    pub fn flow_names(&self) -> Vec<String> {
        let cells: Vec<&str> = self.flow.cells.iter().map(|it| it.cell.as_str()).collect();
        match self.design {
            ConditionsVary::Between => self.names_of(&cells),
            ConditionsVary::Within => cells.into_iter().map(str::to_owned).collect(),
        }
    }

    /// The flow of participants in words: a sentence of who was not allocated, and one for each cell.
    #[must_use]
    pub fn flow_words(&self) -> String {
        let flow = &self.flow;
        let people = |count: &FlowCount| counted(count.people, "person", "people");
        let mut out = format!(
            "Flow of participants (CONSORT): {} started.",
            people(&flow.started)
        );
        if let Some(declined) = flow.declined.as_ref().filter(|it| it.people > 0) {
            out += &format!(" {} did not agree to take part.", people(declined));
        }
        if flow.not_allocated.people > 0 {
            let who = people(&flow.not_allocated);
            out += &format!(" {who} came to none of the conditions that are compared.");
        }
        let within = self.design == ConditionsVary::Within;
        for cell in &flow.cells {
            let analysed = cell.analysed.people;
            out += &format!(
                " {} {} allocated to {}{}: {} began its questions, {} completed the session, and {analysed} {} analysed",
                people(&cell.allocated),
                if cell.allocated.people == 1 {
                    "was"
                } else {
                    "were"
                },
                if within { "the conditions of " } else { "" },
                cell.cell,
                cell.began.people,
                cell.completed.people,
                if analysed == 1 { "is" } else { "are" },
            );
            if !cell.left_out.is_empty() {
                let reasons = cell.left_out.iter();
                let reasons =
                    reasons.map(|it| format!("{} ({})", it.in_words(), it.left_out.people));
                out += &format!(" (left out: {})", reasons.collect::<Vec<_>>().join(", "));
            }
            if let Some(outcome) = cell.outcome.as_ref().filter(|it| it.people != analysed) {
                let metric = outcome.metric.label().to_lowercase();
                out += &format!("; {} in the tests of {metric}", outcome.people);
            }
            out.push('.');
        }
        if !flow.disjoint {
            out += " Somebody can belong to several of these.";
        }
        out
    }
}
