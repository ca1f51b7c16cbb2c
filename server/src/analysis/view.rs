//! An analysis as the researcher's area shows it: the tables, words and figures of `redial report`, and which sessions
//! each number is about.

use analysis::numbers::counted;
use analysis::table::{Table, TableCell};
use analysis::{Analysis, ModelCard};
use api::research::{
    AnalysedVersion, AnalysisView, Filter, LeadsTo, PeopleCount, ShownCell, ShownFigure, ShownHead,
    ShownTable,
};
use figures::Figure;

use super::{SessionsBehind, StudyAnalysis};

/// The column of a table that names people.
const PERSON: &str = "person";

/// The view of a study's analysis that a page shows.
pub(super) fn of_study(
    found: &StudyAnalysis,
    cards: &[ModelCard],
    figures: &[Vec<Figure>],
    has_typed_words: bool,
) -> AnalysisView {
    let versions = found.versions.iter().zip(figures).enumerate();
    AnalysisView {
        title: found.title.clone(),
        simulated: found.simulated,
        counts: counts(found),
        problems: found.problems.iter().map(ToString::to_string).collect(),
        has_typed_words,
        text: found.to_text(),
        versions: versions
            .map(|(place, (version, drawn))| of_version(found, place, version, cards, drawn))
            .collect(),
    }
}

/// How many sessions there are, and of what kind.
fn counts(found: &StudyAnalysis) -> Vec<PeopleCount> {
    let behind = &found.behind;
    let some = |ordinals: &[u64]| Filter::of_ordinals(ordinals.iter().copied());
    let other = if found.simulated {
        ("Sessions of people, left out", None)
    } else {
        (
            "Simulated people, left out",
            Some("purpose=simulated".to_owned()),
        )
    };
    let all = [
        ("started", "Started", found.started, behind.of_started()),
        (
            "complete",
            "Complete",
            found.complete,
            some(&behind.complete),
        ),
        (
            "damaged",
            "Damaged and left out",
            found.damaged,
            some(&behind.damaged),
        ),
        (
            "no_data",
            "Pilots and previews, left out",
            found.no_data,
            some(&behind.no_data),
        ),
        (
            "of_the_other_kind",
            other.0,
            found.of_the_other_kind,
            other.1,
        ),
    ];
    all.map(|(name, words, people, filter)| PeopleCount {
        name: name.to_owned(),
        words: words.to_owned(),
        people: people as u64,
        filter: filter.filter(|_| people > 0),
    })
    .into()
}

fn of_version(
    found: &StudyAnalysis,
    place: usize,
    version: &Analysis,
    cards: &[ModelCard],
    figures: &[Figure],
) -> AnalysedVersion {
    let shown = Shown {
        behind: &found.behind,
        version: place,
    };
    let folder = super::folder::place(found, version);
    AnalysedVersion {
        study_sha256: version.study_sha256.clone(),
        folder,
        declared: version.plan.is_some(),
        interim: version.interim,
        people: shown.people(version),
        methods: version.methods().split("\n\n").map(str::to_owned).collect(),
        tables: version
            .tables(cards)
            .iter()
            .map(|table| shown.table(table, usize::MAX))
            .collect(),
        figures: figures
            .iter()
            .map(|figure| ShownFigure {
                name: figure.name.clone(),
                caption: figure.caption.clone(),
            })
            .collect(),
    }
}

/// A table behind which there are no sessions, as a page shows it.
#[must_use]
pub fn shown_table(table: &Table) -> ShownTable {
    let nobody = SessionsBehind::default();
    let shown = Shown {
        behind: &nobody,
        version: 0,
    };
    shown.table(table, usize::MAX)
}

/// A version of a study whose numbers are shown.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a> {
    /// Its sessions.
    pub behind: &'a SessionsBehind,
    /// Which of the study's versions it is.
    pub version: usize,
}

impl Shown<'_> {
    /// The people who count, those who are left out and why, and those who were lost and where.
    fn people(self, version: &Analysis) -> Vec<PeopleCount> {
        let mut out = Vec::new();
        let mut count = |name: &str, words: String, numbers: &[usize]| {
            out.push(PeopleCount {
                name: name.to_owned(),
                words,
                people: numbers.len() as u64,
                filter: self.behind.of_people(self.version, numbers),
            });
        };
        let steps = version.funnel.len();
        for (place, step) in version.funnel.iter().enumerate() {
            let name = match place {
                0 => "version_started",
                last if last + 1 == steps => "included",
                _ => "step",
            };
            count(name, step.step.clone(), &step.numbers);
        }
        for excluded in version.excluded.iter().filter(|it| it.people > 0) {
            let words = format!("Left out: {}", excluded.in_words());
            count("left_out", words, &excluded.numbers);
        }
        let cells = version.attrition.cells.iter();
        let lost = cells.zip(&version.attrition.numbers);
        // With one cell it is what was said already.
        if version.attrition.cells.len() > 1 {
            for ((cell, ..), [kept, left]) in lost {
                count("kept", format!("{cell}: included"), kept);
                count("lost", format!("{cell}: left out"), left);
            }
        }
        out
    }

    /// A table, with so many rows at most.
    pub(super) fn table(self, table: &Table, most: usize) -> ShownTable {
        let columns = table.columns.iter();
        let heads = columns.map(|column| ShownHead {
            words: column.head.clone(),
            numbers: !column.is_words(),
        });
        let cell = |row: usize, column: usize, cell: &TableCell| {
            let read = table.shown(row, column);
            let is_person = table.columns.get(column).is_some_and(|it| it.key == PERSON);
            ShownCell {
                exact: table.exact(row, column),
                leads_to: self.leads_to(cell.people(), is_person),
                text: read.text,
                strong: read.strong,
            }
        };
        let rows = table.rows.iter().enumerate().take(most);
        ShownTable {
            name: table.name.clone(),
            caption: table.caption.clone(),
            heads: heads.collect(),
            rows: rows
                .map(|(at, row)| {
                    let cells = row.iter().enumerate();
                    cells.map(|(column, it)| cell(at, column, it)).collect()
                })
                .collect(),
            notes: table.notes.clone(),
        }
    }

    fn leads_to(self, people: &[usize], is_person: bool) -> Option<LeadsTo> {
        if let ([person], true) = (people, is_person) {
            let behind = self.behind.person(self.version, *person)?;
            return Some(LeadsTo::Replay {
                session: behind.session.clone(),
            });
        }
        let filter = self.behind.of_people(self.version, people)?;
        let words = format!("The {}", counted(people.len(), "session", "sessions"));
        Some(LeadsTo::Sessions { filter, words })
    }
}
