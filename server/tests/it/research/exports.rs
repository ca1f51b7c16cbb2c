//! Exports that the server makes: jobs, parts of files, and how long they are kept.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use api::research::{Act, ExportInfo, ExportState, Exports, Role};
use api::{ErrorCode, routes};
use axum::http::Method;
use serde_json::{Value, json};
use server::export::ExportOptions;
use server::export_jobs::ExportJobs;
use server::secrets::hex;
use sha2::{Digest as _, Sha256};

use super::{Area, HOUR_MS, Shows, request, with_header};
use crate::app::{ATTEMPT, STUDY, json_lines, log_of};
use crate::system::START_MS;

mod removal;

/// A server that keeps exports, with a complete session, and somebody of a role who is signed in.
async fn area(role: Role, identifying: bool) -> (Area, Shows) {
    let area = Area::new().await;
    area.add("ada", false, &[(STUDY, role, identifying)]).await;
    let started = area.app.start_as(ATTEMPT, "Ada Lovelace").await;
    area.app.append(&started, &log_of(&started)).await;
    let shows = area.sign_in("ada").await;
    (area, shows)
}

async fn begin(area: &Area, shows: &Shows, body: Value) -> ExportInfo {
    let path = routes::research_exports(STUDY);
    area.call(Method::POST, &path, shows, Some(body))
        .await
        .json()
}

/// The export once it has ended, one way or the other.
async fn ended(area: &Area, shows: &Shows, id: &str) -> ExportInfo {
    for _ in 0..600 {
        let info: ExportInfo = area
            .get(&routes::research_export(STUDY, id), shows)
            .await
            .json();
        if matches!(info.state, ExportState::Ready | ExportState::Failed) {
            return info;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the export does not end");
}

/// The files of a ZIP archive, by their path below its one folder.
fn unpacked(bytes: Vec<u8>) -> BTreeMap<String, Vec<u8>> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = BTreeMap::new();
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).unwrap();
        let mut content = Vec::new();
        file.read_to_end(&mut content).unwrap();
        let name = file.name().unwrap();
        let (_, path) = name.split_once('/').unwrap();
        files.insert(path.to_owned(), content);
    }
    files
}

/// The files of a folder, by their path below it.
fn files_of(folder: &Path, below: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() {
            files_of(&path, &format!("{below}{name}/"), files);
        } else {
            files.insert(format!("{below}{name}"), std::fs::read(&path).unwrap());
        }
    }
}

#[tokio::test]
async fn an_export_of_the_area_is_that_of_the_command() {
    let (area, shows) = area(Role::Owner, false).await;
    let wanted = json!({ "identifying": true, "address": "https://study.example.org/" });
    let begun = begin(&area, &shows, wanted).await;
    assert_eq!(begun.by.as_deref(), Some("ada"));
    let info = ended(&area, &shows, &begun.id).await;
    assert_eq!(info.problem, None);
    assert_eq!((info.sessions_done, info.sessions_listed), (1, 1));
    let ready = info.ready.unwrap();
    assert_eq!((ready.sessions, ready.included_sessions), (1, 1));
    let path = routes::research_export_file(STUDY, &begun.id);
    let whole = area.get(&path, &shows).await;
    assert_eq!(whole.status, 200);
    assert_eq!(whole.headers["content-type"], "application/zip");
    assert!(
        whole.headers["content-disposition"]
            .to_str()
            .unwrap()
            .contains(&ready.file)
    );
    assert!(!whole.headers.contains_key("content-encoding"));
    assert_eq!(whole.bytes.len() as u64, ready.bytes);
    assert_eq!(hex(&Sha256::digest(&whole.bytes)), ready.sha256);
    // The clock of the test stands still, so that even the times are the same.
    let now = jiff::Timestamp::from_millisecond(i64::try_from(START_MS).unwrap()).unwrap();
    let now = now.to_string();
    let options = ExportOptions {
        identifying: true,
        address: "https://study.example.org",
        ..ExportOptions::new(&now)
    };
    let folder = area.app.export_of(STUDY, options).await;
    let mut by_command = BTreeMap::new();
    files_of(&folder, "", &mut by_command);
    let by_area = unpacked(whole.bytes.clone());
    assert!(by_area.len() > 10);
    assert_eq!(
        by_area.keys().collect::<Vec<_>>(),
        by_command.keys().collect::<Vec<_>>()
    );
    for (name, content) in &by_command {
        assert!(by_area[name] == *content, "{name}");
    }
    // A download that breaks off goes on where it was.
    let etag = whole.headers["etag"].to_str().unwrap();
    let part = async |range: &str, of: &str| {
        let asked = request(Method::GET, &path, &shows, None);
        let asked = with_header(with_header(asked, "range", range), "if-range", of);
        area.app.send(asked).await
    };
    let first = part("bytes=0-999", etag).await;
    let rest = part("bytes=1000-", etag).await;
    assert_eq!(
        (first.status, rest.status),
        (206.try_into().unwrap(), 206.try_into().unwrap())
    );
    assert_eq!([first.bytes, rest.bytes].concat(), whole.bytes);
    let other = part("bytes=1000-", "\"another\"").await;
    assert_eq!(
        (other.status.as_u16(), other.bytes.len()),
        (200, whole.bytes.len())
    );
    let acts: Vec<Act> = area.acts().await.into_iter().map(|(_, act)| act).collect();
    let count = |wanted| acts.iter().filter(|act| **act == wanted).count();
    assert_eq!((count(Act::Exported), count(Act::Identified)), (1, 4));
}

#[tokio::test]
async fn what_is_identifying_is_for_those_who_may_see_it() {
    let (area, shows) = area(Role::Analyst, false).await;
    let path = routes::research_exports(STUDY);
    let body = json!({ "identifying": true });
    area.call(Method::POST, &path, &shows, Some(body))
        .await
        .refused(ErrorCode::Forbidden);
    let wrong = json!({ "address": "study.example.org" });
    area.call(
        Method::POST,
        &routes::research_exports(STUDY),
        &shows,
        Some(wrong),
    )
    .await
    .refused(ErrorCode::Refused);
    let begun = begin(&area, &shows, json!({})).await;
    ended(&area, &shows, &begun.id).await;
    let file = routes::research_export_file(STUDY, &begun.id);
    let everything = |files: BTreeMap<String, Vec<u8>>| {
        let texts = files.values().map(|it| String::from_utf8_lossy(it));
        texts.collect::<Vec<_>>().join("\n")
    };
    let files = unpacked(area.get(&file, &shows).await.bytes);
    assert!(!everything(files).contains("Lovelace"));
    // An owner's export with what is identifying is not an analyst's to fetch.
    area.add("owner", false, &[(STUDY, Role::Owner, false)])
        .await;
    let owner = area.sign_in("owner").await;
    let begun = begin(&area, &owner, json!({ "identifying": true })).await;
    ended(&area, &owner, &begun.id).await;
    let file = routes::research_export_file(STUDY, &begun.id);
    area.get(&file, &shows).await.refused(ErrorCode::Forbidden);
    let files = unpacked(area.get(&file, &owner).await.bytes);
    assert!(everything(files).contains("Lovelace"));
}

#[tokio::test]
async fn the_audit_log_is_for_owners_to_export() {
    let (area, shows) = area(Role::Analyst, false).await;
    let path = routes::research_exports(STUDY);
    let wanted = json!({ "audit": true });
    area.call(Method::POST, &path, &shows, Some(wanted.clone()))
        .await
        .refused(ErrorCode::Forbidden);
    area.add("owner", false, &[(STUDY, Role::Owner, false)])
        .await;
    area.add("other", false, &[("another", Role::Owner, false)])
        .await;
    let owner = area.sign_in("owner").await;
    let begun = begin(&area, &owner, wanted).await;
    let ready = ended(&area, &owner, &begun.id).await;
    assert_eq!(ready.problem, None);
    let file = routes::research_export_file(STUDY, &begun.id);
    area.get(&file, &shows).await.refused(ErrorCode::Forbidden);
    let files = unpacked(area.get(&file, &owner).await.bytes);
    let lines = String::from_utf8(files["jsonl/raw/audit.jsonl"].clone()).unwrap();
    let lines = json_lines(&lines);
    let told = |name: &'static str| lines.iter().map(move |line| line[name].clone());
    // The newest first, and nothing of another study: three roles were given there before it was exported.
    assert_eq!(lines[0]["act"], "exported");
    assert_eq!(lines[0]["by"], "owner");
    let roles = told("act").filter(|act| act == "role_changed").count();
    assert_eq!((lines.len(), roles), (3, 2), "{lines:?}");
    assert!(told("about").all(|about| !about.to_string().contains("other")));
    let numbers: Vec<Option<u64>> = told("entry").map(|entry| entry.as_u64()).collect();
    assert!(numbers.is_sorted_by(|a, b| a > b), "{numbers:?}");
    // Not asked for, it is not there.
    let begun = begin(&area, &owner, json!({})).await;
    ended(&area, &owner, &begun.id).await;
    let file = routes::research_export_file(STUDY, &begun.id);
    let files = unpacked(area.get(&file, &owner).await.bytes);
    assert!(!files.keys().any(|name| name.contains("audit")));
}

#[tokio::test]
async fn an_export_is_kept_for_a_day_over_restarts_and_listed() {
    let (area, shows) = area(Role::Owner, false).await;
    let kept = begin(&area, &shows, json!({})).await;
    let kept = ended(&area, &shows, &kept.id).await;
    let removed = begin(&area, &shows, json!({ "of": "simulated" })).await;
    let removed = ended(&area, &shows, &removed.id).await;
    assert_eq!(removed.ready.as_ref().unwrap().sessions, 0);
    let path = routes::research_export(STUDY, &removed.id);
    assert_eq!(
        area.call(Method::DELETE, &path, &shows, None).await.status,
        200
    );
    area.get(&path, &shows).await.refused(ErrorCode::NotFound);
    let listed: Exports = area
        .get(&routes::research_exports(STUDY), &shows)
        .await
        .json();
    assert_eq!(listed.exports, std::slice::from_ref(&kept));
    let database = area.app.file();
    let session = area.app.stored().await[0].id.clone();
    let exports = server::export_list::exports_with(&database, &session).unwrap();
    assert_eq!(exports.len(), 1, "as those of the command");
    let folder = database.with_file_name("test.db-export-files");
    std::fs::write(folder.join("half.unfinished"), "x").unwrap();
    std::fs::write(folder.join("broken.json"), "{").unwrap();
    let again = || {
        let state = &area.app.state;
        let jobs = ExportJobs::nowhere(
            state.storage.clone(),
            area.app.setup.system.clone(),
            state.stopping.clone(),
        );
        Arc::new(jobs.beside(&database).unwrap())
    };
    assert_eq!(again().of_study(STUDY), std::slice::from_ref(&kept));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    // Nobody has to ask for it to go.
    area.pass(24 * HOUR_MS);
    let swept = tokio::spawn(again().keep_swept());
    for _ in 0..100 {
        if std::fs::read_dir(&folder).unwrap().count() == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    area.app.state.stopping.cancel();
    swept.await.unwrap();
}

#[tokio::test]
async fn an_export_that_makes_no_sense_is_refused_with_what_would() {
    let (area, shows) = area(Role::Owner, false).await;
    let path = routes::research_exports(STUDY);
    let cases = [
        (json!({ "study_versions": ["XY"] }), "6 to 64 digits"),
        (json!({ "standings": ["gone"] }), "one of counted, excluded"),
        (
            json!({ "since_unix_ms": 5, "before_unix_ms": 5 }),
            "has to be after",
        ),
    ];
    for (body, expected) in cases {
        let answer = area.call(Method::POST, &path, &shows, Some(body)).await;
        let message = answer.refused(ErrorCode::Refused).message;
        assert!(message.contains(expected), "{message}");
    }
    let unknown = area
        .call(Method::POST, &path, &shows, Some(json!({ "off": 1 })))
        .await;
    unknown.refused(ErrorCode::Malformed);
}
