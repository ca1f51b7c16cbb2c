//! Nonsense, thrown at every endpoint: 3,000 requests, 500,000 with `REDIAL_LONG=1`.

use api::SessionStarted;
use axum::body::Body;
use axum::http::{Method, Request};
use domain::session::Session;
use domain::session::event::{Author, Envelope};
use domain::session::plan::SessionPlan;
use proptest::prelude::*;
use serde_json::{Value, json};
use server::http::endpoints;
use tokio::runtime::Runtime;

use crate::app::{ATTEMPT, App, STUDY, log_of};

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("events".to_owned()),
        Just("token".to_owned()),
        Just("batch".to_owned()),
        Just("attempt".to_owned()),
        Just("kind".to_owned()),
        Just("seq".to_owned()),
        ".{0,8}",
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A batch that would be right, with one value in it replaced.
fn spoilt_batch() -> impl Strategy<Value = (usize, usize, Value)> {
    (0..20_usize, 0..100_usize, any_json())
}

#[derive(Debug, Clone)]
enum Nonsense {
    Bytes(Vec<u8>),
    Json(Value),
    Spoilt(usize, usize, Value),
}

fn nonsense() -> impl Strategy<Value = Nonsense> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300).prop_map(Nonsense::Bytes),
        any_json().prop_map(Nonsense::Json),
        spoilt_batch().prop_map(|(event, place, value)| Nonsense::Spoilt(event, place, value)),
    ]
}

/// Every place in a value, as JSON pointers.
fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    found.push(here.to_owned());
    match value {
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                places(value, &format!("{here}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                places(value, &format!("{here}/{key}"), found);
            }
        }
        _ => {}
    }
}

fn body(nonsense: Nonsense, log: &[Envelope], logged: usize) -> Vec<u8> {
    match nonsense {
        Nonsense::Bytes(bytes) => bytes,
        Nonsense::Json(value) => value.to_string().into_bytes(),
        Nonsense::Spoilt(event, place, value) => {
            let mut batch = json!({ "events": log[logged..logged + 1 + event % 3] });
            let mut found = Vec::new();
            places(&batch, "", &mut found);
            *batch.pointer_mut(&found[place % found.len()]).unwrap() = value;
            batch.to_string().into_bytes()
        }
    }
}

/// Whether a value put into a batch left it one that a session might send: another
/// distance, or no direction where there was one. Such a batch is no nonsense.
fn is_possible(body: &[u8], plan: &SessionPlan, log: &[Envelope]) -> bool {
    serde_json::from_slice::<api::Batch>(body).is_ok_and(|batch| {
        !batch.events.is_empty()
            && Session::new(plan.clone())
                .replayed(log.iter().chain(&batch.events))
                .is_ok()
    })
}

async fn everything_stored(app: &App) -> (u64, Vec<server::storage::StoredEvent>, u64) {
    let started = app.stored().await.remove(0);
    let events = app.events(&started.id, Author::Participant).await;
    (app.sessions().await, events, started.log_len)
}

#[test]
fn nonsense_gets_an_error_in_the_usual_shape_and_leaves_nothing() {
    let runtime = Runtime::new().unwrap();
    let app = runtime.block_on(App::new());
    let started: SessionStarted = runtime.block_on(app.start(ATTEMPT));
    let log = log_of(&started);
    // In the middle of a question.
    let logged = 10;
    assert_eq!(
        runtime
            .block_on(app.append(&started, &log[..logged]))
            .status,
        200
    );
    let before = runtime.block_on(everything_stored(&app));
    let session = &started.plan.session.0;

    let long = std::env::var_os("REDIAL_LONG").is_some();
    let cases = if long { 500_000 } else { 3_000 };
    let config = ProptestConfig {
        cases,
        max_global_rejects: cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let endpoint = 0..endpoints().len();
    let method = prop_oneof![
        Just(None),
        Just(Some(Method::PUT)),
        Just(Some(Method::POST)),
        Just(Some(Method::GET))
    ];
    let parameter = prop_oneof![3 => Just(None), 1 => "[^/?#]{1,40}".prop_map(Some)];
    let strategy = (
        endpoint,
        method,
        parameter,
        nonsense(),
        any::<bool>(),
        any::<bool>(),
    );
    proptest!(config, |((endpoint, method, parameter, nonsense, authorised, declared) in strategy)| {
        let endpoint = &endpoints()[endpoint];
        let encoded = |text: &str| text.bytes().map(|b| format!("%{b:02x}")).collect::<String>();
        let fill = |usual: &str| parameter.as_deref().map_or(usual.to_owned(), encoded);
        let path = endpoint.path
            .replace("{study}", &fill(STUDY))
            .replace("{session}", &fill(session))
            .replace("{model}", &fill("circles"))
            .replace("{sha256}", &fill("x"));
        let method = method.unwrap_or(endpoint.method.clone());
        // Its own token erases a session, whatever else the request holds: that is no nonsense.
        prop_assume!(!(authorised && method == Method::DELETE));
        let mut request = Request::builder().method(&method).uri(&path);
        if authorised {
            request = request.header("authorization", format!("Bearer {}", started.token));
        }
        if declared {
            request = request.header("content-type", "application/json");
        }
        // A page that asks what the experimenter wants waits for the answer.
        prop_assume!(!(authorised && path.ends_with("/asked")));
        let body = body(nonsense, &log, logged);
        prop_assume!(!(authorised && declared && is_possible(&body, &started.plan, &log[..logged])));
        let answer = runtime.block_on(app.send(request.body(Body::from(body.clone())).unwrap()));
        prop_assert!(!answer.status.is_server_error(), "{} {}", answer.status, answer.text());
        if answer.status.is_success() {
            // Only questions may go well; what was asked with a body was nonsense.
            prop_assert!(method == Method::GET, "{method} {path} took {}", String::from_utf8_lossy(&body));
        } else if answer.status.is_redirection() {
            // Whoever comes back from a provider of OpenID Connect reads on the area's page why it led to nothing.
            let to = answer.headers["location"].to_str().unwrap();
            prop_assert!(to.starts_with("/research"), "{method} {path} leads to {to}");
        } else {
            answer.error();
        }
    });
    let after = runtime.block_on(everything_stored(&app));
    assert_eq!(before, after);
    let rest = runtime.block_on(app.append(&started, &log[logged..]));
    assert_eq!(rest.status, 200, "{}", rest.text());
}
