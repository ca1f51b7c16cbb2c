//! Made-up people, with everything that figures show. They are no simulation of anybody:
//! numbers are drawn from simple distributions by a generator with a seed.

use std::collections::BTreeMap;

use analysis::{DialRange, Label, Person, QuestionResult, Rating, StageData, Trajectory};
use domain::questionnaire::Score;
use domain::study::Metric;
use domain::task::{Outcome, TaskKind};

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    /// Uniform in [0, 1).
    pub fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About normal: the sum of twelve.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }
}

fn question() -> QuestionResult {
    QuestionResult {
        outcome: None,
        response_time_s: 0.0,
        active_time_s: 0.0,
        away_s: 0.0,
        metrics: BTreeMap::new(),
        first_touched: Vec::new(),
        right: None,
        dimension: None,
        options: None,
        item: None,
        naming: None,
        path: None,
    }
}

fn reconstruction(random: &mut Random, ease: f64) -> QuestionResult {
    let solved = random.share() < 0.15 + 0.6 * ease;
    let time = (if solved { 18.0 } else { 48.0 }) * (random.normal() * 0.4).exp();
    let mut path = Trajectory::default();
    let (mut at, mut z) = (0.0, vec![0.0; 5]);
    let mut distance: f64 = 0.9;
    while at < time {
        path.seconds.push(at);
        path.distance.push(distance);
        path.z.push(z.clone());
        at += 0.3 + random.share();
        let dial = (random.share() * 5.0) as usize;
        z[dial] = (z[dial] + random.normal() * 0.5).clamp(-1.0, 1.0);
        distance = (distance + random.normal() * 0.07 - 0.02 * ease).clamp(0.12, 1.0);
    }
    path.seconds.push(time);
    path.distance.push(if solved { 0.08 } else { distance });
    path.z.push(z);
    let auc = time * (2_000.0 - 1_200.0 * ease) * (0.6 + 0.8 * random.share());
    QuestionResult {
        outcome: Some(if solved {
            Outcome::Solved
        } else {
            Outcome::Skipped
        }),
        response_time_s: time,
        active_time_s: time * 0.9,
        metrics: BTreeMap::from([
            (Metric::SlideDistance, time * 0.12),
            (Metric::ErrorAuc, auc),
            (Metric::ErrorAucPresent, auc),
        ]),
        path: Some(path),
        ..question()
    }
}

fn single_dimension(random: &mut Random, dimension: usize, ease: f64) -> QuestionResult {
    let right = random.share() < 0.34 + 0.5 * ease * (1.0 - dimension as f64 * 0.12);
    let rating = |random: &mut Random| (3.2 + ease + random.normal()).round().clamp(1.0, 5.0);
    QuestionResult {
        outcome: Some(Outcome::Answered),
        response_time_s: 15.0 * (random.normal() * 0.5).exp(),
        active_time_s: 12.0,
        right: Some(right),
        metrics: BTreeMap::from([
            (Metric::Confidence, rating(random)),
            (Metric::Understanding, rating(random)),
        ]),
        dimension: Some(dimension),
        options: Some(3),
        ..question()
    }
}

fn rating(item: &str, text: &str, high: f64, value: f64) -> Rating {
    let low = if high > 10.0 { 0.0 } else { 1.0 };
    Rating {
        item: item.to_owned(),
        text: text.to_owned(),
        low,
        high,
        value: value.round().clamp(low, high),
    }
}

fn stage(random: &mut Random, task: TaskKind, name: &str, model: &str, ease: f64) -> StageData {
    let skill = random.normal() * 0.1;
    let ease = (ease + skill).clamp(0.0, 1.0);
    let reconstructs = task == TaskKind::Reconstruction;
    let questions = if reconstructs {
        (0..5)
            .map(|q| reconstruction(random, (ease + 0.04 * f64::from(q)).min(1.0)))
            .collect()
    } else {
        (0..10)
            .map(|q| single_dimension(random, q / 2, ease))
            .collect()
    };
    let words = ["thickness", "tilt", "nothing", "width", "rotate"];
    let mut labels = Vec::new();
    for dial in 0..5 {
        let (given, other) = (random.share() < ease, random.share() < 0.2);
        if given {
            let text = words[(dial + usize::from(other)) % 5].to_owned();
            labels.push(Label { dial, text });
        }
    }
    let load = 14.0 - 7.0 * ease;
    StageData {
        stage: name.to_owned(),
        model: model.to_owned(),
        weights_sha256: String::new(),
        threshold: Some(0.1),
        task,
        place: 0,
        goes_on: false,
        staircase: None,
        skip_after_s: reconstructs.then_some(30.0),
        questions,
        scores: BTreeMap::from([(
            Metric::Score(Score::Difficulty),
            (6.5 - 3.0 * ease + random.normal() * 0.8)
                .round()
                .clamp(1.0, 7.0),
        )]),
        dials: vec![
            DialRange {
                min: -1.0,
                max: 1.0,
                discrete: false
            };
            5
        ],
        dials_have_names: reconstructs,
        labels: if reconstructs { labels } else { Vec::new() },
        ratings: vec![
            rating(
                "tlx.mental_demand",
                "How mentally demanding was the task?",
                20.0,
                load + random.normal() * 2.0,
            ),
            rating(
                "tlx.effort",
                "How hard did you have to work to accomplish your level of performance?",
                20.0,
                load + random.normal() * 3.0,
            ),
            rating(
                "tlx.frustration",
                "How insecure, discouraged, irritated, stressed and annoyed were you?",
                20.0,
                load + random.normal() * 3.0,
            ),
            rating(
                "strategy.understood",
                "I understood what many of the dimensions meant.",
                5.0,
                1.5 + 3.0 * ease + random.normal() * 0.6,
            ),
        ],
    }
}

fn person(stages: Vec<StageData>, complete: bool) -> Person {
    Person {
        study_sha256: "0".repeat(64),
        complete,
        excluded: None,
        over_quota: false,
        marked: false,
        agreed: Some(true),
        answers: std::collections::BTreeMap::new(),
        stages,
    }
}

/// Everybody meets three models, with the one task or the other.
pub fn within(people: usize) -> Vec<Person> {
    let mut random = Random(7);
    (0..people)
        .map(|index| {
            let (task, group) = if index % 2 == 0 {
                (TaskKind::Reconstruction, "interactive")
            } else {
                (TaskKind::SingleDimension, "exemplars")
            };
            let mut stages: Vec<StageData> = [("ae", 0.15), ("vae", 0.45), ("gt", 0.8)]
                .into_iter()
                .map(|(model, ease)| {
                    let name = format!("{group}-sinelines-{model}");
                    stage(
                        &mut random,
                        task,
                        &name,
                        &format!("sinelines-{model}5"),
                        ease,
                    )
                })
                .collect();
            let complete = random.share() > 0.12;
            if !complete {
                let from = 1 + (random.share() * 2.0) as usize;
                for stage in &mut stages[from..] {
                    stage.questions.clear();
                    stage.scores.clear();
                    stage.ratings.clear();
                }
            }
            person(stages, complete)
        })
        .collect()
}

/// Everybody meets one of seven models.
pub fn between(people: usize) -> Vec<Person> {
    let mut random = Random(11);
    let models = ["ae5", "vae5", "ig5", "tc5", "ss5", "ae10", "ss10"];
    (0..people)
        .map(|index| {
            let model = models[index % 7];
            let ease = [0.05, 0.2, 0.35, 0.5, 0.9, 0.1, 0.85][index % 7];
            let name = format!("mnist-{model}");
            person(
                vec![stage(
                    &mut random,
                    TaskKind::Reconstruction,
                    &name,
                    &name,
                    ease,
                )],
                true,
            )
        })
        .collect()
}
