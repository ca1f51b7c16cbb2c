//! Tables and what they are made of, against numbers that pandas and scipy made.

use analysis::table::Table;
use analysis::{Analysis, DialRange, Label, ModelCard, Person, Rating, Trajectory, analyse};
use domain::study::Metric;
use domain::task::{Outcome, TaskKind};
use serde_json::json;

fn people() -> Vec<Person> {
    serde_json::from_str(include_str!("../people.json")).unwrap()
}

fn analysed() -> Analysis {
    let plan = json!({
        "metrics": ["completion_rate", "error_auc", "difficulty"],
        "conditions_vary": "within",
        "comparisons": [
            { "name": "lines", "conditions": ["lines-ae", "lines-vae", "lines-gt"] },
            { "name": "shapes", "conditions": ["shapes-ae", "shapes-vae", "shapes-gt"] },
        ],
        "exclusions": [{ "kind": "incomplete" }, { "kind": "marked" }],
    });
    analyse(
        people(),
        &"0".repeat(64),
        Some(serde_json::from_value(plan).unwrap()),
    )
}

fn table<'a>(tables: &'a [Table], name: &str) -> &'a Table {
    tables.iter().find(|table| table.name == name).unwrap()
}

/// The numbers of the first row whose first cell begins so.
fn row(table: &Table, begins: &str) -> Vec<(String, f64)> {
    let csv = table.to_csv();
    let mut lines = csv
        .split("\r\n")
        .map(|line| line.split(',').collect::<Vec<_>>());
    let heads = lines.next().unwrap();
    let row = lines
        .find(|line| line.iter().any(|cell| cell.starts_with(begins)))
        .unwrap();
    heads
        .iter()
        .zip(row)
        .filter_map(|(head, cell)| Some(((*head).to_owned(), cell.parse().ok()?)))
        .collect()
}

#[track_caller]
fn same(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-9 * expected.abs(),
        "{found}, not {expected}"
    );
}

/// With the people of `people.json` (numpy 2.4, pandas 3.1.1, scipy 1.17.1):
/// ```python
/// P = json.load(open("people.json"))
/// inc = [p for p in P if p["complete"] and not p["marked"]]
/// ended = lambda s: [q for q in s["questions"] if q["outcome"]]
/// def rate(qs):
///     v = [q["outcome"] == "solved" for q in qs if q["outcome"] in ("solved", "skipped")]
///     return np.mean(v) if v else np.nan
/// names = [f"lines-{m}" for m in ("ae", "vae", "gt")]
/// w = pd.DataFrame([{s["stage"]: rate(ended(s)) for s in p["stages"]} for p in inc])[names]
/// w.mean(), w.std(ddof=0); w = w.dropna()
/// x = w.to_numpy(); n, k = x.shape; g = x.mean()
/// ss_c = n*((x.mean(0)-g)**2).sum(); ss_s = k*((x.mean(1)-g)**2).sum(); ss_e = ((x-g)**2).sum()-ss_c-ss_s
/// F = (ss_c/(k-1))/(ss_e/((k-1)*(n-1))); F, stats.f.sf(F, k-1, (k-1)*(n-1))
/// [stats.ttest_rel(w[names[a]], w[names[b]]).pvalue for a, b in ((0,1),(0,2),(1,2))]
/// ```
#[test]
fn the_tables_of_metrics_and_results_have_pandas_and_scipys_numbers() {
    let found = analysed();
    let tables = found.tables(&[]);
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    let expected = [
        "metrics",
        "results-lines",
        "results-shapes",
        "pairs-lines",
        "pairs-shapes",
    ];
    let everyone = expected.map(|name| format!("{name}-everyone"));
    let expected = expected.map(str::to_owned);
    assert_eq!(names, [expected, everyone].concat());

    let results = row(table(&tables, "results-lines"), "Completion rate");
    let expected = [
        ("n", 16.0),
        ("lines_ae_mean", 0.30625),
        ("lines_ae_sd", 0.193_442_078_480_245_28),
        ("lines_vae_mean", 0.65),
        ("lines_vae_sd", 0.204_609_577_891_845_95),
        ("lines_gt_mean", 0.827_678_571_428_571_5),
        ("lines_gt_sd", 0.153_051_155_895_215_9),
        ("anova_statistic", 38.376_734_366_114_5),
        ("anova_df1", 2.0),
        ("anova_df2", 30.0),
        ("anova_p", 5.383_799_644_322_932e-9),
        ("lines_ae_vs_lines_vae_p", 1.049_646_443_783_821_9e-5),
        ("lines_ae_vs_lines_gt_p", 1.730_145_410_672_620_8e-6),
        ("lines_vae_vs_lines_gt_p", 0.008_175_744_441_411_057),
        // Holm by hand: the smallest times 3, the next times 2, the last as it is.
        (
            "lines_ae_vs_lines_vae_p_corrected",
            2.0 * 1.049_646_443_783_821_9e-5,
        ),
        (
            "lines_ae_vs_lines_gt_p_corrected",
            3.0 * 1.730_145_410_672_620_8e-6,
        ),
        (
            "lines_vae_vs_lines_gt_p_corrected",
            0.008_175_744_441_411_057,
        ),
    ];
    for (head, expected) in expected {
        let (_, value) = results.iter().find(|(found, _)| found == head).unwrap();
        same(*value, expected);
    }
    let metrics = row(table(&tables, "metrics"), "lines-ae");
    let (_, mean) = metrics
        .iter()
        .find(|(head, _)| head == "completion_rate_mean")
        .unwrap();
    same(*mean, 0.30625);

    // As it is read: rounded, the best in bold, stars for the corrected p.
    let markdown = table(&tables, "results-lines").to_markdown();
    assert!(markdown.contains("| Completion rate | 16 | 0.31 ± 0.19 | 0.65 ± 0.20 | **0.83 ± 0.15** | F(2, 30) = 38.38, p = 5e−9 |"), "{markdown}");
    assert!(
        markdown.contains("**2e−5\\*\\*\\*\\*** | **5e−6\\*\\*\\*\\*** | **0.0082\\*\\***"),
        "{markdown}"
    );
    // A metric that the study does not declare says so.
    assert!(markdown.contains("| Response time (s) ° |"), "{markdown}");
}

/// ```python
/// for p in inc:
///     for s in p["stages"]:
///         if s["stage"] == "lines-ae":
///             q = ended(s); h = (len(q)-1)//2
///             if h: first.append(np.mean([a["response_time_s"] for a in q[:h]]))
///             if h: last.append(np.mean([a["response_time_s"] for a in q[len(q)-h:]]))
/// len(first), np.mean(first), stats.sem(first), np.mean(last), stats.sem(last)
/// ```
#[test]
fn the_first_and_the_last_questions_have_pandas_numbers() {
    let found = analysed();
    let row = found
        .included
        .halves
        .iter()
        .find(|row| row.condition == "lines-ae" && row.metric == Metric::ResponseTimeS);
    let row = row.unwrap();
    assert_eq!((row.first.n, row.last.n), (16, 16));
    same(row.first.mean, 42.894_791_666_666_66);
    same(row.first.standard_error.unwrap(), 6.895_391_079_935_541);
    same(row.last.mean, 55.217_708_333_333_334);
    same(row.last.standard_error.unwrap(), 9.636_366_394_485_693);
}

/// A card's numbers stand beside the model that people saw, and beside no other.
#[test]
fn cards_are_found_by_name_and_weights() {
    let found = analysed();
    let model = &found.included.comparisons[0].conditions[0].models[0];
    let card = |weights: &str| ModelCard {
        name: model.name.clone(),
        weights_sha256: weights.to_owned(),
        squared_error: Some(6.5),
        dci: None,
        mig: None,
        mutual_information: None,
    };
    let heads = |cards: &[ModelCard]| {
        let tables = found.tables(cards);
        let columns = table(&tables, "metrics").columns.iter();
        columns.map(|column| column.key.clone()).collect::<Vec<_>>()
    };
    assert!(heads(&[card(&model.weights_sha256)]).contains(&"squared_error".to_owned()));
    assert!(!heads(&[card("other")]).contains(&"squared_error".to_owned()));
}

/// Two people, one stage each; expected numbers counted by hand.
#[test]
fn labels_ratings_dimensions_and_paths_are_counted() {
    let mut people = people();
    people.truncate(2);
    for (index, person) in people.iter_mut().enumerate() {
        person.stages.truncate(1);
        person.complete = true;
        person.agreed = Some(true);
        let stage = &mut person.stages[0];
        "only".clone_into(&mut stage.stage);
        stage.task = TaskKind::Reconstruction;
        stage.dials_have_names = true;
        stage.dials = vec![
            DialRange {
                min: 0.0,
                max: 2.0,
                discrete: false
            };
            2
        ];
        stage.labels = vec![Label {
            dial: 0,
            text: "tilt".to_owned(),
        }];
        if index == 1 {
            stage.labels.push(Label {
                dial: 1,
                text: "=size|".to_owned(),
            });
        }
        stage.ratings = vec![Rating {
            item: "strategy.plan".to_owned(),
            text: "I had a plan.".to_owned(),
            low: 1.0,
            high: 5.0,
            value: 2.0 + 2.0 * index as f64,
        }];
        stage.questions.truncate(2);
        for (nth, question) in stage.questions.iter_mut().enumerate() {
            question.outcome = Some(Outcome::Solved);
            question.response_time_s = 2.0;
            question.dimension = Some(0);
            question.options = Some(3);
            question.right = Some(nth == 0 || index == 1);
            question.path = Some(Trajectory {
                seconds: vec![0.0, 1.0],
                distance: vec![0.8, 0.2 * (1.0 + index as f64)],
                z: vec![vec![0.0, 1.0], vec![2.0, 1.0]],
            });
        }
    }
    let found = analyse(people, "ab", None);
    let sample = &found.included;
    let labels: Vec<_> = sample
        .labels
        .iter()
        .map(|row| (row.dial, row.people, row.labels.clone()))
        .collect();
    assert_eq!(
        labels,
        [
            (0, 2, vec![("tilt".to_owned(), 2)]),
            (1, 2, vec![("=size|".to_owned(), 1)])
        ]
    );
    // 2 and 4: mean 3, population deviation 1, standard error √2/√2 = 1.
    let rating = sample.ratings[0].rating;
    assert_eq!((rating.n, rating.mean, rating.sd_population), (2, 3.0, 1.0));
    same(rating.standard_error.unwrap(), 1.0);
    // 1 of 2 and 2 of 2 right.
    let right = &sample.dimensions[0];
    assert_eq!((right.right.mean, right.chance), (0.75, 1.0 / 3.0));
    // At 1 s: 0.2, 0.2, 0.4, 0.4.
    let at = sample.over_time[0]
        .at
        .iter()
        .find(|at| at.second == 1.0)
        .unwrap();
    assert_eq!((at.open, at.quartile_1, at.quartile_3), (4, 0.2, 0.4));
    assert_eq!(sample.typical[0].among, 4);
    let funnel: Vec<_> = found.funnel.iter().map(|step| step.people).collect();
    assert_eq!(funnel, [2, 2, 2, 2, 2]);

    let to_code = found.coding_file().unwrap().to_csv();
    let to_code: Vec<&str> = to_code.lines().collect();
    assert_eq!(
        to_code,
        [
            "condition,dial,label,given_by,coder_1,coder_2",
            "only,1,tilt,2,,",
            "only,2,'=size|,1,,",
        ]
    );
    let tables = found.tables(&[]);
    let labels = table(&tables, "labels-2-dials");
    assert!(
        labels.to_csv().contains("only,2 (continuous),“=size|”,1,2"),
        "{}",
        labels.to_csv()
    );
    assert!(
        labels.to_markdown().contains("“=size\\|”"),
        "{}",
        labels.to_markdown()
    );
}
