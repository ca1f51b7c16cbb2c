//! A copy of one study.

use std::collections::BTreeMap;
use std::path::Path;

use cluster::cluster;
use server::storage::{self, CopyError, Copying};

use super::{every_kind, holding, rows_of};
use crate::app::{App, STUDY, Setup, identifying, study_json};

/// The one study.
const ONE: Copying<'static> = Copying {
    study: Some(STUDY),
    is_ahead: false,
};

/// All files below a folder, by their path in it.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if path.is_dir() {
            let below = files(&path).into_iter();
            found.extend(below.map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else {
            found.insert(name, std::fs::read(&path).unwrap());
        }
    }
    found
}

#[tokio::test]
async fn a_copy_of_one_study_is_exported_as_before_and_has_nothing_of_others() {
    let app = App::new().await;
    every_kind::fill(&app).await;
    let mut other = study_json();
    other["id"] = "elsewhere".into();
    other["stages"][0]["questions"] = 3.into();
    let app = app.restart_with(Setup::of(other)).await;
    every_kind::fill(&app).await;
    let url = app.url();

    let refused = storage::copy(
        &url,
        &cluster().database(),
        Copying {
            study: Some("nowhere"),
            ..ONE
        },
        &|_| {},
    )
    .await;
    assert!(matches!(refused, Err(CopyError::NoStudy(_))), "{refused:?}");
    // By way of the other kind of database.
    let (server, folder) = (cluster().database(), tempfile::tempdir().unwrap());
    let file = folder.path().join("one.db");
    let there = storage::copy(&url, &server, ONE, &|_| {}).await.unwrap();
    let one = storage::url_of(&file);
    let back = storage::copy(&server, &one, ONE, &|_| {}).await.unwrap();
    assert_eq!(back, there);

    for table in [
        "users",
        "memberships",
        "sign_ins",
        "api_tokens",
        "audit_log",
        "acme",
    ] {
        assert_eq!(rows_of(&file, table).await, Vec::<String>::new(), "{table}");
    }
    for table in [
        "secrets",
        "outbox",
        "payments",
        "credits",
        "transcripts",
        "instances",
        "bundles",
    ] {
        assert!(!rows_of(&file, table).await.is_empty(), "{table}");
    }
    let secrets = rows_of(&file, "secrets").await;
    assert!(
        !secrets.iter().any(|secret| secret.contains("lab key")),
        "{secrets:?}"
    );
    let sessions = rows_of(&file, "sessions").await.len();
    assert_eq!(sessions, 2, "one of three was erased");
    for text in ["elsewhere", "Somebody of elsewhere"] {
        assert!(
            !holding(app.file().parent().unwrap(), text).is_empty(),
            "{text}"
        );
        assert!(holding(folder.path(), text).is_empty(), "{text}");
    }

    let mut exports = Vec::new();
    let source = app.restart_with(Setup::default()).await;
    let copied = App::at(&one, Setup::default()).await;
    for app in [&source, &copied] {
        exports.push(files(&app.export_of(STUDY, identifying()).await));
    }
    let names = |at: usize| exports[at].keys().collect::<Vec<_>>();
    assert_eq!(names(0), names(1));
    assert!(names(0).len() > 5, "{:?}", names(0));
    for (name, bytes) in &exports[0] {
        assert!(exports[1][name] == *bytes, "{name}");
    }
}
