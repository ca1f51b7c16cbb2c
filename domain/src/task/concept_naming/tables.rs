//! The tables of an export.

use std::collections::BTreeMap;

use super::Measures;
use crate::common::table::Field;
use crate::fields;
use crate::task::TaskMeasures;
use crate::task::tables::{
    QuestionCells, QuestionRow, Table, place_fields, question_fields, replay_fields,
};

pub(super) fn tables() -> Vec<Table> {
    vec![
        Table::new(
            "concept_naming_questions",
            "one concept that was shown to be named",
            questions(),
            Row::of,
        ),
        Table::new(
            "concept_naming_terms",
            "one group of terms in one set of an answer to such a question",
            terms(),
            TermRow::of,
        ),
    ]
}

const COUNT: &str = "0 and up";

/// The data of a row about a question.
#[derive(Clone)]
struct Row {
    cells: QuestionCells,
    measures: Measures,
}

impl AsRef<QuestionCells> for Row {
    fn as_ref(&self) -> &QuestionCells {
        &self.cells
    }
}

impl Row {
    fn of(row: &QuestionRow<'_>) -> Vec<Self> {
        let TaskMeasures::ConceptNaming(measures) = &row.record.measures else {
            return Vec::new();
        };
        vec![Self {
            cells: QuestionCells::of(row),
            measures: measures.clone(),
        }]
    }

    /// Values of the groups by their names.
    fn by_group<'a, T>(&'a self, values: &'a [T]) -> BTreeMap<&'a String, &'a T> {
        self.measures.groups.iter().zip(values).collect()
    }
}

fn questions() -> Vec<Field<Row>> {
    let mut fields = question_fields::<Row>();
    fields.extend(fields! { |r: &Row|
        "concept_kind": "Where the concept comes from: found by a model, marked by people, or drawn at random",
            Text, "", "learnt, manual, random" => r.measures.concept_kind.map(|kind| kind.name());
        "concept": "Name of the concept in its bundle",
            Text, "", "any" => r.measures.concept;
        "named": "Whether it was named with any term; empty before the answer is final",
            Boolean, "", "true, false" => r.measures.named;
        "none_of_them": "Whether 'None of them' was ticked, as the answer stood last",
            Boolean, "", "true, false" => r.measures.none_of_them;
        "terms": "Term of each group by the group's name, as the answer stood last; null where there is none",
            Json, "", "text by group" => r.by_group(&r.measures.terms);
        "second_terms": "The same of the second set; empty where there is none. Metrics take the first one",
            Json, "", "text by group" => r.measures.second_terms.as_deref().map(|terms| r.by_group(terms));
        "expected_terms": "What the concept's maker says that it shows; empty where nobody says",
            Json, "", "text by group" => r.measures.expected_terms.as_deref().map(|terms| r.by_group(terms));
        "explanation": "The participant's explanation",
            Text, "", "any", identifying => r.measures.explanation;
        "first_choice_s": "Time from the start to the first change of the answer",
            Number, "s", COUNT => r.measures.first_choice_s;
        "last_choice_s": "Time from the start to the last change of the answer",
            Number, "s", COUNT => r.measures.last_choice_s;
        "changes": "How often the answer was changed, first choices included",
            Integer, "", COUNT => r.measures.changes;
        "enlargements": "How often a sample was enlarged",
            Integer, "", COUNT => r.measures.enlargements;
        "samples_enlarged": "How many different samples were enlarged",
            Integer, "", COUNT => r.measures.samples_enlarged;
        "enlarged_s": "For how long a sample was enlarged, over all of them",
            Number, "s", COUNT => r.measures.enlarged_s;
        "definitions_opened": "How often the definitions of each group were opened, by the group's name",
            Json, "", "number by group" => r.by_group(&r.measures.definitions_opened);
        "example_opened": "How often the worked example was opened",
            Integer, "", COUNT => r.measures.example_opened;
    });
    fields
}

/// The data of a row about a group.
struct TermRow {
    question: Row,
    /// Of the group, from 0.
    index: usize,
    /// Of the set, from 0.
    set: usize,
    term: Option<String>,
}

impl AsRef<QuestionCells> for TermRow {
    fn as_ref(&self) -> &QuestionCells {
        &self.question.cells
    }
}

impl TermRow {
    fn of(row: &QuestionRow<'_>) -> Vec<Self> {
        let mut rows = Vec::new();
        for question in Row::of(row) {
            let measures = &question.measures;
            let sets = [Some(&measures.terms), measures.second_terms.as_ref()];
            for (set, terms) in sets.into_iter().flatten().enumerate() {
                for (index, term) in terms.iter().enumerate() {
                    rows.push(Self {
                        question: question.clone(),
                        index,
                        set,
                        term: term.clone(),
                    });
                }
            }
        }
        rows
    }
}

fn terms() -> Vec<Field<TermRow>> {
    let mut fields = place_fields::<TermRow>();
    fields.extend(fields! { |r: &TermRow|
        "concept_kind": "Where the concept comes from: found by a model, marked by people, or drawn at random",
            Text, "", "learnt, manual, random" => r.question.measures.concept_kind.map(|kind| kind.name());
        "concept": "Name of the concept in its bundle",
            Text, "", "any" => r.question.measures.concept;
        "final": "Whether the answer is final",
            Boolean, "", "true, false" => r.question.measures.named.is_some();
        "set": "Which set of terms: 1, or 2 for the second one",
            Integer, "", "1, 2" => r.set + 1;
        "term_group": "Name of the group of terms",
            Text, "", "any" => r.question.measures.groups.get(r.index);
        "term": "Name of the term; empty where none was chosen, and where 'None of them' was ticked",
            Text, "", "any" => r.term;
    });
    fields.extend(replay_fields());
    fields
}
