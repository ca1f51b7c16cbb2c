//! A study with made-up people in a database: their logs go through a server like anybody's.

use std::path::Path;
use std::process::Stdio;

use domain::movement::{Direction, Movement};
use domain::questionnaire::{Answer, ItemKind, Questionnaire};
use domain::session::event::{Author, Consented, EVENT_FORMAT, Envelope, Event, PageInfo};
use domain::session::plan::SessionPlan;
use domain::session::{Phase, Session};
use domain::task::reconstruction::{self, Snapshot};
use domain::task::{Now, SimulationContext, TaskPlan};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha20Rng;
use serde_json::{Value, json};

use crate::program::Program;

/// Name of the study.
pub const STUDY: &str = "curves";

/// Everybody turns the dials of three models of curves, then judges those of one.
pub fn study() -> Value {
    let ease = json!([{ "kind": "difficulty" }, { "block": "strategy" }]);
    let stage = |model: &str| {
        let mut parts = vec![json!({
            "kind": "stage", "id": format!("curves-{model}"),
            "task": { "kind": "reconstruction", "model": format!("sinelines-{model}5"), "questions": 5, "rename_dials": true },
        })];
        parts.extend(ease.as_array().unwrap().clone());
        json!({ "kind": "group", "parts": parts })
    };
    let models = ["ae", "vae", "gt"].map(stage);
    json!({
        "format": 2,
        "id": STUDY,
        "title": "Curves",
        "parts": [
            { "kind": "consent", "file": "consent.md", "investigator": "I", "contact": "c@example.org", "duration_minutes": 10 },
            { "kind": "group", "order": "random", "parts": models },
            { "kind": "stage", "id": "exemplars-gt", "task": {
                "kind": "single_dimension", "model": "sinelines-gt5", "visualisation": "exemplars",
                "questions_per_dimension": 2, "feedback": false } },
        ],
        "analysis": {
            "metrics": ["completion_rate", "response_time_s", "error_auc", "difficulty"],
            "conditions_vary": "within",
            "comparisons": [{ "name": "curves", "conditions": ["curves-ae", "curves-vae", "curves-gt"] }],
            "exclusions": [{ "kind": "incomplete" }],
            "people": 30,
        },
        "seed": 3,
    })
}

/// Writes the study's folder, serves it, and lets people take part; each fourth leaves after
/// some time. The server is stopped.
pub fn run_study(folder: &Path, people: u64) {
    let studies = folder.join("studies");
    std::fs::create_dir_all(studies.join(STUDY)).unwrap();
    std::fs::write(studies.join(STUDY).join("study.json"), study().to_string()).unwrap();
    std::fs::write(studies.join(STUDY).join("consent.md"), "# Consent\n").unwrap();
    let mut server = Program::start(folder, |command| {
        // The background's verification finds that distances are made up, and says so.
        command.arg("--studies").arg(&studies).stderr(Stdio::null());
    });
    for index in 0..people {
        take_part(&server, index);
    }
    server.terminate();
    assert!(server.ended().is_some());
}

/// Somebody takes part.
pub fn take_part(server: &Program, index: u64) {
    take_part_by(server, index, json!({}));
}

/// Somebody takes part who comes by a link with these parameters.
pub fn take_part_by(server: &Program, index: u64, link: Value) {
    let attempt = json!({ "attempt": format!("made-up-person-{index:08}"), "link": link });
    let started = server.start_session(STUDY, &attempt);
    let mut log = MadeUp::new(started.plan.clone(), index).log();
    if index % 4 == 3 {
        log.truncate(log.len() * 2 / 3);
    }
    let path = api::routes::events(&started.plan.session);
    for events in log.chunks(400) {
        let batch = json!({ "events": events });
        let (status, body) = server
            .request("POST", &path, Some(&started.token), Some(&batch))
            .unwrap();
        assert_eq!(status, 200, "{body}");
    }
}

/// A person who is better at some models than at others. Distances are made up, not decoded.
struct MadeUp {
    session: Session,
    rng: ChaCha20Rng,
    log: Vec<Envelope>,
    skill: f64,
}

impl MadeUp {
    fn new(plan: SessionPlan, seed: u64) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let skill = rng.random_range(-0.12..0.12);
        Self {
            session: Session::new(plan),
            rng,
            log: Vec::new(),
            skill,
        }
    }

    fn log(mut self) -> Vec<Envelope> {
        let page = PageInfo::default();
        self.push(100, Event::PageOpened { page });
        loop {
            match self.session.phase() {
                Phase::Consent => self.push(5_000, Event::ConsentGiven(Consented::default())),
                Phase::Instructions { part } => self.push(5_000, Event::InstructionsRead { part }),
                Phase::Tutorial { .. } => self.push(5_000, Event::TutorialFinished),
                Phase::StageIntro { stage } => self.push(2_000, Event::StageStarted { stage }),
                Phase::Ready(at) => self.push(500, Event::QuestionStarted { at }),
                Phase::Question(at) => {
                    let stage = self.session.plan().stages[at.stage].clone();
                    match &stage.task {
                        TaskPlan::Reconstruction(plan) => self.reconstruct(plan, at.question),
                        task => {
                            let simulation = SimulationContext {
                                practice: stage.practice,
                                person: None,
                                movements: 3,
                            };
                            let asked = self.session.running().unwrap();
                            let now = Now {
                                at_ms: self.session.last_ms(),
                                clock: &asked.clock,
                                outcome: asked.outcome,
                                verdict: None,
                            };
                            let done = task.simulate(
                                None,
                                at.question,
                                &asked.state,
                                &now,
                                &simulation,
                                &mut self.rng,
                            );
                            for (wait, event) in done {
                                self.push(wait + 1_500, Event::Task(event));
                            }
                        }
                    }
                }
                Phase::Questionnaire { .. } => {
                    let page = self.session.questionnaire().unwrap().clone();
                    let event = self.answer(&page);
                    self.push(4_000, event);
                }
                Phase::Complete => return self.log,
                other => panic!("{other:?}"),
            }
        }
    }

    fn ease(&self, model: &str) -> f64 {
        let ease: f64 = match model {
            "sinelines-ae5" => 0.3,
            "sinelines-vae5" => 0.5,
            _ => 0.8,
        };
        (ease + self.skill).clamp(0.05, 0.95)
    }

    fn reconstruct(&mut self, plan: &reconstruction::Plan, question: usize) {
        let ease = self.ease(&plan.model.name);
        let solves = self.rng.random_bool(ease);
        let dials = plan.model.latent.dimensions();
        let mut movement = Movement::start(plan.questions[question].start.clone());
        let mut distance: f64 = 0.95;
        self.snapshot(0, &movement, distance);
        let steps = self.rng.random_range(30..if solves { 90 } else { 160 });
        for step in 0..steps {
            let dial = if step % 6 == 0 {
                self.rng.random_range(0..dials.len())
            } else {
                movement.dimension.unwrap_or(0)
            };
            let (min, max) = dials[dial].interval().unwrap();
            let to = movement.z[dial] + (max - min) * self.rng.random_range(-0.08..0.1);
            let to = dials[dial].snap(to.clamp(min, max));
            let direction = Direction::of(to - movement.z[dial]);
            movement.elapsed_ms += 350;
            if direction.is_some() {
                movement.direction = direction;
                movement.dimension = Some(dial);
                movement.z[dial] = to;
            }
            distance = (distance + self.rng.random_range(-0.04..0.03)).clamp(0.15, 1.0);
            self.snapshot(350, &movement, distance);
        }
        if plan.rename_dials && question == 0 {
            self.rename(ease, dials.len());
        }
        let end = if solves {
            movement.elapsed_ms += 350;
            self.snapshot(350, &movement, 0.05);
            reconstruction::Event::Solved
        } else {
            // Nobody can skip before T seconds of activity.
            while !self.session.can_skip(self.session.last_ms() + 350) {
                movement.elapsed_ms += 350;
                self.snapshot(350, &movement, distance);
            }
            reconstruction::Event::Skipped
        };
        self.push(350, end.into());
        if solves {
            self.push(800, reconstruction::Event::MovedOn.into());
        }
    }

    fn rename(&mut self, ease: f64, dials: usize) {
        let names = ["slope", "up and down", "height of waves", "=waves", "shift"];
        for dimension in 0..dials {
            if self.rng.random_bool(ease) {
                let name = names[dimension % names.len()].to_owned();
                self.push(
                    200,
                    reconstruction::Event::DialRenamed { dimension, name }.into(),
                );
            }
        }
    }

    fn answer(&mut self, page: &Questionnaire) -> Event {
        let model = self.session.plan().stages.iter().rev().find(|stage| {
            self.session
                .records()
                .iter()
                .any(|record| record.stage_id == stage.id)
        });
        let last = self
            .session
            .records()
            .last()
            .map(|record| record.model.clone());
        let ease = self.ease(
            last.as_deref()
                .or(model.map(|m| m.id.as_str()))
                .unwrap_or(""),
        );
        let mut answers = page.sample_answers();
        for item in &page.items {
            let near = |low: f64, high: f64, at: f64, rng: &mut ChaCha20Rng| {
                (low + (high - low) * at + rng.random_range(-1.0..1.0))
                    .round()
                    .clamp(low, high) as i64
            };
            let answer = match &item.answer {
                ItemKind::Scale { min, max, .. } => {
                    Answer::Number(near(*min as f64, *max as f64, 1.0 - ease, &mut self.rng))
                }
                ItemKind::Matrix { points, rows, .. } => Answer::Rows {
                    rows: rows
                        .iter()
                        .map(|row| {
                            (
                                row.id.clone(),
                                near(1.0, points.len() as f64, ease, &mut self.rng),
                            )
                        })
                        .collect(),
                },
                _ => continue,
            };
            answers.insert(item.id.clone(), answer);
        }
        Event::QuestionnaireAnswered {
            questionnaire: page.id.clone(),
            answers,
            time_over: false,
        }
    }

    fn snapshot(&mut self, wait_ms: u64, movement: &Movement, distance: f64) {
        let snapshot = Snapshot {
            movement: movement.clone(),
            distance,
            squared_error: distance * 400.0,
        };
        self.push(wait_ms, reconstruction::Event::Snapshot(snapshot).into());
    }

    fn push(&mut self, wait_ms: u64, event: Event) {
        let envelope = Envelope {
            format: EVENT_FORMAT,
            session: self.session.plan().session.clone(),
            author: Author::Participant,
            seq: self.session.next_seq(),
            at_ms: self.session.last_ms() + wait_ms,
            event,
        };
        self.session.apply(&envelope).unwrap();
        self.log.push(envelope);
    }
}
