//! Figures for Prometheus, of a server that people take part at.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;

use serde_json::json;
use server::monitoring::{FIGURES, Kind};

use crate::command::run;
use crate::people::{STUDY, take_part_by};
use crate::platform_command::prepare;
use crate::program::Program;

/// The values of a text of Prometheus's, by name and labels as they stand there.
fn values(text: &str) -> BTreeMap<String, f64> {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let value = |line: &str| {
        let (name, value) = line.rsplit_once(' ').unwrap();
        (name.to_owned(), value.parse().unwrap())
    };
    lines.map(value).collect()
}

/// The answer of an address, without its head.
fn read(address: &str, path: &str) -> (u16, String) {
    let mut connection = TcpStream::connect(address).unwrap();
    write!(
        connection,
        "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    (status, body.to_owned())
}

#[test]
fn figures_say_how_the_server_does_and_name_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder, 20);
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let server = Program::start(folder, |command| {
        command.arg("--studies").arg(folder.join("studies"));
        command
            .arg("--metrics")
            .arg(free.to_string())
            .stderr(Stdio::null());
    });
    let figures = free.to_string();
    let (status, before) = read(&figures, "/metrics");
    assert_eq!(status, 200);
    let before = values(&before);
    assert_eq!(before["redial_events_acknowledged_total"], 0.0);
    assert_eq!(before["redial_storage_works"], 1.0);
    let marked = |what: &str, index: u64| format!("{what}0000000000000{index:08}");
    for index in 0..4 {
        let link = json!({ "PROLIFIC_PID": marked("aaa", index), "STUDY_ID": "60",
                           "SESSION_ID": marked("bbb", index) });
        take_part_by(&server, index, link);
    }
    let (status, _) = server
        .request("GET", "/api/sessions/nobody", None, None)
        .unwrap();
    assert_eq!(status, 404);
    let (_, text) = read(&figures, "/metrics");
    let found = values(&text);
    assert_eq!(
        found["redial_sessions_started_total{purpose=\"participant\"}"],
        4.0
    );
    // Each fourth leaves after some time.
    assert_eq!(
        found["redial_sessions_ended_total{phase=\"complete\"}"],
        3.0
    );
    assert!(found["redial_refusals_total{code=\"not_found\"}"] >= 1.0);
    // As many events, and bytes of them, as are in the database; and each batch was waited for.
    let exported = folder.join("out");
    let export = ["export", STUDY, "--out", exported.to_str().unwrap()];
    run(folder, &export).succeeds();
    let events = std::fs::read_to_string(exported.join("jsonl/raw/events.jsonl")).unwrap();
    let of_pages = events
        .lines()
        .filter(|line| line.contains("\"author\":\"participant\"") || !line.contains("\"author\""));
    assert_eq!(
        found["redial_events_acknowledged_total"],
        of_pages.count() as f64
    );
    assert!(
        found["redial_event_bytes_acknowledged_total"]
            > 100.0 * found["redial_events_acknowledged_total"]
    );
    let batches = found["redial_acknowledgement_seconds_count"];
    assert_eq!(
        found["redial_acknowledgement_seconds_bucket{le=\"+Inf\"}"],
        batches
    );
    assert!(batches >= 4.0 && found["redial_acknowledgement_seconds_sum"] > 0.0);
    assert!(found["redial_commit_seconds_count"] >= batches);
    assert_eq!(
        found["redial_commit_jobs_count"],
        found["redial_commit_seconds_count"]
    );
    assert_eq!(found["redial_commits_failed_total"], 0.0);
    // Nothing that names somebody: platform's names, sessions, addresses.
    let sessions = std::fs::read_to_string(exported.join("jsonl/raw/sessions.jsonl")).unwrap();
    let mut names = vec![
        "aaa0000".to_owned(),
        "bbb0000".to_owned(),
        "127.0.0.1".to_owned(),
        STUDY.to_owned(),
    ];
    for row in sessions.lines() {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        names.push(row["session"].as_str().unwrap().to_owned());
    }
    assert_eq!(names.len(), 8);
    for name in names {
        assert!(!text.contains(&name), "{name}: {text}");
    }
    // Each is declared, and described in the text.
    for name in found.keys() {
        let name = name.split('{').next().unwrap();
        let is_of = |figure: &server::monitoring::Figure| match figure.kind {
            Kind::Histogram => ["_bucket", "_sum", "_count"]
                .iter()
                .any(|end| name.strip_suffix(end) == Some(figure.name)),
            _ => figure.name == name,
        };
        let figure = FIGURES.iter().find(|figure| is_of(figure)).expect(name);
        let described = format!(
            "# HELP {} {}\n# TYPE {0} {}\n",
            figure.name,
            figure.about,
            figure.kind.name()
        );
        assert!(text.contains(&described), "{described}{text}");
    }
    // They are at an address of their own, and nothing else is there.
    assert_eq!(read(server.address(), "/metrics").0, 404);
    assert_eq!(read(&figures, "/").0, 404);
}

#[test]
fn the_guide_names_every_figure() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/deploying.md")).unwrap();
    let is_figure = |line: &&str| line.starts_with("| `redial_") && line.matches('|').count() == 5;
    let rows: Vec<&str> = page.lines().filter(is_figure).collect();
    let expected: Vec<String> = FIGURES
        .iter()
        .map(|figure| {
            let labels: Vec<String> = figure
                .labels
                .iter()
                .map(|label| format!("`{label}`"))
                .collect();
            format!(
                "| `{}` | {} | {} | {} |",
                figure.name,
                figure.kind.name(),
                labels.join(", "),
                figure.about
            )
        })
        .collect();
    assert_eq!(
        rows,
        expected,
        "the table should be\n{}",
        expected.join("\n")
    );
    for file in ["deploy/redial.rules.yml", "deploy/redial.dashboard.json"] {
        names_figures(file, &std::fs::read_to_string(root.join(file)).unwrap());
    }
}

/// Every figure that a file names is one.
fn names_figures(file: &str, text: &str) {
    let named = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let mut used = 0;
    for name in named.filter(|word| word.starts_with("redial_")) {
        let is_of = |figure: &server::monitoring::Figure| {
            name == figure.name
                || figure.kind == Kind::Histogram
                    && name
                        .strip_prefix(figure.name)
                        .is_some_and(|end| ["_bucket", "_sum", "_count"].contains(&end))
        };
        assert!(FIGURES.iter().any(is_of), "{name} in {file} is no figure");
        used += 1;
    }
    assert!(used >= 5);
}
