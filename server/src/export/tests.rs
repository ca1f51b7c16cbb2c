use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use domain::questionnaire::Score;
use domain::session::event::Envelope;
use domain::session::plan::SessionPlan;
use domain::session::{Phase, Session};
use domain::task::{AnswerKey, reconstruction};

use super::layout::ExportHalf;
use super::*;
use crate::analysis::study_analysis;
use crate::secrets::Token;
use crate::storage::{self, Append, InclusionDecision, NewSession, Storage, StoredSession};
use crate::system::SystemRandomness;

const PLAN: &str = include_str!("../../../domain/tests/logs/v1.plan.json");
const EVENTS: &str = include_str!("../../../domain/tests/logs/v1.events.jsonl");
/// Worked out by `domain/tests/logs/expected.py`.
const EXPECTED: &str = include_str!("../../../domain/tests/logs/v1.expected.json");

/// A database that holds the sample session of format 1, or the first `log_len` events of it.
async fn storage(folder: &Path, log_len: usize) -> Arc<dyn Storage> {
    let storage = storage::open(&storage::url_of(&folder.join("test.db")))
        .await
        .unwrap();
    let plan = serde_json::from_str(PLAN).unwrap();
    let (plan, embedded) = SessionPlan::with_instances(plan).unwrap();
    let events: Vec<Envelope> = EVENTS
        .lines()
        .take(log_len)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let id = plan.session.clone();
    let replayed = Session::new(plan.clone()).replayed(&events).unwrap();
    let stored = StoredSession {
        id: id.clone(),
        study: plan.study.clone(),
        study_sha256: "ab".repeat(32),
        ordinal: 1,
        seed: [7; 32],
        attempt: "attempt-0123456789".into(),
        attempt_spent: false,
        token: Token::new(&SystemRandomness).unwrap().hash(),
        participant_code: Some("P=1, \"one\"".into()),
        created_at_unix_ms: 1_790_000_000_000,
        keys: Arc::new(keys(&plan)),
        embedded,
        phase: "tutorial".into(),
        log_len: 0,
        completed_at_unix_ms: None,
        completion_code: None,
        plan: Arc::new(plan),
    };
    storage
        .create_session(NewSession {
            session: stored,
            study_json: Arc::from(b"{}".as_slice()),
            instances: Vec::new(),
            bundles: Vec::new(),
            one_per_code: true,
            texts: Vec::new(),
            delete_text_at_unix_ms: None,
            arrival: None,
        })
        .await
        .unwrap();
    if !events.is_empty() {
        let append = Append {
            session: id,
            events,
            own_len: 0,
            received_at_unix_ms: 1_790_000_100_000,
            phase: replayed.phase(),
            inclusion: (replayed.phase() == Phase::Complete).then(|| InclusionDecision {
                included: true,
                rules: domain::design::AssignmentRules::default(),
            }),
        };
        storage.append(append).await.unwrap();
    }
    storage
}

fn keys(plan: &SessionPlan) -> domain::session::AnswerKeys {
    let key = || {
        AnswerKey::Reconstruction(reconstruction::Key {
            target: vec![0.5, 0.5],
        })
    };
    let stages = plan.stages.iter();
    domain::session::AnswerKeys::of_questions(
        stages
            .map(|stage| (0..stage.task.question_count()).map(|_| key()).collect())
            .collect(),
    )
}

async fn exported(folder: &Path, log_len: usize) -> PathBuf {
    exported_with(folder, log_len, false).await
}

async fn exported_with(folder: &Path, log_len: usize, identifying: bool) -> PathBuf {
    let storage = storage(folder, log_len).await;
    let out = folder.join("out");
    let options = ExportOptions {
        identifying,
        ..ExportOptions::new("2026-11-21T00:00:00Z")
    };
    export(&*storage, "t", &out, &options).await.unwrap();
    out
}

/// Rows of a CSV file, by column.
fn rows(folder: &Path, table: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader =
        csv::Reader::from_path(folder.join(layout::csv("t", ExportHalf::Raw, table))).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

#[tokio::test]
async fn questions_have_the_metrics_worked_out_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let out = exported(folder.path(), usize::MAX).await;
    let expected: Vec<Value> = serde_json::from_str(EXPECTED).unwrap();
    let rows = rows(&out, "reconstruction_questions");
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.iter().zip(&expected) {
        assert_eq!(row["outcome"], expected["outcome"].as_str().unwrap());
        for (column, measure) in [
            ("response_time_s", "response_time_s"),
            ("active_time_s", "active_time_s"),
            ("slide_distance_widths", "slide_distance"),
            ("error_auc_s", "error_auc"),
        ] {
            let found: f64 = row[column].parse().unwrap();
            assert!(
                (found - expected[measure].as_f64().unwrap()).abs() < 1e-9,
                "{column}: {found}"
            );
        }
        assert_eq!(row["target_z"], "[0.5,0.5]");
    }
}

#[tokio::test]
async fn every_file_is_counted_and_every_column_explained() {
    let folder = tempfile::tempdir().unwrap();
    let out = exported(folder.path(), usize::MAX).await;
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(out.join("manifest.json")).unwrap()).unwrap();
    let mut explained = csv::Reader::from_path(out.join("dictionary.csv")).unwrap();
    let explained: Vec<BTreeMap<String, String>> =
        explained.deserialize().map(Result::unwrap).collect();
    for table in manifest["tables"].as_array().unwrap() {
        let name = table["table"].as_str().unwrap();
        let columns: Vec<&str> = explained
            .iter()
            .filter(|row| row["table"] == name)
            .map(|row| row["column"].as_str())
            .collect();
        for (part, count) in [
            (ExportHalf::Raw, "rows"),
            (ExportHalf::Included, "included_rows"),
        ] {
            let mut reader =
                csv::Reader::from_path(out.join(layout::csv("t", part, name))).unwrap();
            assert_eq!(reader.headers().unwrap(), columns, "{name}");
            assert_eq!(table[count], reader.records().count(), "{name}");
            let lines = std::fs::read_to_string(out.join(layout::jsonl(part, name))).unwrap();
            assert_eq!(table[count], lines.lines().count(), "{name}");
            let columnar = std::fs::File::open(out.join(layout::parquet(part, name))).unwrap();
            let columnar = ::parquet::file::reader::SerializedFileReader::new(columnar).unwrap();
            let about = ::parquet::file::reader::FileReader::metadata(&columnar).file_metadata();
            assert_eq!(table[count], about.num_rows(), "{name}");
            let fields = about.schema().get_fields().iter().map(|field| field.name());
            assert_eq!(fields.collect::<Vec<_>>(), columns, "{name}");
        }
    }
    for file in manifest["files"].as_array().unwrap() {
        let bytes = std::fs::read(out.join(file["file"].as_str().unwrap())).unwrap();
        assert_eq!(file["bytes"], bytes.len(), "{file}");
    }
    // Analyses depend on these names: a column may be added, none renamed.
    let questions = std::fs::read_to_string(out.join(layout::csv(
        "t",
        ExportHalf::Raw,
        "reconstruction_questions",
    )))
    .unwrap();
    let header: Vec<&str> = questions.lines().next().unwrap().split(',').collect();
    for column in [
        "session",
        "stage",
        "stage_id",
        "question",
        "model",
        "weights_sha256",
        "practice",
        "outcome",
        "threshold_distance",
        "started_at_ms",
        "response_time_s",
        "active_time_s",
        "slide_distance_widths",
        "error_auc_s",
        "start_distance",
        "end_distance",
        "best_distance",
        "snapshots",
        "dimension_switches",
        "direction_reversals",
        "display_switches",
        "renamings",
        "reloads",
        "first_touched",
        "start_z",
        "target_z",
        "end_z",
    ] {
        assert!(
            header.contains(&column),
            "{column} is missing in {header:?}"
        );
    }
    assert!(
        explained
            .iter()
            .all(|row| !row["meaning"].is_empty() && !row["type"].is_empty())
    );
}

#[tokio::test]
async fn the_exported_log_replays_and_is_stored_text() {
    let folder = tempfile::tempdir().unwrap();
    let out = exported_with(folder.path(), usize::MAX, true).await;
    let text = std::fs::read_to_string(out.join("jsonl/raw/events.jsonl")).unwrap();
    let stored: String = EVENTS
        .lines()
        .map(|line| serde_json::from_str::<Envelope>(line).unwrap())
        .map(|event| serde_json::to_string(&event).unwrap() + "\n")
        .collect();
    assert!(text == stored);
    let plan: SessionPlan =
        serde_json::from_str(&std::fs::read_to_string(out.join("materials/plans.jsonl")).unwrap())
            .unwrap();
    let events: Vec<Envelope> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        Session::new(plan).replayed(&events).unwrap().phase(),
        Phase::Complete
    );
    let snapshots = events
        .iter()
        .filter(|e| serde_json::to_string(e).unwrap().contains("\"snapshot\""))
        .count();
    assert_eq!(rows(&out, "reconstruction_snapshots").len(), snapshots);
    let session = &rows(&out, "sessions")[0];
    assert_eq!(session["participant"], "p1");
    assert_eq!(session["created_at_utc"], "2026-09-21T14:13:20Z");
    assert_eq!(
        (
            session["questions_solved"].as_str(),
            session["questions_ended"].as_str()
        ),
        ("1", "2")
    );
    let answers = rows(&out, "answers");
    assert_eq!(answers[0]["answer_number"], "6");
    assert_eq!(answers[1]["answer_text"], "Grüße, \"quoted\"");
}

#[tokio::test]
async fn typed_texts_are_withheld_and_the_log_still_replays() {
    let folder = tempfile::tempdir().unwrap();
    let out = exported(folder.path(), usize::MAX).await;
    assert_eq!(rows(&out, "sessions")[0]["participant_code"], "withheld");
    let answers = rows(&out, "answers");
    assert_eq!(answers[0]["answer_number"], "6");
    assert_eq!(answers[1]["answer_text"], "withheld");
    let typed = ["Grüße", "quoted"];
    for kind in ["jsonl", "csv"] {
        for part in ["raw", "included"] {
            for table in ["events", "answers"] {
                let file = match kind {
                    "csv" => out.join(layout::csv("t", ExportHalf::Raw, table)),
                    _ => out.join(format!("jsonl/{part}/{table}.jsonl")),
                };
                let text = std::fs::read_to_string(&file).unwrap();
                assert!(
                    typed.iter().all(|typed| !text.contains(typed)),
                    "{}",
                    file.display()
                );
            }
        }
    }
    let plan = std::fs::read_to_string(out.join("materials/plans.jsonl")).unwrap();
    let plan: SessionPlan = serde_json::from_str(&plan).unwrap();
    let log = std::fs::read_to_string(out.join("jsonl/raw/events.jsonl")).unwrap();
    let log: Vec<Envelope> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        Session::new(plan).replayed(&log).unwrap().phase(),
        Phase::Complete
    );
}

#[tokio::test]
async fn every_prefix_of_a_log_exports() {
    for log_len in [0, 1, 5, 16, 60] {
        let folder = tempfile::tempdir().unwrap();
        let out = exported(folder.path(), log_len).await;
        assert_eq!(rows(&out, "sessions")[0]["events"], log_len.to_string());
    }
}

#[tokio::test]
async fn rows_lead_to_their_moment() {
    let folder = tempfile::tempdir().unwrap();
    let storage = storage(folder.path(), usize::MAX).await;
    let out = folder.path().join("out");
    let options = ExportOptions {
        address: "https://study.example.org/lab",
        ..ExportOptions::new("2026-11-21T00:00:00Z")
    };
    export(&*storage, "t", &out, &options).await.unwrap();
    let session = rows(&out, "sessions")[0].clone();
    let page = format!(
        "https://study.example.org/lab/research/studies/t/replay/{}",
        session["session"]
    );
    assert_eq!(session["replay"], page);
    for (table, moment) in [
        ("reconstruction_questions", Some("started_at_ms")),
        ("reconstruction_dimensions", None),
        ("reconstruction_snapshots", None),
        ("answers", Some("at_ms")),
        ("events", Some("at_ms")),
    ] {
        let rows = rows(&out, table);
        assert!(!rows.is_empty(), "{table}");
        for row in rows {
            let (of, t) = row["replay"].split_once("?t=").unwrap();
            assert_eq!(of, page, "{table}");
            let ms = domain::common::moment::parse_moment(t).unwrap();
            if let Some(moment) = moment {
                assert_eq!(row[moment], ms.to_string(), "{table}");
            }
        }
    }
    // Every table has it. It is never identifying.
    let dictionary = std::fs::read_to_string(out.join("dictionary.json")).unwrap();
    let dictionary: Vec<Value> = serde_json::from_str(&dictionary).unwrap();
    assert!(dictionary.len() > 8);
    for table in dictionary {
        let columns = table["columns"].as_array().unwrap();
        let link = columns.iter().find(|it| it["column"] == "replay");
        let link = link.unwrap_or_else(|| panic!("{}", table["table"]));
        assert!(link["identifying"] == false && link["type"] == "text");
    }
}

#[tokio::test]
async fn a_folder_that_holds_something_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let storage = storage(folder.path(), 0).await;
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("mine.txt"), "mine").unwrap();
    let error = export(&*storage, "t", &out, &ExportOptions::new(""))
        .await
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(error.contains("not empty"), "{error}");
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1);
}

#[tokio::test]
async fn an_analysis_includes_complete_sessions_and_shows_all() {
    use analysis::Sample;
    use domain::study::Metric;
    let mean = |sample: &Sample, metric| {
        let found = sample.comparisons.iter().find(|c| c.metric == metric)?;
        Some(found.conditions.first()?.description.defined()?.mean)
    };
    let folder = tempfile::tempdir().unwrap();
    let complete = study_analysis(
        &*storage(folder.path(), usize::MAX).await,
        "t",
        SessionSelection::People,
    )
    .await
    .unwrap();
    assert_eq!((complete.started, complete.complete), (1, 1));
    let sample = &complete.versions[0].included;
    assert_eq!(sample.people, 1);
    assert_eq!(mean(sample, Metric::CompletionRate), Some(0.5));
    assert_eq!(mean(sample, Metric::Score(Score::Difficulty)), Some(6.0));
    // (55.0025 + 284.5) / 2
    let auc = mean(sample, Metric::ErrorAuc).unwrap();
    assert!((auc - 169.751_25).abs() < 1e-9);
    let text = complete.to_text();
    assert!(text.contains("declares no analysis"), "{text}");

    let folder = tempfile::tempdir().unwrap();
    let half = storage(folder.path(), 60).await;
    let half = study_analysis(&*half, "t", SessionSelection::People)
        .await
        .unwrap();
    assert_eq!((half.started, half.complete), (1, 0));
    let version = &half.versions[0];
    assert!(version.included.comparisons.is_empty());
    assert!(!version.everyone.comparisons.is_empty());
    // Behind who withdrew, exclusions by hand, the study's rules and quotas: the plan's first.
    assert_eq!(version.excluded[4].people, 1);
}
