//! The table of sessions: its rows are those of the export, whoever may not know who somebody is learns nothing of it,
//! and what is kept of it is thrown away once it is out of date.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use api::research::{Act, Role, SessionTable};
use api::{ErrorCode, SessionStarted, routes};
use domain::session::event::SessionId;
use serde_json::{Value, json};
use server::export::layout::{ExportHalf, csv};
use server::export::{ExportOptions, SessionSelection, session_columns};
use sha2::{Digest, Sha256};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

use super::{Area, Shows};
use crate::app::{App, STUDY, identifying, log_of};

impl Area {
    async fn owner() -> (Self, Shows) {
        let area = Self::new().await;
        area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
        let shows = area.sign_in("ada").await;
        (area, shows)
    }

    async fn asked_for(&self, query: &str, shows: &Shows) -> crate::app::AppResponse {
        let path = format!("{}?{query}", routes::research_sessions(STUDY));
        self.get(&path, shows).await
    }

    async fn table(&self, query: &str, shows: &Shows) -> SessionTable {
        self.asked_for(query, shows).await.json()
    }

    /// A participant who has done a part of everything, with a code.
    async fn done(&self, number: usize, share: f64) -> SessionStarted {
        let attempt = format!("{number:016}");
        let started = self.app.start_as(&attempt, &format!("CODE-{number}")).await;
        let log = log_of(&started);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss
        )]
        let end = (log.len() as f64 * share) as usize;
        if end > 0 {
            self.app.append(&started, &log[..end]).await;
        }
        started
    }

    /// A new server on the same database, which was changed by hand.
    async fn changed(self, statement: &str) -> Self {
        let Self { app, clock } = self;
        app.state.storage.close().await;
        if !statement.is_empty() {
            let options = SqliteConnectOptions::new().filename(app.file());
            let mut connection = options.foreign_keys(false).connect().await.unwrap();
            let statement = AssertSqlSafe(statement.to_owned());
            let done = sqlx::query(statement).execute(&mut connection).await;
            assert!(done.unwrap().rows_affected() > 0);
            connection.close().await.unwrap();
        }
        let app = App::on(app.folder, app.setup).await;
        Self { app, clock }
    }

    /// The file of summaries.
    fn kept(&self) -> PathBuf {
        let folder = self.app.folder.path().join("data/test.db-summaries");
        let files: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
        assert_eq!(files.len(), 1);
        files.into_iter().next().unwrap().unwrap().path()
    }
}

/// A column of a page.
fn column(table: &SessionTable, name: &str) -> Vec<String> {
    let place = table.shown.iter().position(|it| it == name).unwrap();
    let cells = table.rows.iter().map(|row| row.values[place].clone());
    cells.map(Option::unwrap_or_default).collect()
}

fn all_columns() -> String {
    let names: Vec<&str> = session_columns().iter().map(|it| it.name).collect();
    names.join(",")
}

#[tokio::test]
async fn a_row_is_that_of_the_export() {
    let (area, shows) = Area::owner().await;
    for (number, share) in [
        (1, 1.0),
        (2, 0.5),
        (3, 1.0),
        (4, 1.0),
        (5, 1.0),
        (6, 0.0),
        (7, 1.0),
    ] {
        area.done(number, share).await;
    }
    let sessions = area.app.stored().await;
    area.app
        .state
        .sessions
        .exclude(&sessions[2].id, true, "a child took part".to_owned())
        .await
        .unwrap();
    let area = area
        .changed("UPDATE events SET envelope = 'x' || envelope WHERE seq = 7 AND session = (SELECT id FROM sessions WHERE ordinal = 4)")
        .await
        .changed("UPDATE assignments SET purpose = CASE ordinal WHEN 5 THEN 'pilot' ELSE 'simulated' END WHERE ordinal IN (5, 7)")
        .await
        .changed("UPDATE sessions SET completion_code = 'SECRET77' WHERE ordinal = 1")
        .await;
    // Simulated people are never beside people by themselves.
    let table = area.table("columns=purpose&sort=ordinal", &shows).await;
    let without = column(&table, "purpose");
    assert_eq!((without.len(), table.matching), (6, 6));
    assert!(!without.contains(&"simulated".to_owned()), "{without:?}");
    let query = format!(
        "columns={}&sort=ordinal&filter=purpose%3Dparticipant%7Cpilot%7Csimulated",
        all_columns()
    );
    let table = area.table(&query, &shows).await;
    assert_eq!((table.all, table.matching, table.rows.len()), (7, 7, 7));
    assert!(table.problems.is_empty(), "{:?}", table.problems);

    let mut options = identifying();
    options.selection = SessionSelection::All.into();
    let out = area.app.export_of(STUDY, options).await;
    let mut reader = csv_of(&out.join(csv(STUDY, ExportHalf::Raw, "sessions")));
    let names: Vec<String> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    // Each row of the area leads to its replay by itself.
    let (link, listed) = names.split_last().unwrap();
    assert_eq!(link, "replay");
    assert_eq!(table.shown, listed);
    let mut exported = BTreeMap::new();
    for row in reader.records() {
        let row: Vec<String> = row.unwrap().iter().map(str::to_owned).collect();
        exported.insert(row[0].clone(), row);
    }
    assert_eq!(exported.len(), 6, "the damaged one has no row in an export");
    let mut standings = Vec::new();
    for row in &table.rows {
        let id = row.session.clone().unwrap().0;
        let values = row
            .values
            .iter()
            .map(|cell| cell.clone().unwrap_or_default());
        let values: Vec<String> = values.collect();
        let Some(expected) = exported.get(&id) else {
            assert!(
                row.problems[0].contains("event 7 of the participant"),
                "{row:?}"
            );
            let filled: Vec<&str> = names
                .iter()
                .zip(&values)
                .filter(|(_, it)| !it.is_empty())
                .map(|(name, _)| &**name)
                .collect();
            assert_eq!(
                filled,
                ["session", "study", "ordinal", "purpose", "order_row"]
            );
            continue;
        };
        let (link, expected) = expected.split_last().unwrap();
        assert_eq!(&values[..], expected);
        assert_eq!(*link, routes::replay_page(STUDY, &SessionId(id.clone())));
        assert!(row.problems.is_empty());
        standings.push(values[names.iter().position(|it| it == "standing").unwrap()].clone());
    }
    assert_eq!(
        standings,
        [
            "counted",
            "unfinished",
            "excluded",
            "no_data",
            "unfinished",
            "counted"
        ]
    );
    assert_eq!(
        column(&table, "purpose")[4..],
        ["pilot", "participant", "simulated"]
    );
    assert_eq!(column(&table, "completion_code")[0], "SECRET77");
    // What was shown can say who somebody is, and that is noted; nothing else is.
    let acts = area.acts().await;
    let identified = acts.iter().filter(|it| it.1 == Act::Identified);
    assert_eq!(identified.count(), 1);
    let usual = area.table("", &shows).await;
    assert!(usual.columns.iter().any(|it| it.name == "participant_code"));
    assert!(!usual.shown.iter().any(|it| it == "participant_code"));
    assert_eq!(area.acts().await.len(), acts.len());
}

fn csv_of(path: &std::path::Path) -> csv::Reader<std::fs::File> {
    csv::Reader::from_path(path).unwrap()
}

#[tokio::test]
async fn a_viewer_learns_of_nobody_who_they_are() {
    let (area, owner) = Area::owner().await;
    area.add("vi", false, &[(STUDY, Role::Viewer, false)]).await;
    let viewer = area.sign_in("vi").await;
    let started = area.done(1, 1.0).await;
    let code: Value = area.app.complete(&started).await.json();
    let code = code["code"].as_str().unwrap().to_owned();
    let known = area
        .table("columns=participant_code,completion_code", &owner)
        .await;
    assert_eq!(column(&known, "participant_code"), ["CODE-1"]);
    assert_eq!(
        column(&known, "completion_code"),
        std::slice::from_ref(&code)
    );
    let names: Vec<&str> = session_columns()
        .iter()
        .filter(|it| !it.identifying)
        .map(|it| it.name)
        .collect();
    for query in [String::new(), format!("columns={}", names.join(","))] {
        let answer = area.asked_for(&query, &viewer).await;
        let table: SessionTable = answer.json();
        assert_eq!(table.rows.len(), 1);
        assert!(table.columns.iter().all(|it| !it.identifying));
        for secret in ["CODE-1", &code, "participant_code", "consent_signature"] {
            // It is named in the meaning of another column, which says nothing of anybody.
            let rows = serde_json::to_string(&(&table.rows, &table.shown)).unwrap();
            assert!(!rows.contains(secret), "{secret}: {rows}");
        }
        assert!(!answer.text().contains("CODE-1") && !answer.text().contains(&code));
    }
    for query in [
        "columns=participant_code",
        "sort=participant_code",
        "filter=participant_code=CODE-1",
        "columns=no_such",
    ] {
        let refused = area
            .asked_for(query, &viewer)
            .await
            .refused(ErrorCode::Malformed);
        let there = refused.message.split("there are: ").nth(1).unwrap();
        let there: Vec<&str> = there.split(", ").collect();
        assert_eq!(there, names, "{}", refused.message);
    }
    // What is kept in the file says it to nobody, either.
    let kept = std::fs::read_to_string(area.kept()).unwrap();
    assert!(!kept.contains("CODE-1") && !kept.contains(&code));
    // A new server has it from there, and reads what is missing once somebody may see it.
    let area = area.changed("").await;
    let usual = area.table("", &viewer).await;
    assert_eq!(usual.rows.len(), 1);
    let known = area.table("columns=participant_code", &owner).await;
    assert_eq!(column(&known, "participant_code"), ["CODE-1"]);
}

#[tokio::test]
async fn rows_come_in_the_order_and_the_pages_that_are_asked_for() {
    let (area, shows) = Area::owner().await;
    for number in 1..=12 {
        area.pass(1_500);
        area.done(number, if number % 3 == 0 { 0.3 } else { 1.0 })
            .await;
    }
    let ordinals = async |query: &str| {
        column(
            &area
                .table(&format!("columns=ordinal&{query}"), &shows)
                .await,
            "ordinal",
        )
    };
    assert_eq!(ordinals("").await[..2], ["12", "11"], "the newest first");
    assert_eq!(
        ordinals("sort=ordinal").await[8..],
        ["9", "10", "11", "12"],
        "as numbers"
    );
    assert_eq!(
        ordinals("sort=created_at_utc&rows=2").await,
        ["1", "2"],
        "whole seconds and fractions"
    );
    // Those under way have no time of completion: they come last, in whichever direction.
    for sort in ["completed_at_utc", "-completed_at_utc"] {
        assert_eq!(
            ordinals(&format!("sort={sort}")).await[8..],
            ["3", "6", "9", "12"],
            "{sort}"
        );
    }
    let page = area
        .table("sort=ordinal&rows=5&page=2&columns=ordinal", &shows)
        .await;
    assert_eq!(
        (page.matching, column(&page, "ordinal")),
        (12, vec!["11".to_owned(), "12".to_owned()])
    );
    let beyond = area.table("rows=5&page=4000000000", &shows).await;
    assert_eq!((beyond.matching, beyond.rows.len()), (12, 0));
    for (filter, expected) in [
        ("standing%3Dunfinished", vec!["3", "6", "9", "12"]),
        ("standing%3Dunfinished%7Cended;ordinal%3E6", vec!["9", "12"]),
        ("completed_at_utc%3D;ordinal%3C7", vec!["3", "6"]),
        ("ordinal%3D2%7C4.0", vec!["2", "4"]),
        ("phase~COMPL;ordinal%3C3", vec!["1", "2"]),
        ("created_at_utc%3C2020-01-01", vec![]),
    ] {
        assert_eq!(
            ordinals(&format!("sort=ordinal&filter={filter}")).await,
            expected,
            "{filter}"
        );
    }
    for (bad, said) in [
        ("sort=age", "there is no column 'age'; there are: session, "),
        ("filter=standing", "is no condition"),
        (
            "filter=ordinal%3Cmany",
            "'ordinal' is compared with a number, not with 'many'",
        ),
        ("filter=standing%3Ca", "compare it with = or ~"),
        ("filter=created_at_utc%3E5pm", "a time such as"),
        ("filter=included%3Dyes", "true or false"),
        ("filter=ordinal%3E", "lacks what is compared with"),
        ("rows=0", "1 to 200 rows"),
        ("rows=201", "1 to 200 rows"),
        ("page=-1", "page"),
        ("colour=red", "colour"),
    ] {
        let refused = area
            .asked_for(bad, &shows)
            .await
            .refused(ErrorCode::Malformed);
        assert!(refused.message.contains(said), "{bad}: {}", refused.message);
    }
}

/// The file with another text in the place of one, as if it had been written so.
fn rewritten(kept: &PathBuf, old: &str, new: &str) -> String {
    let text = std::fs::read_to_string(kept).unwrap();
    let (head, lines) = text.split_once('\n').unwrap();
    assert!(lines.contains(old));
    let lines = lines.replace(old, new);
    let mut head: Value = serde_json::from_str(head).unwrap();
    head["sha256"] = json!(server::secrets::hex(&Sha256::digest(&lines)));
    format!("{head}\n{lines}")
}

#[tokio::test]
async fn what_is_kept_is_used_while_it_is_of_now_and_never_by_exports() {
    let (area, shows) = Area::owner().await;
    for number in 1..=3 {
        area.done(number, 0.6).await;
    }
    let phases = async |area: &Area| {
        column(
            &area.table("columns=phase&sort=ordinal", &shows).await,
            "phase",
        )
    };
    let true_phases = phases(&area).await;
    let wrong = rewritten(
        &area.kept(),
        &format!("\"{}\"", true_phases[1]),
        "\"made_up\"",
    );
    std::fs::write(area.kept(), wrong).unwrap();
    // It is read where it has what is asked for.
    let area = area.changed("").await;
    assert!(phases(&area).await.contains(&"made_up".to_owned()));
    let out = area.app.export_of(STUDY, ExportOptions::new("")).await;
    let exported =
        std::fs::read_to_string(out.join(csv(STUDY, ExportHalf::Raw, "sessions"))).unwrap();
    assert!(!exported.contains("made_up"));
    // A log that grows, a line of the ledger that changes, an exclusion: the row is made again.
    let second = area.app.stored().await[1].id.clone();
    area.app
        .state
        .sessions
        .exclude(&second, true, "why".to_owned())
        .await
        .unwrap();
    assert_eq!(phases(&area).await[1], true_phases[1]);
    let reasons = area
        .table("columns=exclusion_reasons,events&sort=ordinal", &shows)
        .await;
    assert!(column(&reasons, "exclusion_reasons")[1].contains("why"));
    let area = area
        .changed("UPDATE assignments SET purpose = 'pilot' WHERE ordinal = 1")
        .await;
    let purposes = area
        .table("columns=purpose,events&sort=ordinal", &shows)
        .await;
    assert_eq!(
        column(&purposes, "purpose"),
        ["pilot", "participant", "participant"]
    );
    // Garbage, a cut, another version of the program: thrown away.
    let whole = std::fs::read_to_string(area.kept()).unwrap();
    let other =
        rewritten(&area.kept(), "small", "small").replacen("\"code\":\"", "\"code\":\"0", 1);
    let flipped = whole.replacen(&true_phases[2], "made_up", 1);
    assert_ne!(flipped, whole);
    let mut area = area;
    for text in [
        "",
        "{}\n",
        "garbage\u{0}",
        &whole[..whole.len() / 2],
        &other,
        &flipped,
    ] {
        std::fs::write(area.kept(), text).unwrap();
        area = area.changed("").await;
        assert_eq!(phases(&area).await, true_phases);
        assert_eq!(
            area.table("columns=purpose&sort=ordinal", &shows)
                .await
                .matching,
            3
        );
    }
    std::fs::remove_dir_all(area.kept().parent().unwrap()).unwrap();
    assert_eq!(phases(&area).await, true_phases);
    let area = area.changed("").await;
    assert_eq!(phases(&area).await, true_phases);
    assert!(area.kept().is_file(), "it was made again");
}

#[tokio::test]
async fn of_an_erased_session_nothing_is_kept() {
    let (area, shows) = Area::owner().await;
    let first = area.done(1, 1.0).await;
    area.done(2, 1.0).await;
    assert_eq!(area.table("", &shows).await.all, 2);
    let name = first.plan.session.0.clone();
    assert!(
        std::fs::read_to_string(area.kept())
            .unwrap()
            .contains(&name)
    );
    assert_eq!(area.app.erase(&first).await.status, 200);
    assert!(
        !area
            .app
            .folder
            .path()
            .join("data/test.db-summaries")
            .exists()
    );
    let table = area.table("columns=ordinal", &shows).await;
    assert_eq!(
        (table.all, column(&table, "ordinal")),
        (1, vec!["2".to_owned()])
    );
    // A server that is started later keeps the others alone.
    let area = area.changed("").await;
    assert_eq!(area.table("", &shows).await.all, 1);
    assert!(
        !std::fs::read_to_string(area.kept())
            .unwrap()
            .contains(&name)
    );
}

/// How long pages take, printed: `cargo test -- --nocapture`.
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_sessions_come_a_page_at_a_time() {
    let (area, shows) = Area::owner().await;
    area.done(1, 0.1).await;
    let copies = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) ";
    let id = "printf('%032d', i)";
    let area = area.changed(&format!("INSERT INTO sessions (id, study, study_sha256, ordinal, seed, attempt, token_sha256, participant_code, created_at, phase, log_len) {copies} SELECT {id}, study, study_sha256, i, seed, 'copy ' || i, token_sha256, 'C' || i, created_at + i, phase, 0 FROM sessions, n")).await
        .changed(&format!("INSERT INTO plans (session, format, plan, targets, models, keys) {copies} SELECT {id}, format, plan, targets, models, keys FROM plans, n")).await;
    let began = Instant::now();
    let mut table = area.table("", &shows).await;
    println!(
        "first page: {:?}, of which {} sessions are not read yet",
        began.elapsed(),
        table.all - table.matching
    );
    while !table.problems.is_empty() {
        assert!(
            table.matching < 1_000 && table.problems[0].contains("still being read"),
            "{:?}",
            table.problems
        );
        assert_eq!(table.missing, table.all - table.matching);
        table = area.table("", &shows).await;
    }
    println!("all read: {:?}", began.elapsed());
    assert_eq!(table.missing, 0);
    assert_eq!(
        (table.all, table.matching, table.rows.len()),
        (1_000, 1_000, 50)
    );
    for sort in ["ordinal", "-created_at_utc", "participant_code", "phase"] {
        let began = Instant::now();
        area.table(&format!("sort={sort}"), &shows).await;
        println!("by {sort}: {:?}", began.elapsed());
    }
    // One of an earlier run of the server.
    let area = area.changed("").await;
    let began = Instant::now();
    let table = area.table("", &shows).await;
    println!("after a restart: {:?}", began.elapsed());
    assert_eq!(table.matching, 1_000);
}
