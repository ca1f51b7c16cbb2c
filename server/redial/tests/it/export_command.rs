//! `redial export`: what it chooses, what it withholds, what other tools read, and the memory that
//! it takes.

use std::path::{Path, PathBuf};
use std::process::Command;

use domain::design::AssignmentRules;
use domain::session::event::Envelope;
use domain::session::{Phase, Session};
use domain::simulate::SimulatedParticipant;
use serde_json::{Value, json};
use server::export::layout::{ExportHalf, csv as csv_of, jsonl, parquet};
use server::storage::{self, Append, InclusionDecision};

use crate::command::{json_lines, run};
use crate::people::{STUDY, study};
use crate::program::Program;

/// Exports the study into a folder of this name.
pub fn exported(folder: &Path, name: &str, options: &[&str]) -> PathBuf {
    run(
        folder,
        &[&["export", STUDY, "--out", name], options].concat(),
    )
    .succeeds();
    folder.join(name)
}

/// Rows of a table.
fn rows(out: &Path, part: ExportHalf, table: &str) -> Vec<Value> {
    let lines = std::fs::read_to_string(out.join(jsonl(part, table))).unwrap();
    json_lines(&lines)
}

/// A database with this many sessions of nobody, who moves a dial `movements` times in each of 15
/// questions of reconstruction; the last session is not complete. The first and the third have the
/// same code.
pub async fn fill(folder: &Path, sessions: u64, movements: usize) {
    let code = |index| format!("Person {index}");
    fill_with(folder, study(), sessions, movements, &code).await;
}

/// The same with a study and codes of one's own.
async fn fill_with(
    folder: &Path,
    mut study: Value,
    sessions: u64,
    movements: usize,
    named: &dyn Fn(u64) -> String,
) {
    let studies = folder.join("studies").join(STUDY);
    std::fs::create_dir_all(&studies).unwrap();
    study["sessions_per_code"] = "many".into();
    std::fs::write(studies.join("study.json"), study.to_string()).unwrap();
    std::fs::write(studies.join("consent.md"), "# Consent\n").unwrap();
    let mut server = Program::start(folder, |command| {
        command.arg("--studies").arg(folder.join("studies"));
        command.stderr(std::process::Stdio::null());
    });
    let mut all = Vec::new();
    for index in 0..sessions {
        let code = if index == 2 { 0 } else { index };
        let attempt = json!({
            "attempt": format!("made-up-person-{index:08}"),
            "participant_code": named(code),
        });
        all.push(server.start_session(STUDY, &attempt).plan);
    }
    server.terminate();
    assert!(server.ended().is_some());
    let url = format!("sqlite://{}/test.db", folder.display());
    let storage = storage::open(&url).await.unwrap();
    for (seed, plan) in (0..).zip(all) {
        let mut log = SimulatedParticipant::new(plan.clone(), seed, movements);
        let mut session = Session::new(plan.clone());
        let unfinished = seed + 1 == sessions;
        loop {
            let mut events: Vec<Envelope> = log.by_ref().take(5_000).collect();
            if unfinished {
                let last = |event: &Envelope| event.event.kind() == "questionnaire_answered";
                events.truncate(events.iter().position(last).unwrap_or(events.len()));
            }
            let Some(last) = events.last() else {
                break;
            };
            let received_at_unix_ms = 1_790_000_000_000 + last.at_ms;
            for event in &events {
                session.apply(event).unwrap();
            }
            let append = Append {
                session: plan.session.clone(),
                own_len: 0,
                received_at_unix_ms,
                phase: session.phase(),
                inclusion: (session.phase() == Phase::Complete).then(|| InclusionDecision {
                    included: true,
                    rules: AssignmentRules::default(),
                }),
                events,
            };
            storage.append(append).await.unwrap();
            if unfinished {
                break;
            }
        }
        assert_eq!(session.phase() == Phase::Complete, !unfinished);
    }
    storage.close().await;
}

#[tokio::test]
async fn everybody_is_beside_those_who_count_and_nobody_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fill(here, 4, 3).await;
    let out = exported(here, "out", &[]);
    let raw = rows(&out, ExportHalf::Raw, "sessions");
    let included = rows(&out, ExportHalf::Included, "sessions");
    assert_eq!((raw.len(), included.len()), (4, 3));
    assert_eq!(raw[..3], included[..]);
    assert_eq!(raw[3]["standing"], "unfinished");
    for table in [
        "events",
        "reconstruction_questions",
        "reconstruction_snapshots",
        "answers",
    ] {
        let everybody = rows(&out, ExportHalf::Raw, table);
        let of_included = everybody.into_iter();
        let of_included: Vec<Value> = of_included
            .filter(|row| row["session"] != raw[3]["session"])
            .collect();
        assert_eq!(
            rows(&out, ExportHalf::Included, table),
            of_included,
            "{table}"
        );
    }

    let participants: Vec<&Value> = raw.iter().map(|row| &row["participant"]).collect();
    assert_eq!(participants, ["p1", "p2", "p1", "p4"]);
    let named = |out: &Path| {
        let mut named = 0;
        let mut folders = vec![out.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_none_or(|ending| ending != "parquet") {
                    let bytes = std::fs::read(&path).unwrap();
                    named += usize::from(String::from_utf8_lossy(&bytes).contains("Person 1"));
                }
            }
        }
        named
    };
    assert_eq!(named(&out), 0);
    let identifying = exported(here, "identifying", &["--identifying"]);
    // CSV and JSON Lines, of everybody and of those who count.
    assert_eq!(named(&identifying), 4);
    let codes = rows(&identifying, ExportHalf::Raw, "sessions");
    assert_eq!(codes[1]["participant_code"], "Person 1");
}

#[tokio::test]
async fn sessions_are_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fill(here, 3, 1).await;
    let all = rows(&exported(here, "all", &[]), ExportHalf::Raw, "sessions");
    let names =
        |rows: &[Value]| -> Vec<Value> { rows.iter().map(|row| row["session"].clone()).collect() };
    let chosen = |name: &str, options: &[&str]| {
        names(&rows(
            &exported(here, name, options),
            ExportHalf::Raw,
            "sessions",
        ))
    };
    let version = all[0]["study_sha256"].as_str().unwrap();
    assert_eq!(
        chosen("a", &["--study-version", &version[..8]]),
        names(&all)
    );
    assert!(chosen("b", &["--study-version", "000000"]).is_empty());
    let second = all[1]["created_at_utc"].as_str().unwrap();
    assert_eq!(chosen("c", &["--since", second]), names(&all[1..]));
    assert_eq!(chosen("d", &["--before", second]), names(&all[..1]));
    assert!(chosen("e", &["--before", "2026-01-01"]).is_empty());
    assert_eq!(chosen("f", &["--standing", "counted"]), names(&all[..2]));
    assert_eq!(
        chosen("g", &["--standing", "unfinished,excluded"]),
        names(&all[2..])
    );
    assert!(chosen("h", &["--pilot"]).is_empty());
    assert!(chosen("i", &["--simulated"]).is_empty());
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(here.join("g/manifest.json")).unwrap()).unwrap();
    assert_eq!(
        manifest["selection"]["standings"],
        json!(["unfinished", "excluded"])
    );
    for (options, said) in [
        (["--since", "yesterday"], "a date as 2026-11-21"),
        (["--standing", "good"], "one of counted"),
        (["--study-version", "xyz"], "6 to 64 digits"),
    ] {
        let args = [&["export", STUDY, "--out", "none"], &options[..]].concat();
        run(here, &args).refuses(&[said]);
        assert!(!here.join("none").exists());
    }
}

fn python(script: &str, args: &[&Path], folder: &Path) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/export")
        .join(script);
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python");
    let output = Command::new(python)
        .arg(path)
        .args(args)
        .current_dir(folder)
        .env("PYTHONPATH", source)
        .env("REDIAL_BIN", env!("CARGO_BIN_EXE_redial"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// `PYTHON` names an interpreter with pandas, polars, duckdb and pyarrow; `RSCRIPT` an Rscript.
#[tokio::test]
#[ignore = "runs Python with pandas, polars, duckdb and pyarrow, and R"]
async fn snippets_of_the_documentation_run() {
    let folder = tempfile::tempdir().unwrap();
    // People choose the first option.
    let looks_like = ["None", "NA", "null", "nan", "N/A", "TRUE", "false", "007"];
    let item = |(index, text): (usize, &&str)| {
        json!({"id": format!("item_{index}"), "text": "?", "optional": true, "answer": {
            "kind": "choice", "options": [{"id": text, "text": text}, {"id": "other", "text": "Other"}]}})
    };
    let items: Vec<Value> = looks_like.iter().enumerate().map(item).collect();
    let mut study = study();
    let parts = study["parts"].as_array_mut().unwrap();
    parts.push(json!({"kind": "questionnaire", "id": "looks", "title": "Looks", "items": items}));
    let code = |index: u64| ["007", "1e5", "Person"][index as usize % 3].to_owned();
    fill_with(folder.path(), study, 4, 3, &code).await;
    exported(folder.path(), "curves-data", &["--identifying"]);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/data.md");
    let said = python("snippets.py", &[&page, &rscript()], folder.path());
    println!("{said}");
}

/// The Rscript that `RSCRIPT` names, or the one in the path.
fn rscript() -> PathBuf {
    std::env::var_os("RSCRIPT").map_or_else(|| PathBuf::from("Rscript"), PathBuf::from)
}

/// `PYTHON` names an interpreter with pandas, scipy, statsmodels and pingouin, `RSCRIPT` an
/// Rscript with the packages that `tables.R` names.
#[test]
#[ignore = "runs Python with pandas, scipy, statsmodels and pingouin, and R"]
fn the_tables_of_the_demonstration_follow_from_its_export() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let printed = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_redial"))
            .args(args)
            .current_dir(here)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {said}");
        output.stdout
    };
    printed(&["demo", "demo"]);
    let study = "chi21-synthetic";
    let config = ["--config", "demo/redial.toml"];
    printed(&[&["export", study, "--out", "data"], &config[..]].concat());
    let numbers = printed(&[&["analyze", study, "--json"], &config[..]].concat());
    std::fs::write(here.join("numbers.json"), numbers).unwrap();
    let said = python(
        "tables.py",
        &[&here.join("data"), &here.join("numbers.json"), &rscript()],
        here,
    );
    println!("{said}");
}

/// What `read_back.py` says of an export of sessions with this many movements a question.
async fn read_back(movements: usize) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fill(here, 10, movements).await;
    let program = Path::new(env!("CARGO_BIN_EXE_redial"));
    let (database, out) = (here.join("test.db"), here.join("out"));
    let said = python("read_back.py", &[program, &database, &out], here);
    println!("{said}");
    serde_json::from_str(&said).unwrap()
}

#[tokio::test]
#[ignore = "runs Python with pandas, polars, duckdb and pyarrow"]
async fn every_snapshot_is_read_back_and_memory_does_not_grow() {
    // Of ten people nine finish: 15 questions with two snapshots more than movements.
    let little = read_back(400).await;
    assert!(little["snapshots"].as_u64().unwrap() >= 9 * 15 * 402);
    if std::env::var_os("REDIAL_LONG").is_none() {
        return;
    }
    let much = read_back(7_500).await;
    assert!(much["snapshots"].as_u64().unwrap() >= 1_000_000);
    let mib = |found: &Value| found["mib"].as_f64().unwrap();
    assert!(mib(&much) < mib(&little) * 1.2, "{little} {much}");
}

#[tokio::test]
async fn parts_have_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 1, 1).await;
    let out = exported(folder.path(), "out", &[]);
    for part in ExportHalf::ALL {
        for table in ["sessions", "events", "exploration_questions"] {
            for name in [
                csv_of(STUDY, part, table),
                jsonl(part, table),
                parquet(part, table),
            ] {
                assert!(out.join(&name).is_file(), "{name}");
            }
        }
    }
}
