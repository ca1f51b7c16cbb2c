//! Servers of two versions of the app on one database: a page gets its files from either.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use cluster::cluster;
use server::app_files::offer;

use crate::app::{App, AppResponse, Setup};

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// A server whose app has these files.
async fn with_files(url: &str, files: &[(&str, &str)]) -> App {
    let app = App::at(url, Setup::default()).await;
    let assets = app.folder.path().join("dist/assets");
    std::fs::create_dir_all(&assets).unwrap();
    for (name, text) in files {
        std::fs::write(assets.join(name), text).unwrap();
    }
    app
}

async fn asked(app: &App, file: &str, accept: &str) -> AppResponse {
    let request = Request::get(format!("/assets/{file}")).header("accept-encoding", accept);
    app.send(request.body(Body::empty()).unwrap()).await
}

async fn offered(app: &App, now_unix_ms: u64) {
    let state = &app.state;
    offer(&state.assets, &*state.storage, now_unix_ms)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_file_of_another_version_comes_from_any_server_for_30_days() {
    let url = cluster().database();
    let old_files = [
        ("app-1.js", "old"),
        ("app-1.js.gz", "old, packed"),
        ("both-0.css", "same"),
    ];
    let old = with_files(&url, &old_files).await;
    let new = with_files(&url, &[("app-2.js", "new"), ("both-0.css", "same")]).await;
    let begin = 1_790_000_000_000;
    // Nobody has it yet.
    assert_eq!(
        asked(&old, "app-2.js", "gzip").await.status,
        StatusCode::NOT_FOUND
    );
    offered(&old, begin).await;
    offered(&new, begin + DAY_MS).await;
    let found = asked(&old, "app-2.js", "gzip").await;
    assert_eq!(found.text(), "new");
    assert_eq!(
        found.headers["content-type"],
        "text/javascript; charset=utf-8"
    );
    assert!(
        found.headers["cache-control"]
            .to_str()
            .unwrap()
            .contains("immutable")
    );
    let packed = asked(&new, "app-1.js", "gzip").await;
    assert_eq!(packed.text(), "old, packed");
    assert_eq!(packed.headers["content-encoding"], "gzip");
    for none in ["app-3.js", "../index.html", "app-1.js/x", &"x".repeat(500)] {
        let status = asked(&new, none, "gzip").await.status;
        assert_eq!(status, StatusCode::NOT_FOUND, "{none}");
    }

    // The old server stopped long ago: what it alone had is deleted.
    let later = with_files(&url, &[("app-2.js", "new")]).await;
    offered(&later, begin + 30 * DAY_MS).await;
    let storage = &later.state.storage;
    assert_eq!(
        storage.app_file("assets/app-1.js.gz").await.unwrap(),
        Some(b"old, packed".to_vec())
    );
    offered(&later, begin + 30 * DAY_MS + 1).await;
    assert_eq!(storage.app_file("assets/app-1.js.gz").await.unwrap(), None);
    assert_eq!(
        storage.app_files().await.unwrap(),
        ["assets/app-2.js", "assets/both-0.css"]
    );
}
