//! Questions with the same start and target, and models, which sessions have in common.

use domain::lanes::{LaneQuestion, Lanes, Span};
use domain::session::plan::SessionPlan;

use crate::route::Common;
use crate::text::text;

/// A question that a session has begun.
#[derive(Debug, Clone, PartialEq)]
pub struct Begun {
    /// Its name; none for a task whose questions have no start and target.
    pub question: Option<String>,
    /// Its model.
    pub model: String,
    /// The words that it is called by: its number and its stage.
    pub called: String,
    /// From when to when it is shown, in milliseconds since the session's start: to the moment before it left the screen.
    pub span: Span,
}

/// The questions that a session has begun, in order. One that is still on screen ends with the session's clock.
pub fn begun(plan: &SessionPlan, lanes: &Lanes) -> Vec<Begun> {
    let one = |lane: &LaneQuestion| {
        let stage = plan.stages.get(lane.at.stage)?;
        let words = &text().beside;
        let posed = stage.task.posed(lane.at.question);
        let from_ms = lane.from_ms;
        let last_ms = lane
            .left_ms
            .map_or(lanes.end_ms(), |left_ms| left_ms.saturating_sub(1));
        let to_ms = last_ms.max(from_ms);
        Some(Begun {
            question: posed.map(|it| it.name()),
            model: stage.task.subject(None).to_owned(),
            called: if lane.practice {
                words.practice_question(lane.number, &stage.id)
            } else {
                words.question(lane.number, &stage.id)
            },
            span: Span { from_ms, to_ms },
        })
    };
    lanes.questions().iter().filter_map(one).collect()
}

/// The span that is shown of a session: its first time on the question, or all of its questions about the model. None
/// where it has begun none.
pub fn span(begun: &[Begun], common: &Common) -> Option<Span> {
    match common {
        Common::Question(name) => {
            let mut all = begun.iter();
            let first = all.find(|it| it.question.as_ref() == Some(name))?;
            Some(first.span)
        }
        Common::Model(name) => {
            let mut mine = begun.iter().filter(|it| it.model == *name);
            let first = mine.next()?;
            let last = mine.next_back().unwrap_or(first);
            Some(Span {
                from_ms: first.span.from_ms,
                to_ms: last.span.to_ms,
            })
        }
    }
}

/// The questions and models that several sessions have in common, each as it is called in the first that has it:
/// questions first, in its order. The more sessions have it, the further in front.
pub fn options(sessions: &[Vec<Begun>]) -> Vec<(Common, String)> {
    let mut found: Vec<(Common, String)> = Vec::new();
    let all = || sessions.iter().flatten();
    for begun in all() {
        let Some(name) = &begun.question else {
            continue;
        };
        let common = Common::Question(name.clone());
        if !found.iter().any(|(known, _)| *known == common) {
            found.push((
                common,
                format!("{}, {}", capital(&begun.called), begun.model),
            ));
        }
    }
    for begun in all() {
        let common = Common::Model(begun.model.clone());
        if !found.iter().any(|(known, _)| *known == common) {
            found.push((common, text().beside.all_of(&begun.model)));
        }
    }
    let count = |common: &Common| {
        sessions
            .iter()
            .filter(|it| span(it, common).is_some())
            .count()
    };
    found.retain(|(common, _)| count(common) > 1);
    found.sort_by_key(|(common, _)| {
        let is_model = matches!(common, Common::Model(_));
        (is_model, std::cmp::Reverse(count(common)))
    });
    found
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(question: Option<&str>, model: &str, from_ms: u64, to_ms: u64) -> Begun {
        Begun {
            question: question.map(str::to_owned),
            model: model.to_owned(),
            called: format!("question at {from_ms}"),
            span: Span { from_ms, to_ms },
        }
    }

    #[test]
    fn what_several_have_begun_is_offered() {
        let sessions = [
            vec![
                begun(Some("a"), "lines", 0, 5),
                begun(Some("b"), "lines", 6, 9),
            ],
            vec![begun(Some("b"), "lines", 2, 4), begun(None, "faces", 5, 7)],
            vec![
                begun(Some("a"), "lines", 1, 3),
                begun(Some("b"), "lines", 3, 8),
            ],
        ];
        let found = options(&sessions);
        let names: Vec<&Common> = found.iter().map(|(common, _)| common).collect();
        let question = |name: &str| Common::Question(name.to_owned());
        let model = Common::Model("lines".to_owned());
        assert_eq!(names, [&question("b"), &question("a"), &model]);
        assert_eq!(found[1].1, "Question at 0, lines");
        assert_eq!(span(&sessions[1], &question("a")), None);
        let all = Span {
            from_ms: 0,
            to_ms: 9,
        };
        assert_eq!(span(&sessions[0], &model), Some(all));
        let one = Span {
            from_ms: 2,
            to_ms: 4,
        };
        assert_eq!(span(&sessions[1], &model), Some(one));
        assert_eq!(options(&[]), Vec::new());
        assert_eq!(options(&sessions[..1]), Vec::new());
    }
}
