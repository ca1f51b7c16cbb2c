use api::{ErrorCode, routes};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use serde_json::json;

use crate::app::App;

async fn with_app() -> App {
    let app = App::new().await;
    let dist = app.folder.path().join("dist");
    std::fs::create_dir_all(dist.join("assets")).unwrap();
    for (name, text) in [
        ("index.html", "<html><script>a()</script></html>"),
        ("sw.js", "worker"),
        ("assets/app-1.js", "plain"),
        ("assets/app-1.js.br", "brotli"),
    ] {
        std::fs::write(dist.join(name), text).unwrap();
    }
    app
}

#[tokio::test]
async fn the_page_is_never_cached_and_runs_only_its_own_scripts() {
    let app = with_app().await;
    for path in ["/", "/study/small"] {
        let page = app.get(path).await;
        assert_eq!(page.status, StatusCode::OK);
        assert_eq!(page.headers["cache-control"], "no-cache");
        assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
        assert_eq!(page.headers["x-content-type-options"], "nosniff");
        assert_eq!(page.headers["referrer-policy"], "no-referrer");
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        assert!(
            policy.contains("script-src 'self' 'wasm-unsafe-eval' 'sha256-qVpDBgj7"),
            "{policy}"
        );
        assert!(policy.contains("worker-src 'self';"), "{policy}");
        assert!(!page.headers.contains_key("set-cookie"));
    }
}

#[tokio::test]
async fn assets_are_kept_for_good_and_come_in_the_smallest_form() {
    let app = with_app().await;
    let request = Request::get("/assets/app-1.js").header("accept-encoding", "gzip, br");
    let brotli = app.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(
        (brotli.text().as_str(), &brotli.headers["content-encoding"]),
        ("brotli", &"br".parse().unwrap())
    );
    assert_eq!(
        brotli.headers["content-type"],
        "text/javascript; charset=utf-8"
    );
    assert_eq!(brotli.headers["vary"], "accept-encoding");
    let plain = app.get("/assets/app-1.js").await;
    assert_eq!(plain.text(), "plain");
    assert_eq!(
        plain.headers["cache-control"],
        "public, max-age=31536000, immutable"
    );
    assert!(!plain.headers.contains_key("content-encoding"));

    let worker = app.get("/sw.js").await;
    assert_eq!(
        (worker.text().as_str(), &worker.headers["cache-control"]),
        ("worker", &"no-cache".parse().unwrap())
    );
}

#[tokio::test]
async fn what_is_not_there_is_an_error_in_json_or_a_page_for_people() {
    let app = with_app().await;
    for path in [
        "/api",
        "/api/",
        "/api/nope",
        "/api/sessions",
        "/assets/none.js",
        "/none",
        "/assets/../x",
        "/api/studies/small/",
        "/api/studies/%ff",
        "/api/models/none/card.json",
        "/api/bundles/none/card.json",
        "/assets/%2e%2e/%2e%2e/x",
    ] {
        app.get(path).await.refused(ErrorCode::NotFound);
    }
    for (method, path) in [
        (Method::DELETE, routes::STUDIES),
        (Method::POST, "/"),
        (Method::PUT, "/sw.js"),
        (Method::GET, "/api/studies/small/sessions"),
    ] {
        app.call(method, path, None, None)
            .await
            .refused(ErrorCode::MethodNotAllowed);
    }
    let request = Request::get("/none")
        .header("accept", "text/html")
        .body(Body::empty())
        .unwrap();
    let page = app.send(request).await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    assert!(page.text().starts_with("<html>"));
}

#[tokio::test]
async fn an_unknown_study_is_not_found_and_has_a_page_that_says_so() {
    let app = with_app().await;
    for path in ["/study/none", "/study/%ff"] {
        let page = app.get(path).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{path}");
        assert!(page.text().starts_with("<html>"), "{path}");
    }
}

#[tokio::test]
async fn a_page_that_broke_down_can_say_so() {
    let app = App::new().await;
    let report = json!({ "message": "panicked at x\u{1b}[31m", "path": "/study/small" });
    let answer = app.post(routes::PAGE_ERRORS, None, report).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(
        answer.json::<api::ReportLogged>(),
        api::ReportLogged { logged: true }
    );
    for wrong in [json!({}), json!({ "message": 1, "path": "" })] {
        let answer = app.post(routes::PAGE_ERRORS, None, wrong).await;
        answer.refused(ErrorCode::Malformed);
    }
}

#[tokio::test]
async fn a_server_without_the_app_says_so() {
    let app = App::new().await;
    let page = app.get("/").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains("cargo xtask serve"));
}

#[tokio::test]
async fn cards_and_weights_can_be_cached() {
    let app = App::new().await;
    let models = app.state.library.models();
    let bundle = models.get("sinelines-ae5").unwrap();
    for path in [
        routes::bundle_card(bundle.fingerprint()),
        routes::bundle_weights(bundle.fingerprint()),
    ] {
        let answer = app.get(&path).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(
            answer.headers["cache-control"],
            "public, max-age=31536000, immutable"
        );
        assert_eq!(
            answer.headers["cross-origin-resource-policy"],
            "same-origin"
        );
        let request = Request::get(&path)
            .header("if-none-match", &answer.headers["etag"])
            .body(Body::empty())
            .unwrap();
        assert_eq!(app.send(request).await.status, StatusCode::NOT_MODIFIED);
    }
    let weights = app.get(&routes::bundle_weights(bundle.fingerprint())).await;
    assert_eq!(
        weights.headers["content-length"].to_str().unwrap(),
        weights.bytes.len().to_string()
    );
    use sha2::Digest;
    assert_eq!(
        server::secrets::hex(&sha2::Sha256::digest(&weights.bytes)),
        bundle.card().facts.weights_sha256
    );
}

#[tokio::test]
async fn json_is_compressed_for_those_who_want_it() {
    let app = App::new().await;
    let request = Request::get(routes::OPENAPI)
        .header("accept-encoding", "gzip")
        .body(Body::empty())
        .unwrap();
    let answer = app.send(request).await;
    assert_eq!(answer.headers["content-encoding"], "gzip");
    assert!(answer.bytes.len() < app.get(routes::OPENAPI).await.bytes.len() / 3);
}

#[tokio::test]
async fn a_slash_at_the_end_of_a_page_changes_nothing() {
    let app = with_app().await;
    for path in ["/study/small", "/lab"] {
        let plain = app.get(path).await;
        let slash = app.get(&format!("{path}/")).await;
        assert_eq!(slash.status, plain.status, "{path}");
        assert_eq!(slash.text(), plain.text(), "{path}");
    }
    assert_eq!(app.get("/study/none/").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn everything_lies_below_the_base_path() {
    let mut app = with_app().await;
    let page = r#"<html lang="en"><link href="/assets/a.css"><a href="">x</a></html>"#;
    std::fs::write(app.folder.path().join("dist/index.html"), page).unwrap();
    app.state.base = "/redial/".parse().unwrap();
    app.router = server::http::router(app.state.clone());

    for path in ["/redial/", "/redial/study/small", "/redial/study/small/"] {
        let page = app.get(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        assert_eq!(
            page.text(),
            r#"<html data-base="/redial" lang="en"><link href="/redial/assets/a.css"><a href="">x</a></html>"#
        );
    }
    let studies = app.get(&format!("/redial{}", routes::STUDIES)).await;
    assert_eq!(studies.status, StatusCode::OK);
    let script = app.get("/redial/assets/app-1.js").await;
    assert_eq!(script.text(), "plain");
    assert_eq!(app.get("/redial/sw.js").await.text(), "worker");
    let languages = app.get("/redial/api/studies/small?lang=de").await;
    assert_eq!(languages.status, StatusCode::OK, "the query goes along");

    let moved = app.get("/redial").await;
    assert_eq!(moved.status, StatusCode::PERMANENT_REDIRECT);
    assert_eq!(moved.headers["location"], "/redial/");
    for elsewhere in ["/", "/study/small", "/api/studies", "/redials/", "/sw.js"] {
        let error = app.get(elsewhere).await.refused(ErrorCode::NotFound);
        assert!(error.message.contains("below /redial/"), "{elsewhere}");
    }
    for health in [routes::HEALTH, routes::READY] {
        assert_eq!(app.get(health).await.status, StatusCode::OK, "{health}");
    }
}

#[tokio::test]
async fn the_documentation_is_there_where_it_was_made() {
    let app = with_app().await;
    let without = app.get("/docs/").await;
    assert_eq!(without.status, StatusCode::NOT_FOUND);
    assert!(without.text().contains("cargo xtask docs"));

    let docs = app.folder.path().join("dist/docs");
    std::fs::create_dir_all(&docs).unwrap();
    for (name, text) in [
        ("index.html", "<html><script>a()</script></html>"),
        ("data.html", "about data"),
        ("book.js", "script"),
    ] {
        std::fs::write(docs.join(name), text).unwrap();
    }
    let folder = app.get("/docs").await;
    assert_eq!(folder.status, StatusCode::PERMANENT_REDIRECT);
    assert_eq!(folder.headers["location"], "/docs/");
    let first = app.get("/docs/").await;
    assert_eq!(first.status, StatusCode::OK);
    let policy = first.headers["content-security-policy"].to_str().unwrap();
    assert!(
        policy.contains("script-src 'self' 'wasm-unsafe-eval' 'sha256-qVpDBgj7"),
        "{policy}"
    );
    assert_eq!(app.get("/docs/data.html").await.text(), "about data");
    let script = app.get("/docs/book.js").await;
    assert_eq!(
        script.headers["content-type"],
        "text/javascript; charset=utf-8"
    );
    for gone in ["/docs/none.html", "/docs/none.js", "/docs/../redial.db"] {
        assert_eq!(app.get(gone).await.status, StatusCode::NOT_FOUND, "{gone}");
    }
}
