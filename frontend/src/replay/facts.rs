//! The facts of a session at the moment that is shown, beside the participant's screen.

use super::window::window_size;
use domain::model::distance::Alignment;
use domain::movement::{Jump, Movement};
use domain::session::event::{Author, Envelope, Event};
use domain::session::plan::PartPlan;
use domain::session::{Phase, Session};
use domain::task::TaskEvent;

use super::clock::length;

/// A dial as it stood.
#[derive(Debug, Clone, PartialEq)]
pub struct DialFact {
    /// Its number on screen, from 1.
    pub number: usize,
    /// The name that the participant gave it.
    pub name: Option<String>,
    /// Its value.
    pub value: f64,
}

/// The known facts of a moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// Where the participant was.
    pub place: String,
    /// The last event, in words.
    pub event: String,
    /// Further facts: what they are about, and what they say.
    pub rows: Vec<(&'static str, String)>,
    /// The dials of the question on screen.
    pub dials: Vec<DialFact>,
}

/// The facts of a moment: of the session as it was, and the events until then.
#[must_use]
pub fn facts(session: &Session, events: &[Envelope], at_ms: u64) -> Facts {
    let mut facts = Facts {
        place: place(session),
        event: events
            .last()
            .map_or_else(|| "Nothing has happened yet".to_owned(), in_words),
        ..Facts::default()
    };
    if session.is_paused() {
        facts
            .rows
            .push(("Paused", "by the experimenter".to_owned()));
    }
    if let Some(size) = window_size(events) {
        let height = size.height_px;
        let height = height.map_or_else(|| "?".to_owned(), |height| height.to_string());
        facts
            .rows
            .push(("Window", format!("{} × {height} px", size.width_px)));
    }
    let Some(question) = session.running() else {
        return facts;
    };
    let Some(stage) = session.plan().stages.get(question.at.stage) else {
        return facts;
    };
    let since_ms = at_ms.saturating_sub(question.clock.started_at_ms());
    facts.rows.push(("On screen for", length(since_ms)));
    let model = stage.task.model();
    facts.rows.push(match model {
        Some(model) => ("Model", model.name.clone()),
        None => ("About", stage.task.subject(None).to_owned()),
    });
    if let Some(outcome) = question.outcome {
        facts.rows.push(("Outcome", outcome.name().to_owned()));
    }
    let Some((movement, event)) = last_movement(events) else {
        return facts;
    };
    let threshold = stage.task.threshold(question.at.question);
    if let (Some(distance), Some(threshold)) = (event.distance(), threshold) {
        let share = |distance| Alignment::at(distance, threshold).share() * 100.0;
        facts.rows.push((
            "Alignment",
            format!(
                "{:.1} % (solved at {:.1} %)",
                share(distance),
                share(threshold)
            ),
        ));
        facts.rows.push(("Distance", format!("{distance:.5}")));
    }
    if let Some(error) = event.squared_error() {
        facts.rows.push(("Squared error", format!("{error:.3}")));
    }
    let dials = stage.task.dials().into_iter().enumerate();
    facts.dials = dials
        .filter_map(|(position, index)| {
            Some(DialFact {
                number: position + 1,
                name: question.state.dial_name(index).map(str::to_owned),
                value: *movement.z.get(index)?,
            })
        })
        .collect();
    facts
}

/// The last movement of the question on screen.
fn last_movement(events: &[Envelope]) -> Option<(&Movement, &TaskEvent)> {
    for logged in events.iter().rev() {
        match &logged.event {
            Event::Task(event) => {
                if let Some(movement) = event.movement() {
                    return Some((movement, event));
                }
            }
            Event::QuestionStarted { .. } => return None,
            _ => {}
        }
    }
    None
}

/// Where the participant is, in words.
fn place(session: &Session) -> String {
    let plan = session.plan();
    let stage = |stage: usize| plan.stages.get(stage).map_or("", |stage| &stage.id);
    match session.phase() {
        Phase::Question(at) | Phase::Ready(at) => {
            let practice = plan.stages.get(at.stage).is_some_and(|it| it.practice);
            let kind = if practice {
                "Practice question"
            } else {
                "Question"
            };
            format!(
                "{kind} {} of stage “{}”",
                session.number_of(at),
                stage(at.stage)
            )
        }
        Phase::StageIntro { stage: at } => format!("Introduction to stage “{}”", stage(at)),
        Phase::TimeUp { stage: at } => format!("Stage “{}” is over", stage(at)),
        Phase::Questionnaire { part } => match plan.parts.get(part) {
            Some(PartPlan::Questionnaire { questionnaire, .. }) => {
                format!("Questionnaire “{}”", questionnaire.id)
            }
            _ => "Questionnaire".to_owned(),
        },
        Phase::Consent => "Consent form".to_owned(),
        Phase::Instructions { .. } => "Instructions".to_owned(),
        Phase::Tutorial { .. } => "Tutorial".to_owned(),
        Phase::DeviceCheck { .. } => "The device is looked at".to_owned(),
        Phase::Break { .. } => "Break".to_owned(),
        Phase::AwaitingVerdicts { .. } => "Waits for verdicts".to_owned(),
        Phase::Declined => "Did not agree to take part".to_owned(),
        Phase::Withdrawn => "Stopped taking part".to_owned(),
        Phase::DeviceUnfit => "The device does not fit".to_owned(),
        Phase::ScreenedOut => "Was screened out".to_owned(),
        Phase::Complete => "Finished".to_owned(),
    }
}

/// An event in a few words.
fn in_words(logged: &Envelope) -> String {
    let what = match &logged.event {
        Event::Task(event) => match event.movement() {
            Some(movement) => moved(movement),
            None => task_event(event),
        },
        event => event.kind().to_owned(),
    };
    let what = what.replace('_', " ");
    match logged.author {
        Author::Participant => what,
        author => format!("{what} (by the {})", author.name()),
    }
}

fn moved(movement: &Movement) -> String {
    let by = movement.by.map(|by| format!(", by {}", by.name()));
    let by = by.unwrap_or_default();
    match (movement.jump, movement.dimension) {
        (Some(Jump::Undo), _) => "the last movement was undone".to_owned(),
        (Some(Jump::Randomise), _) => "dials put to random places".to_owned(),
        (None, Some(dimension)) => {
            let value = movement.z.get(dimension).copied().unwrap_or(f64::NAN);
            format!("dimension {} moved to {value}{by}", dimension + 1)
        }
        (None, None) => "the dials stand where they start".to_owned(),
    }
}

/// The name that a task's event has in the log.
fn task_event(event: &TaskEvent) -> String {
    let written = serde_json::to_value(event).ok();
    let name = written
        .as_ref()
        .and_then(|it| it.get("event"))
        .and_then(serde_json::Value::as_str);
    name.unwrap_or(event.task().name()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::json::from_tree;
    use domain::session::plan::SessionPlan;
    use serde_json::json;

    fn logged(seq: u64, at_ms: u64, mut event: serde_json::Value) -> Envelope {
        event["format"] = json!(2);
        event["session"] = json!("s");
        event["seq"] = json!(seq);
        event["at_ms"] = json!(at_ms);
        serde_json::from_value(event).unwrap()
    }

    fn session() -> Session {
        let dial = json!({"kind": "continuous", "min": 0.0, "max": 1.0, "step": 0.01});
        let plan: SessionPlan = from_tree(json!({
            "format": 2, "session": "s", "study": "s", "study_sha256": "", "mode": "online",
            "contact": null,
            "parts": [{"kind": "stage", "stage": 0}],
            "stages": [{"id": "free", "practice": false, "task": {
                "kind": "exploration", "start": [0.5, 0.25], "rename_dials": true, "notes": false,
                "model": {
                    "name": "dials", "latent": [dial, dial],
                    "shape": {"kind": "image", "height": 1, "width": 2, "channels": 1},
                    "display": {"arrangement": "apart", "binarise_at": null, "value_range": null},
                    "distance": {"kind": "bray_curtis"}, "threshold": 0.1, "skip_after_s": 30.0,
                    "weights_sha256": "", "bundle_sha256": "",
                },
            }}],
        }))
        .unwrap();
        Session::new(plan)
    }

    #[test]
    fn dials_stand_where_the_log_says() {
        let moved = |z: serde_json::Value| {
            json!({"kind": "exploration", "task_format": 1, "event": "moved", "elapsed_ms": 100,
                "z": z, "dimension": 1, "direction": 1, "by": "mouse"})
        };
        let events = [
            logged(
                0,
                0,
                json!({"kind": "page_opened", "page": {"viewport_width_px": 1280, "viewport_height_px": 800}}),
            ),
            logged(1, 10, json!({"kind": "stage_started", "stage": 0})),
            logged(
                2,
                1_000,
                json!({"kind": "question_started", "stage": 0, "question": 0}),
            ),
            logged(3, 2_000, moved(json!([0.5, 0.73]))),
            logged(
                4,
                3_000,
                json!({"kind": "exploration", "task_format": 1, "event": "dial_renamed", "dimension": 1, "name": "slant"}),
            ),
        ];
        let mut session = session();
        let nothing = facts(&session, &[], 0);
        assert_eq!(nothing.event, "Nothing has happened yet");
        for (index, event) in events.iter().enumerate() {
            session.replay(event).unwrap();
            let found = facts(&session, &events[..=index], event.at_ms);
            if index < 3 {
                assert!(found.dials.is_empty(), "{index}");
            }
            if index == 3 {
                assert_eq!(found.event, "dimension 2 moved to 0.73, by mouse");
            }
        }
        let found = facts(&session, &events, 61_000);
        assert_eq!(found.place, "Question 1 of stage “free”");
        assert_eq!(found.event, "dial renamed");
        let dials: Vec<(usize, Option<&str>, f64)> = found
            .dials
            .iter()
            .map(|dial| (dial.number, dial.name.as_deref(), dial.value))
            .collect();
        assert_eq!(dials, [(1, None, 0.5), (2, Some("slant"), 0.73)]);
        assert!(found.rows.contains(&("Window", "1280 × 800 px".to_owned())));
        assert!(found.rows.contains(&("On screen for", "1 min".to_owned())));
    }
}
