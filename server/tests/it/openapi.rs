use std::collections::BTreeSet;

use api::{ClientMessage, ErrorCode, ServerMessage, routes};
use axum::http::Method;
use serde_json::{Value, json};
use server::http::{endpoints, openapi};

use crate::app::{ATTEMPT, App, AppResponse, STUDY, log_of};

/// Checks a value against a schema of the description.
fn check(description: &Value, schema: &Value, value: &Value) {
    let mut root = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema" });
    root["components"] = description["components"].clone();
    for (key, part) in schema.as_object().unwrap() {
        root[key] = part.clone();
    }
    let validator = jsonschema::validator_for(&root).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(
        errors.is_empty(),
        "{schema} does not take {value:.300}: {errors:#?}"
    );
}

#[test]
fn every_endpoint_is_described_and_every_description_has_an_endpoint() {
    let description = openapi::description(&endpoints());
    let described: BTreeSet<(String, String)> = description["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, methods)| {
            methods
                .as_object()
                .unwrap()
                .keys()
                .map(|m| (path.clone(), m.to_uppercase()))
        })
        .collect();
    let served: BTreeSet<(String, String)> = endpoints()
        .iter()
        .map(|e| (e.path.clone(), e.method.to_string()))
        .collect();
    assert_eq!(described, served);
    let names: BTreeSet<_> = endpoints().iter().map(|e| e.name).collect();
    assert_eq!(names.len(), served.len(), "operation ids are unique");
}

#[tokio::test]
async fn the_router_serves_what_is_described_and_nothing_else_below_api() {
    let app = App::new().await;
    for endpoint in endpoints() {
        for method in [
            Method::GET,
            Method::POST,
            Method::PUT,
            Method::DELETE,
            Method::PATCH,
        ] {
            let path = endpoint.path.replace(['{', '}'], "");
            let answer = app.call(method.clone(), &path, None, None).await;
            let known = endpoints()
                .iter()
                .any(|e| e.path == endpoint.path && e.method == method);
            let taken = answer.status != 405;
            assert_eq!(taken, known, "{method} {path}: {}", answer.text());
        }
    }
}

#[test]
fn what_takes_a_token_is_shown_with_curl_python_and_r() {
    let description = openapi::description(&endpoints());
    let mut shown = 0;
    for endpoint in endpoints() {
        let method = endpoint.method.as_str().to_ascii_lowercase();
        let operation = &description["paths"][&endpoint.path][&method];
        let security = operation["security"].as_array();
        let tokens = security.into_iter().flatten();
        let takes_tokens = tokens.clone().any(|it| it.get("research_token").is_some());
        let samples = operation["x-codeSamples"].as_array();
        assert_eq!(samples.is_some(), takes_tokens, "{}", endpoint.path);
        let Some(samples) = samples else { continue };
        let of = |lang: &str| {
            let sample = samples.iter().find(|it| it["lang"] == lang).unwrap();
            sample["source"].as_str().unwrap()
        };
        let (curl, python, r) = (of("Shell"), of("Python"), of("R"));
        assert!(curl.contains(&endpoint.path.replace('{', "${")), "{curl}");
        assert!(python.contains(&endpoint.path), "{python}");
        assert!(python.contains(&format!("requests.{method}(")), "{python}");
        for name in endpoint.path.split('/').filter(|name| !name.is_empty()) {
            assert!(r.contains(name.trim_matches(['{', '}'])), "{r}");
        }
        for sample in [curl, python, r] {
            assert!(sample.contains("TOKEN"), "{sample}");
        }
        shown += 1;
    }
    assert!(shown > 30, "{shown}");
}

#[test]
fn references_resolve() {
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| references(value, found)),
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|value| references(value, found));
            }
            _ => {}
        }
    }
    let description = openapi::description(&endpoints());
    let mut found = Vec::new();
    references(&description, &mut found);
    assert!(found.len() > 20);
    for reference in found {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(description.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn what_is_tried_again_later_says_when() {
    let description = openapi::description(&endpoints());
    let responses = |path: &str| description["paths"][path]["post"]["responses"].clone();
    for (path, status) in [
        (routes::SIGN_IN, "429"),
        (routes::PASSWORD, "429"),
        (routes::SIGN_IN, "503"),
    ] {
        let header = &responses(path)[status]["headers"]["Retry-After"];
        assert_eq!(header["schema"]["type"], "integer", "{path} {status}");
    }
    assert_eq!(responses(routes::SIGN_IN)["401"]["headers"], Value::Null);
}

#[tokio::test]
async fn real_answers_and_requests_are_as_described() {
    let app = App::new().await;
    let description: Value = app.get(routes::OPENAPI).await.json();
    assert_eq!(description, openapi::description(&endpoints()));
    let operation = |path: &str, method: &str| description["paths"][path][method].clone();
    let check_answer = |path: &str, method: &str, answer: &AppResponse| {
        let responses = &operation(path, method)["responses"];
        let response = &responses[answer.status.as_str()];
        assert!(
            response.is_object(),
            "{method} {path} answers {}, which is not described",
            answer.status
        );
        let schema = &response["content"]["application/json"]["schema"];
        check(
            &description,
            schema,
            &serde_json::from_slice(&answer.bytes).unwrap(),
        );
    };
    let check_request = |path: &str, body: &Value| {
        let schema =
            &operation(path, "post")["requestBody"]["content"]["application/json"]["schema"];
        check(&description, schema, body);
    };

    for path in [
        routes::STUDIES,
        routes::HEALTH,
        routes::READY,
        routes::OPENAPI,
    ] {
        check_answer(path, "get", &app.get(path).await);
    }
    check_answer(
        "/api/studies/{study}",
        "get",
        &app.get(&routes::study(STUDY)).await,
    );
    check_answer(
        "/api/studies/{study}",
        "get",
        &app.get(&routes::study("none")).await,
    );
    check_answer(
        "/api/bundles/{sha256}/card.json",
        "get",
        &app.get(&routes::bundle_card(&circles(&app))).await,
    );
    check_answer(routes::STREAM, "get", &app.get(routes::STREAM).await);

    let start = json!({ "attempt": ATTEMPT, "participant_code": null });
    check_request("/api/studies/{study}/sessions", &start);
    let answer = app.ask_to_start(start).await;
    check_answer("/api/studies/{study}/sessions", "post", &answer);
    let started: api::SessionStarted = answer.json();
    let session = &started.plan.session;
    let token = Some(started.token.as_str());

    let log = log_of(&started);
    let batch = json!({ "events": log });
    let events = "/api/sessions/{session}/events";
    check_request(events, &batch);
    let gap = app.append(&started, &log[3..]).await;
    gap.refused(ErrorCode::Gap);
    check_answer(events, "post", &gap);
    check_answer(events, "post", &app.append(&started, &log[1..0x10]).await);
    check_answer(
        events,
        "post",
        &app.post(&routes::events(session), None, batch.clone())
            .await,
    );
    check_answer(
        events,
        "post",
        &app.post(&routes::events(session), token, json!(1)).await,
    );
    check_answer(
        events,
        "post",
        &app.post(&routes::events(session), token, batch.clone())
            .await,
    );

    let beacon = json!({ "token": started.token, "batch": batch });
    check_request("/api/sessions/{session}/beacon", &beacon);
    let answer = app.post(&routes::beacon(session), None, beacon).await;
    check_answer("/api/sessions/{session}/beacon", "post", &answer);
    let answer = app
        .call(Method::POST, &routes::completion(session), token, None)
        .await;
    check_answer("/api/sessions/{session}/completion", "post", &answer);
    let answer = app
        .call(Method::GET, &routes::session(session), token, None)
        .await;
    assert_eq!(answer.status, 200);
    check_answer("/api/sessions/{session}", "get", &answer);

    let messages = &operation(routes::STREAM, "get")["x-messages"];
    let hello = ClientMessage::Hello {
        session: session.clone(),
        token: started.token.clone(),
    };
    check(
        &description,
        &messages["client"],
        &serde_json::to_value(hello).unwrap(),
    );
    let batch = ClientMessage::Batch(api::Batch { events: log });
    check(
        &description,
        &messages["client"],
        &serde_json::to_value(batch).unwrap(),
    );
    let ack = ServerMessage::Ack(api::Ack { acked_len: 1 });
    check(
        &description,
        &messages["server"],
        &serde_json::to_value(ack).unwrap(),
    );
    let refused = ServerMessage::Refused(gap.error());
    check(
        &description,
        &messages["server"],
        &serde_json::to_value(refused).unwrap(),
    );
}

/// Hash of the bundle of the model `circles`.
fn circles(app: &App) -> String {
    let models = app.state.library.models();
    let bundle = models.get("circles").unwrap();
    bundle.fingerprint().to_owned()
}
