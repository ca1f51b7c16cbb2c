//! Mistakes that people make in studies, and what is said of them: one table.

use super::warnings::calm;
use super::*;

/// A mistake: in words, what is changed of a calm study, and the beginning of each line that is said.
struct Mistake<'a> {
    name: &'a str,
    changes: &'a str,
    said: Vec<&'a str>,
}

/// `#` and words, a line of changes, and a line for each error or warning, farther in; none for what is allowed.
fn mistakes() -> Vec<Mistake<'static>> {
    let mut mistakes: Vec<Mistake<'_>> = Vec::new();
    for line in include_str!("mistakes.txt").lines() {
        match (line.strip_prefix("# "), mistakes.last_mut()) {
            (Some(name), _) => mistakes.push(Mistake {
                name,
                changes: "",
                said: Vec::new(),
            }),
            (None, Some(last)) if line.starts_with(' ') => last.said.push(line.trim_start()),
            (None, Some(last)) => last.changes = line,
            (None, None) => panic!("a line without a mistake: {line}"),
        }
    }
    mistakes
}

/// All that is said of a study, an error or a warning a line.
fn said(study: &Value) -> Vec<String> {
    match check(&study.to_string(), &around()) {
        Ok(checked) => {
            let warnings = checked.warnings.iter();
            warnings.map(|it| format!("warning {it}")).collect()
        }
        Err(problems) => {
            let problems = problems.iter();
            problems.map(|it| format!("error {it}")).collect()
        }
    }
}

#[test]
fn each_mistake_is_an_error_a_warning_or_allowed_as_the_table_says() {
    let mistakes = mistakes();
    assert!(mistakes.len() >= 78, "{}", mistakes.len());
    let mut wrong = String::new();
    for Mistake {
        name,
        changes,
        said: expected,
    } in mistakes
    {
        let mut study = calm();
        change(&mut study, changes);
        let found = said(&study);
        let fits = found.len() == expected.len()
            && found
                .iter()
                .zip(&expected)
                .all(|(found, expected)| found.starts_with(expected));
        if !fits {
            let found: Vec<String> = found.iter().map(|it| format!("    {it}\n")).collect();
            wrong += &format!("# {name}\n{changes}\n{}", found.concat());
        }
    }
    assert!(wrong.is_empty(), "these are said otherwise:\n{wrong}");
}
