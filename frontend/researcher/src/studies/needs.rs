//! The parts of a study that somebody should look at.

use api::research::{CellCounts, SessionsFound, SessionsQuery, StudyState, StudySummary};
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::route::Route;
use crate::text::text;

/// Columns that say what is the matter with a session.
const FLAGS: &str =
    "ordinal,standing,contradictions,automation_flags,attention_checks_failed,too_fast";

/// Ways to the sessions that somebody should look at.
pub fn people_to_look_at(area: Area, study: &StudySummary) -> impl IntoView + use<> {
    let need = study.sessions.clone().unwrap_or_default();
    let words = &text().studies;
    let link = |found: SessionsFound, words: String, testid: &'static str, columns: &str| {
        let query = SessionsQuery {
            columns: columns.to_owned(),
            filter: found.filter?,
            ..SessionsQuery::default()
        };
        let to = Route::People {
            study: study.study.clone(),
            query,
        };
        Some(view! { <Link area to testid>{words}</Link> " " })
    };
    let (to_decide, with_flags) = (need.undecided.number, need.flagged.number);
    [
        link(
            need.undecided,
            words.to_decide(to_decide),
            "to-undecided",
            "",
        ),
        link(
            need.flagged,
            words.with_flags(with_flags),
            "to-flagged",
            FLAGS,
        ),
    ]
    .collect_view()
}

/// The points that somebody should look at.
pub fn needs(study: &StudySummary) -> Vec<String> {
    let words = &text().studies;
    let file = match study.state {
        StudyState::Refused => Some(words.mend_file().to_owned()),
        StudyState::NoFile => Some(words.put_file_back().to_owned()),
        _ => None,
    };
    let over: u64 = study.cells.iter().map(|cell| cell.over_quota).sum();
    let over = (over > 0).then(|| words.over_quota(over));
    // Where all cells are full, the study's state says so.
    let is_full = |cell: &&CellCounts| cell.open == Some(0);
    let full: Vec<&str> = match study.state {
        StudyState::Running => study
            .cells
            .iter()
            .filter(is_full)
            .map(|cell| cell.cell.as_str())
            .collect(),
        _ => Vec::new(),
    };
    let full = (!full.is_empty()).then(|| words.full_cells(full.join(", ")));
    let decisions = |number: u64| (number > 0).then(|| text().counted.decisions(number));
    let credits = |number: u64| (number > 0).then(|| text().counted.credits(number));
    let (decided, credited) = (&study.decisions, &study.credits);
    let all = [
        file,
        over,
        full,
        decisions(decided.uncertain).map(|it| words.uncertain(it)),
        decisions(decided.failed).map(|it| words.refused(it)),
        decisions(decided.unanswered).map(|it| words.unanswered(it)),
        credits(credited.refused).map(|it| words.refused_by_sona(it)),
        credits(credited.unanswered).map(|it| words.unanswered_by_sona(it)),
    ];
    all.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use api::research::live::LiveCounts;
    use api::research::{CreditsNeed, DecisionsNeed, Role};
    use domain::recruitment::StudyStatus;

    use super::*;

    fn cell(name: &str, open: u64, over_quota: u64) -> CellCounts {
        CellCounts {
            cell: name.to_owned(),
            levels: std::collections::BTreeMap::new(),
            cap: Some(10),
            counted: 6,
            under_way: 0,
            open: Some(open),
            left: 0,
            excluded: 0,
            over_quota,
            paused: false,
        }
    }

    #[test]
    fn a_study_says_what_needs_somebody() {
        let mut study = StudySummary {
            study: "s".to_owned(),
            title: None,
            role: Role::Owner,
            status: StudyStatus::Running,
            state: StudyState::Running,
            counts: LiveCounts::default(),
            cells: vec![cell("a", 0, 2), cell("b", 4, 0)],
            decisions: DecisionsNeed::default(),
            credits: CreditsNeed::default(),
            sessions: None,
        };
        assert_eq!(needs(&study), ["2 over quota", "full: a"]);
        study.state = StudyState::Full;
        study.cells = vec![cell("a", 0, 0)];
        assert!(needs(&study).is_empty());
        study.state = StudyState::Refused;
        assert_eq!(needs(&study), ["mend the study's file"]);
        study.state = StudyState::Running;
        study.decisions.uncertain = 1;
        study.decisions.failed = 2;
        study.credits.refused = 1;
        study.credits.unanswered = 3;
        assert_eq!(
            needs(&study),
            [
                "full: a",
                "1 decision uncertain",
                "2 decisions refused by a platform",
                "1 credit refused by SONA",
                "3 credits without an answer of SONA"
            ]
        );
    }
}
