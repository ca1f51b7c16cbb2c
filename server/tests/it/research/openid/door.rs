//! The way to the provider and back: how private it is, where it leads, and how often it may fail.

use api::research::{OpenIdBegun, OpenIdOutcome, WaysToSignIn};
use api::{ErrorCode, routes};
use axum::http::Method;
use serde_json::json;

use super::provider::AuthorizationRequest;
use super::{ADA, Scene, address, confirmed, cookie, outcome};
use crate::research::{Area, PASSWORD, Shows, from_address, request, with_header};

#[tokio::test]
async fn it_is_as_private_as_with_a_password_and_leads_nowhere_else() {
    let scene = Scene::new("refuse").await;
    let app = &scene.area.app;
    app.state.access.add(None, ADA, false).await.unwrap();
    let elsewhere = from_address(Scene::asks_to_begin(""), "192.0.2.9:1234");
    app.send(elsewhere).await.refused(ErrorCode::Forbidden);
    let other_page = with_header(
        Scene::asks_to_begin(""),
        "origin",
        "https://elsewhere.example",
    );
    app.send(other_page).await.refused(ErrorCode::Forbidden);
    for back in [
        "https://elsewhere.example/",
        "//elsewhere.example",
        "/study/small",
        "",
    ] {
        let away = scene.begin_from(back).await;
        let code = scene
            .provider
            .code(&away.asked, "subject 1", confirmed(ADA));
        let answer = scene.back_with(&away, &code).await;
        assert!(cookie(&answer).is_some());
        assert_eq!(address(&answer), "/research", "{back}");
    }
    // Behind a proxy that is trusted, below a path.
    let mut state = app.state.clone();
    state.limits.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    state.base = "/redial/".parse().unwrap();
    let router = server::http::router(state.clone());
    let body = Some(json!({}));
    let path = format!("/redial{}", routes::OPENID);
    let sent = request(Method::POST, &path, &Shows::default(), body);
    let sent = with_header(sent, "x-forwarded-proto", "https");
    let sent = with_header(sent, "x-forwarded-for", "198.51.100.7");
    let sent = with_header(sent, "host", "study.example.org");
    let sent = with_header(sent, "origin", "https://study.example.org");
    let app = crate::app::App {
        router,
        state,
        folder: tempfile::tempdir().unwrap(),
        setup: crate::app::Setup::default(),
    };
    let answer = app.send(sent).await;
    let begun: OpenIdBegun = answer.json();
    assert_eq!(
        AuthorizationRequest::of(&begun.address).0["redirect_uri"],
        "https://study.example.org/redial/research/api/openid/back"
    );
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    assert!(
        cookie.contains("Secure") && cookie.contains("Path=/redial/research/api/openid;"),
        "{cookie}"
    );
}

#[tokio::test]
async fn providers_are_asked_as_they_want_to_be_and_without_one_there_is_no_button() {
    let scene = Scene::new("refuse").await;
    scene
        .area
        .app
        .state
        .access
        .add(None, "0000-0002-1825-0097", false)
        .await
        .unwrap();
    // As ORCID is: no address, the secret in the form.
    scene.provider.change(|ways| {
        ways.scopes = vec!["openid"];
        ways.methods = vec!["client_secret_post"];
    });
    let away = scene.begin().await;
    assert_eq!(away.asked.0["scope"], "openid");
    let code = scene
        .provider
        .code(&away.asked, "0000-0002-1825-0097", json!({}));
    // A subject is no confirmed address.
    assert_eq!(
        outcome(&scene.back_with(&away, &code).await),
        OpenIdOutcome::Unknown
    );
    assert!(!scene.provider.asked().contains(&"me"));

    let area = Area::new().await;
    let ways: WaysToSignIn = area.get(routes::SIGN_IN, &Shows::default()).await.json();
    assert_eq!(ways.openid, None);
    area.app
        .send(Scene::asks_to_begin(""))
        .await
        .refused(ErrorCode::NotFound);
}

#[tokio::test]
async fn whoever_fails_again_and_again_has_to_wait() {
    let scene = Scene::new("refuse").await;
    for _ in 0..20 {
        let away = scene.begin().await;
        assert_eq!(
            outcome(&scene.back_with(&away, "made up").await),
            OpenIdOutcome::Untrusted
        );
    }
    let away = scene.begin().await;
    assert_eq!(
        outcome(&scene.back_with(&away, "made up").await),
        OpenIdOutcome::TooMany
    );
    // Passwords from there count along.
    let tried = scene.area.try_to_sign_in("ada", PASSWORD).await;
    tried.refused(ErrorCode::TooManyAttempts);
}
