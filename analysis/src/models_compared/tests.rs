//! Made-up models, whose numbers are known.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::numbers::rounded;
use crate::table::TableCell;

fn people(metric: Metric, values: &[f64]) -> PeopleValues {
    let values = values.iter().enumerate().map(|(i, v)| (i + 1, *v));
    PeopleValues {
        metric,
        values: values.collect(),
    }
}

fn score(key: &str, better: Direction) -> ScoreColumn {
    ScoreColumn {
        key: key.to_owned(),
        head: key.to_uppercase(),
        better,
        from: ScoreSource::Codes,
    }
}

/// The completion rates and error AUCs of three people with a model, and its two scores.
type Numbers = ([f64; 3], [f64; 3], f64, Option<f64>);

/// Models of one data set.
fn compared(of: &[Numbers]) -> ModelsCompared {
    let models = of
        .iter()
        .enumerate()
        .map(|(place, (rates, areas, up, down))| {
            let people = vec![
                people(Metric::CompletionRate, rates),
                people(Metric::ErrorAuc, areas),
            ];
            ComparedModel {
                name: format!("made-up-m{place}"),
                data: "Made up".to_owned(),
                people,
                scores: vec![Some(*up), *down],
                // Two numbers of "up" differ from 0.1 on; of "down" nothing is known.
                smallest: vec![Some(0.1), None],
            }
        });
    ModelsCompared {
        simulated: true,
        people_from: "Simulated people.".to_owned(),
        scores: vec![
            score("up", Direction::Higher),
            score("down", Direction::Lower),
        ],
        models: models.collect(),
        notes: Vec::new(),
    }
}

fn six() -> ModelsCompared {
    compared(&[
        ([0.1, 0.2, 0.0], [90.0, 80.0, 85.0], 0.10, Some(0.9)),
        ([0.2, 0.3, 0.4], [70.0, 75.0, 60.0], 0.30, Some(0.7)),
        ([0.4, 0.4, 0.5], [50.0, 52.0, 55.0], 0.20, Some(0.8)),
        ([0.6, 0.5, 0.7], [45.0, 40.0, 42.0], 0.50, None),
        ([0.8, 0.9, 0.6], [30.0, 35.0, 20.0], 0.40, Some(0.3)),
        ([1.0, 0.9, 1.0], [10.0, 12.0, 15.0], 0.60, Some(0.1)),
    ])
}

/// ```python
/// from scipy.stats import spearmanr  # 1.17.1
/// rate = [.1, .3, 1.3/3, .6, 2.3/3, 2.9/3]
/// print(spearmanr(rate, [.1, .3, .2, .5, .4, .6]).statistic)  # 0.8857142857142859
/// without = [r for i, r in enumerate(rate) if i != 3]
/// print(-spearmanr(without, [.9, .7, .8, .3, .1]).statistic)  # 0.8999999999999998
/// ```
#[test]
fn correlations_are_those_of_scipy_and_turned_so_that_more_is_better() {
    let found = six().correlations(1);
    assert_eq!((found.len(), found[0].models), (1, 6));
    let rho = |metric, score| found[0].find(metric, score).unwrap().rho.unwrap();
    for metric in [Metric::CompletionRate, Metric::ErrorAuc] {
        assert!((rho(metric, "up") - 0.885_714_285_714_285_9).abs() < 1e-12);
        assert!((rho(metric, "down") - 0.9).abs() < 1e-12);
    }
    let down = found[0].find(Metric::ErrorAuc, "down").unwrap();
    assert_eq!(down.models, 5);
    // Nobody has a time.
    let none = found[0].find(Metric::ResponseTimeS, "up").unwrap();
    assert_eq!((none.rho, none.models), (None, 0));
}

#[test]
fn intervals_hold_the_correlation_and_are_wider_over_models() {
    let found = six().correlations(1);
    let of = found[0].find(Metric::CompletionRate, "up").unwrap();
    let (rho, people, models) = (
        of.rho.unwrap(),
        of.over_people.unwrap(),
        of.over_models.unwrap(),
    );
    for interval in [people, models] {
        assert!(interval.low <= rho && rho <= interval.high, "{interval:?}");
    }
    assert!(models.high - models.low > people.high - people.low);
    assert_eq!(found, six().correlations(1));
}

#[test]
fn three_models_have_no_interval_over_models_and_the_page_says_why() {
    let mut all = six();
    all.models.truncate(3);
    let found = all.correlations(1);
    let of = found[0].find(Metric::CompletionRate, "up").unwrap();
    assert!(of.rho.is_some() && of.over_people.is_some());
    assert_eq!(of.over_models, None);
    // Of six orders two are the same or the reverse.
    let words = all.words(&found[0]).join(" ");
    assert!(
        words.contains("3 models have 6 orders") && words.contains("33.3 %"),
        "{words}"
    );
    assert!(words.contains("No interval over models"), "{words}");
    assert!(words.contains("simulated") && words.contains("Nothing here is called significant"));
    all.models.truncate(2);
    let found = all.correlations(1);
    assert!(found[0].correlations.iter().all(|c| c.rho.is_none()));
    assert_eq!(found[0].largest, []);
    assert!(all.words(&found[0])[0].contains("no correlation is given"));
}

#[test]
fn scores_that_say_nothing_still_reach_high_correlations() {
    let found = six().correlations(1);
    // One of the two scores is there for all six models, the other for one less.
    let largest = &found[0].largest;
    let sizes: Vec<_> = largest
        .iter()
        .map(|it| (it.models, it.correlations))
        .collect();
    assert_eq!(sizes, [(6, 2), (5, 2)]);
    let words = six().words(&found[0]).join(" ");
    for of in largest {
        assert!((0.3..0.95).contains(&of.by_chance), "{of:?}");
        let said = format!(
            "over {} models is {}. Where the scores said nothing about people, the largest would still be {}",
            of.models,
            rounded(of.found, 2),
            rounded(of.by_chance, 2)
        );
        assert!(words.contains(&said), "{words}");
    }
}

#[test]
fn tables_have_every_model_and_number() {
    let all = six();
    let table = &all.tables()[0];
    assert_eq!(
        (table.name.as_str(), table.columns.len()),
        ("models-made-up", 9)
    );
    let text = table.to_markdown();
    assert!(
        text.contains("| m0 | m1 |") && text.contains("0.10 ± 0.08"),
        "{text}"
    );
    // A score that a model lacks.
    assert!(
        text.contains("|  | DOWN | ↓ | 0.90 | 0.70 | 0.80 | – |"),
        "{text}"
    );
    let correlations = all.correlations(1);
    let csv = all.correlations_table(&correlations).to_csv();
    assert_eq!(csv.lines().count(), 1 + 4);
    assert!(
        csv.starts_with("data_set,score,metric,models,rho,"),
        "{csv}"
    );
    let values = all.values_table().to_csv();
    // Six models, two metrics and two scores each, one of which is not there.
    assert_eq!(values.lines().count(), 1 + 6 * 4 - 1);
    let shown = all.correlation_tables(&correlations)[0].to_markdown();
    assert!(
        shown.contains("0.89 p \\[") && shown.contains("m \\["),
        "{shown}"
    );
}

#[test]
fn a_model_without_another_of_its_data_is_left_out_and_named() {
    let mut all = six();
    all.models[0].data = "Alone".to_owned();
    all.keep_comparable();
    assert_eq!(all.data_sets(), ["Made up"]);
    assert!(all.notes[0].contains("made-up-m0"), "{:?}", all.notes);
}

/// The scores "up" of the six are 0.1, 0.3, 0.2, 0.5, …, each known to 0.1.
#[test]
fn differences_are_judged_by_both_cards() {
    let mut all = six();
    all.models[1].smallest[0] = Some(0.3);
    let found = all.differences();
    let between = |score: &str, first: &str, second: &str| {
        let mut each = found.iter();
        let own = |it: &&Difference| {
            it.score == score && it.first.ends_with(first) && it.second.ends_with(second)
        };
        each.find(own).unwrap()
    };
    // math.sqrt((.1**2 + .3**2) / 2) = 0.22360679774997896
    let wide = between("up", "m0", "m1");
    assert!((wide.smallest.unwrap() - 0.223_606_797_749_978_96).abs() < 1e-15);
    assert!((wide.difference - 0.2).abs() < 1e-15);
    assert_eq!(wide.within_noise, Some(true));
    // Both cards say 0.1, and so does the pair.
    let narrow = between("up", "m0", "m3");
    assert!((narrow.smallest.unwrap() - 0.1).abs() < 1e-15);
    assert_eq!(narrow.within_noise, Some(false));
    // Nothing is known of the other score.
    assert_eq!(between("down", "m0", "m1").within_noise, None);
    // 15 pairs of six models, and ten of the five that have the other score.
    assert_eq!(found.len(), 15 + 10);
}

#[test]
fn what_is_within_noise_is_grey_and_says_so() {
    let all = six();
    let table = &all.difference_tables()[0];
    assert_eq!(table.name, "model-differences-made-up");
    let best = table.rows[0]
        .iter()
        .position(|cell| *cell == TableCell::text("best"));
    assert!(best.is_some_and(|at| at >= 4), "{:?}", table.rows[0]);
    let faint = |row: usize| {
        table.rows[row]
            .iter()
            .filter(|it| matches!(it, TableCell::Faint(_)))
    };
    assert_eq!(faint(1).count(), 0, "nothing is known of it");
    let near = all.differences();
    let of_best: Vec<&Difference> = near
        .iter()
        .filter(|it| it.score == "up" && it.within_noise == Some(true))
        .collect();
    assert!(
        table.notes[0].contains(&format!(
            "15 are known to be within noise or not: {} are",
            of_best.len()
        )),
        "{}",
        table.notes[0]
    );
    // Where all are alike, all but the best are grey.
    let mut alike = six();
    for (place, model) in alike.models.iter_mut().enumerate() {
        model.scores[0] = Some(0.5 + 0.01 * place as f64);
    }
    let table = &alike.difference_tables()[0];
    let html = table.to_html("");
    assert_eq!(
        html.matches("<span class=\"faint\">≈ ").count(),
        5,
        "{html}"
    );
    let latex = table.to_latex();
    assert!(
        latex.contains("\\usepackage{xcolor}") && latex.contains("\\textcolor{gray}{$\\approx$ "),
        "{latex}"
    );
    assert!(table.to_markdown().contains("≈ "));
    // The number itself is in the CSV.
    let csv = alike.differences_table().to_csv();
    assert_eq!(csv.lines().count(), 1 + 15 + 10);
    assert!(csv.lines().nth(1).unwrap().ends_with(",yes"), "{csv}");
    assert!(!table.to_csv().contains('≈'));
}
