//! What is computed of models without people: from their cards, and from codes that are kept beside them.

use analysis::{ScoreColumn, ScoreSource};
use measures::inputs::Need;
use measures::list::MEASURES;
use measures::measure::{Direction, Measure, Request, Score};
use models::{Bundle, Card};

use super::CompareOptions;
use crate::config::Config;
use crate::kept_codes::KeptCodes;
use crate::progress::Progress;

/// Scores of models.
pub struct Scored {
    /// What they are.
    pub columns: Vec<ScoreColumn>,
    /// For each model a score for each column.
    pub of_models: Vec<Vec<Option<f64>>>,
    /// For each of them the smallest difference between two models that means anything; none where none is kept.
    pub smallest: Vec<Vec<Option<f64>>>,
    /// What is not there, and why.
    pub notes: Vec<String>,
}

/// A score that cards have.
struct CardScore {
    key: &'static str,
    head: &'static str,
    better: Direction,
    of: fn(&Card) -> Option<f64>,
    /// The measure that gives the score, and its name there; none where no measure does.
    measured: Option<(&'static str, &'static str)>,
}

const CARD_SCORES: [CardScore; 4] = [
    CardScore {
        key: "squared_error",
        head: "Squared error",
        better: Direction::Lower,
        of: |card| card.held_out.as_ref().map(|found| found.squared_error),
        measured: None,
    },
    CardScore {
        key: "card_mig",
        head: "MIG (card)",
        better: Direction::Higher,
        of: |card| card.disentanglement.as_ref()?.mig,
        measured: Some(ON_CARDS[0]),
    },
    CardScore {
        key: "card_dci",
        head: "DCI (card)",
        better: Direction::Higher,
        of: |card| Some(card.disentanglement.as_ref()?.dci),
        measured: Some(ON_CARDS[1]),
    },
    CardScore {
        key: "card_dci_as_published",
        head: "DCI as published (card)",
        better: Direction::Higher,
        of: |card| Some(card.disentanglement.as_ref()?.dci_as_published),
        measured: None,
    },
];

/// Scores that cards have under another name: they are not computed a second time, from fewer rows.
pub const ON_CARDS: [(&str, &str); 2] = [("mig", "mig"), ("dci", "disentanglement")];

/// Whether a measure can be computed from codes and what is true of the same rows, or was changed in them.
pub fn reads_codes_alone(measure: &Measure) -> bool {
    let given = [
        Need::Codes,
        Need::Labels,
        Need::Task,
        Need::ChangedCodes,
        Need::ChangedFactor,
    ];
    measure.needs.contains(&Need::Codes) && measure.needs.iter().all(|need| given.contains(need))
}

/// The scores of all models. Scores that no model has are left out.
///
/// # Errors
/// When kept codes cannot be read.
pub fn scored(
    config: &Config,
    bundles: &[&Bundle],
    about: &CompareOptions,
) -> anyhow::Result<Scored> {
    let computed: Vec<(&'static Measure, &'static Score)> = MEASURES
        .iter()
        .filter(|measure| reads_codes_alone(measure))
        .flat_map(|measure| measure.scores.iter().map(move |score| (*measure, score)))
        .collect();
    let on_cards = CARD_SCORES.iter().map(|score| ScoreColumn {
        key: score.key.to_owned(),
        head: score.head.to_owned(),
        better: score.better,
        from: ScoreSource::Card,
    });
    let from_codes = computed.iter().map(|(measure, score)| ScoreColumn {
        key: key(measure, score),
        head: head(measure, score),
        better: score.direction,
        from: ScoreSource::Codes,
    });
    let mut columns: Vec<ScoreColumn> = on_cards.chain(from_codes).collect();
    let (mut of_models, mut smallest) = (Vec::new(), Vec::new());
    let (mut without, mut no_bounds, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let progress = Progress::counting("models measured", Some(bundles.len()));
    for bundle in bundles {
        let card = bundle.card();
        let mut scores: Vec<Option<f64>> = CARD_SCORES.iter().map(|it| (it.of)(card)).collect();
        match KeptCodes::of(config, bundle)? {
            Some(kept) => {
                scores.extend(of_codes(&kept, card, &computed, about));
                let bounds = bounds(&kept, &computed, about);
                // Those of cards are of all rows, however many are asked for.
                if bounds[CARD_SCORES.len()..].iter().all(Option::is_none) {
                    no_bounds.push(bundle.name());
                }
                smallest.push(bounds);
            }
            None => {
                without.push(bundle.name());
                scores.extend(computed.iter().map(|_| None));
                smallest.push(vec![None; scores.len()]);
            }
        }
        of_models.push(scores);
        progress.one_more();
    }
    if !without.is_empty() {
        notes.push(format!("No codes are kept of {}.", without.join(", ")));
    }
    notes.extend(unknown_bounds(&no_bounds, about));
    notes.push(format!(
        "Scores from codes are of the first {} held-out rows, those of cards of 10,000; MIG and DCI's disentanglement are \
         not computed where a card has them. MIG, DCI, SAP and modularity read the values of factors, the others classes: \
         a factor with more than ten values is cut into quarters.",
        about.rows
    ));
    let has = |place: usize| of_models.iter().any(|scores| scores[place].is_some());
    let there: Vec<bool> = (0..columns.len()).map(has).collect();
    let mut places = there.iter();
    columns.retain(|_| places.next().copied().unwrap_or(false));
    for scores in of_models.iter_mut().chain(&mut smallest) {
        let mut places = there.iter();
        scores.retain(|_| places.next().copied().unwrap_or(false));
    }
    Ok(Scored {
        columns,
        of_models,
        smallest,
        notes,
    })
}

/// The smallest differences that are kept: of the scores of cards, and of those from codes.
fn bounds(
    kept: &KeptCodes,
    computed: &[(&'static Measure, &'static Score)],
    about: &CompareOptions,
) -> Vec<Option<f64>> {
    let rows = kept.about.rows;
    let of = |measure: &str, score: &str, rows: usize| {
        let found = kept.smallest.as_ref();
        found.and_then(|found| found.of(measure, score, rows))
    };
    // Scores of cards are of all rows.
    let on_cards = CARD_SCORES.iter().map(|card_score| {
        let (measure, score) = card_score.measured?;
        of(measure, score, rows)
    });
    let from_codes = computed.iter();
    let from_codes =
        from_codes.map(|(measure, score)| of(measure.name, score.name, about.rows.min(rows)));
    on_cards.chain(from_codes).collect()
}

/// What is to be said where no smallest difference is known; nothing where all are.
fn unknown_bounds(models: &[&str], about: &CompareOptions) -> Option<String> {
    (!models.is_empty()).then(|| {
        format!(
            "Which differences mean anything is not known of {} for scores of {} rows: `redial --models DIR measure cards \
             --keep --rows {}` keeps it beside codes.",
            models.join(", "),
            about.rows,
            about.rows
        )
    })
}

/// The scores of one model from its codes; none for what is on its card, not defined, or refused.
fn of_codes(
    kept: &KeptCodes,
    card: &Card,
    computed: &[(&'static Measure, &'static Score)],
    about: &CompareOptions,
) -> Vec<Option<f64>> {
    let request = Request {
        seed: about.compare_seed,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        ..Request::default()
    };
    let mut outcome: Option<(&str, Option<_>)> = None;
    let mut scores = Vec::with_capacity(computed.len());
    for (measure, score) in computed {
        if outcome
            .as_ref()
            .is_none_or(|(name, _)| *name != measure.name)
        {
            let inputs = kept.inputs(measure, about.rows);
            let ran = measure
                .can_run(&inputs)
                .then(|| measure.run(&inputs, &request));
            outcome = Some((measure.name, ran.and_then(Result::ok)));
        }
        let known =
            card.disentanglement.is_some() && ON_CARDS.contains(&(measure.name, score.name));
        let found = outcome.as_ref().and_then(|(_, ran)| ran.as_ref());
        scores.push(
            found
                .filter(|_| !known)
                .and_then(|ran| ran.value(score.name)),
        );
    }
    scores
}

/// A name in columns: the measure's, and the score's where the measure has several.
fn key(measure: &Measure, score: &Score) -> String {
    let of = measure.name.replace('-', "_");
    if score.name.starts_with(&of) {
        score.name.to_owned()
    } else if measure.scores.len() == 1 {
        of
    } else {
        format!("{of}_{}", score.name)
    }
}

/// A name for readers, short enough for a figure.
fn head(measure: &Measure, score: &Score) -> String {
    if measure.scores.len() == 1 || score.title.chars().any(char::is_uppercase) {
        score.title.to_owned()
    } else {
        format!("{} {}", measure.name.to_uppercase(), score.title)
    }
}
