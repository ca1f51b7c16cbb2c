//! What measures there are.

use measures::inputs::Need;
use measures::list::MEASURES;
use measures::measure::Measure;
use serde_json::{Value, json};

use super::args::ListForm;
use super::{schema, shown};
use crate::output::{Align, aligned};

/// The list.
///
/// # Errors
/// When memory is out.
pub fn all(form: ListForm) -> anyhow::Result<String> {
    Ok(match form {
        ListForm::Table => table(),
        ListForm::Json => {
            let all: Vec<Value> = MEASURES
                .iter()
                .map(|measure| declaration(measure))
                .collect();
            let mut text = serde_json::to_string_pretty(&all)?;
            text.push('\n');
            text
        }
        ListForm::Markdown => markdown(),
        ListForm::Schema => serde_json::to_string_pretty(&schema::of_results())? + "\n",
    })
}

fn table() -> String {
    let mut lines = vec![vec![
        "name".to_owned(),
        "needs".to_owned(),
        "tells".to_owned(),
    ]];
    lines.extend(MEASURES.iter().map(|measure| {
        vec![
            measure.name.to_owned(),
            names(measure.needs).join(", "),
            measure.tells.to_owned(),
        ]
    }));
    let mut text = aligned(&[Align::Left, Align::Left, Align::Left], &lines);
    text.push_str("\nThe arrays:\n");
    let arrays: Vec<Vec<String>> = Need::ALL
        .iter()
        .map(|need| vec![need.name().to_owned(), need.says().to_owned()])
        .collect();
    text.push_str(&aligned(&[Align::Left, Align::Left], &arrays));
    text.push_str("\n`redial measure NAME --help` has formula, source, parameters and variants.\n");
    text
}

/// The page `docs/measures-reference.md`.
fn markdown() -> String {
    let mut page = String::from(
        "# Reference of measures\n\nThis page is made from the declarations: `redial measure list --markdown`. [Measures of representations and explanations](measures.md) says how to use them.\n\n## Arrays\n\n| name | holds |\n| --- | --- |\n",
    );
    for need in Need::ALL {
        page.push_str(&row(&[&code(need.name()), need.says()]));
    }
    for measure in MEASURES {
        page.push_str(&section(measure));
    }
    page
}

fn section(measure: &Measure) -> String {
    let arrays = |needs: &[Need]| {
        let names: Vec<String> = names(needs).into_iter().map(code).collect();
        names.join(", ")
    };
    let mut text = format!(
        "\n## {}\n\n`redial measure {}`. {}\n\n```text\n{}\n```\n\n- Source: {}\n- Needs: {}\n",
        measure.title,
        measure.name,
        measure.tells,
        measure.formula,
        measure.source,
        arrays(measure.needs)
    );
    if !measure.takes.is_empty() {
        text.push_str(&format!("- Takes: {}\n", arrays(measure.takes)));
    }
    text.push_str(&format!(
        "- Cost: {}\n- Not for: {}\n- Seed: {}\n\n| score | better | from | to | chance |\n| --- | --- | --- | --- | --- |\n",
        measure.cost,
        measure.not_for,
        if measure.seeded { "changes its numbers" } else { "changes nothing" }
    ));
    for score in measure.scores {
        text.push_str(&row(&[
            &format!("{}, {}", score.title, code(score.name)),
            shown::direction(score),
            &shown::bound(score.range.0),
            &shown::bound(score.range.1),
            &shown::chance(score),
        ]));
    }
    if !measure.parameters.is_empty() {
        text.push_str("\n| parameter | is | default | from | to | default from |\n| --- | --- | --- | --- | --- | --- |\n");
        for it in measure.parameters {
            text.push_str(&row(&[
                &code(it.name),
                it.says,
                &it.default.to_string(),
                &it.range.0.to_string(),
                &it.range.1.to_string(),
                it.source,
            ]));
        }
    }
    for (word, variants) in [
        ("variant", measure.variants),
        ("estimator", measure.estimators),
    ] {
        if !variants.is_empty() {
            text.push_str(&format!("\n| {word} | does |\n| --- | --- |\n"));
            for it in variants {
                text.push_str(&row(&[&code(it.name), it.says]));
            }
        }
    }
    text
}

/// A line of a table, whatever the cells hold.
fn row(cells: &[&str]) -> String {
    let cells = cells.iter().map(|cell| cell.replace('|', "\\|"));
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

fn code(name: &str) -> String {
    format!("`{name}`")
}

fn names(needs: &[Need]) -> Vec<&'static str> {
    needs.iter().map(|need| need.name()).collect()
}

fn declaration(measure: &Measure) -> Value {
    json!({
        "name": measure.name,
        "title": measure.title,
        "tells": measure.tells,
        "source": measure.source,
        "formula": measure.formula,
        "needs": names(measure.needs),
        "takes": names(measure.takes),
        "parameters": measure.parameters,
        "variants": measure.variants,
        "estimators": measure.estimators,
        "scores": measure.scores,
        "cost": measure.cost,
        "not_for": measure.not_for,
        "seeded": measure.seeded,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_in_the_documentation_is_that_of_the_declarations() {
        let kept = include_str!("../../../../../docs/measures-reference.md");
        assert!(
            kept == markdown(),
            "run: redial measure list --markdown > docs/measures-reference.md"
        );
    }

    #[test]
    fn each_measure_is_declared_in_full() {
        for measure in MEASURES {
            for words in [
                measure.title,
                measure.tells,
                measure.source,
                measure.formula,
                measure.cost,
                measure.not_for,
            ] {
                assert!(!words.is_empty(), "{}", measure.name);
            }
            assert!(
                !measure.scores.is_empty() && !measure.needs.is_empty(),
                "{}",
                measure.name
            );
        }
    }
}
