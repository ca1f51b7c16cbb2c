//! The researcher's area: who enters, and what they may do there.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use api::research::{
    Act, ApiTokenMade, ApiTokens, CHANGE_KEY, Me, Membership, Role, Scope, SignIns, Studies,
    StudyState,
};
use api::{ErrorCode, routes};
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{self, Method};
use serde_json::{Value, json};
use server::access::Caller;
use server::system::{System, SystemRandomness};

use crate::app::{App, AppResponse, STUDY, Setup, study_json};
use crate::system::{START_MS, SetClock};

mod decisions;
mod erasure;
mod exports;
mod lab;
mod live;
mod matching;
mod openid;
mod questions;
mod replay;
mod results;
mod rights;
mod secrets;
mod sessions;
mod simulation;
mod sound;
mod statuses;

const PASSWORD: &str = "correct horse battery";
const HOST: &str = "localhost:8080";
const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;

/// A server with a clock that a test sets.
struct Area {
    app: App,
    clock: Arc<SetClock>,
}

/// What a request shows of whoever sends it.
#[derive(Debug, Clone, Default)]
struct Shows {
    cookie: Option<String>,
    change_key: Option<String>,
    bearer: Option<String>,
}

/// A request as our own page on this machine sends it.
fn request(method: Method, path: &str, shows: &Shows, body: Option<Value>) -> http::Request<Body> {
    let mut request = http::Request::builder()
        .method(method)
        .uri(path)
        .header("host", HOST)
        .header("origin", format!("http://{HOST}"))
        .header("user-agent", "a browser");
    if let Some(cookie) = &shows.cookie {
        request = request.header("cookie", format!("other=1; redial_research={cookie}"));
    }
    if let Some(key) = &shows.change_key {
        request = request.header(CHANGE_KEY, key);
    }
    if let Some(bearer) = &shows.bearer {
        request = request.header("authorization", format!("Bearer {bearer}"));
    }
    let body = match body {
        Some(json) => {
            request = request.header("content-type", "application/json");
            Body::from(json.to_string())
        }
        None => Body::empty(),
    };
    let mut request = request.body(body).unwrap();
    let peer: SocketAddr = "127.0.0.1:40000".parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(peer));
    request
}

fn with_header(
    mut request: http::Request<Body>,
    name: &'static str,
    value: &str,
) -> http::Request<Body> {
    request.headers_mut().insert(name, value.parse().unwrap());
    request
}

fn from_address(mut request: http::Request<Body>, address: &str) -> http::Request<Body> {
    let peer: SocketAddr = address.parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(peer));
    request
}

/// What an answer sets as the cookie, with everything behind its value.
fn cookie_of(answer: &AppResponse) -> (String, String) {
    let header = answer.headers.get("set-cookie").unwrap().to_str().unwrap();
    let value = header.strip_prefix("redial_research=").unwrap();
    let (value, attributes) = value.split_once(';').unwrap();
    (value.to_owned(), attributes.trim().to_owned())
}

impl Area {
    async fn new() -> Self {
        Self::of(study_json()).await
    }

    async fn of(study: Value) -> Self {
        Self::with(Setup::of(study)).await
    }

    /// The same, with all that a server is made of but its clock.
    async fn with(setup: Setup) -> Self {
        let clock = Arc::new(SetClock(AtomicU64::new(START_MS)));
        let mut other = study_json();
        other["id"] = json!("other");
        let setup = Setup {
            system: System {
                clock: clock.clone(),
                randomness: Arc::new(SystemRandomness),
            },
            others: vec![other],
            ..setup
        };
        let app = App::with(setup).await;
        Self { app, clock }
    }

    fn pass(&self, ms: u64) {
        self.clock.0.fetch_add(ms, Ordering::Relaxed);
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        shows: &Shows,
        body: Option<Value>,
    ) -> AppResponse {
        self.app.send(request(method, path, shows, body)).await
    }

    async fn get(&self, path: &str, shows: &Shows) -> AppResponse {
        self.call(Method::GET, path, shows, None).await
    }

    /// Somebody with a password.
    async fn add(&self, name: &str, admin: bool, memberships: &[(&str, Role, bool)]) {
        let access = &self.app.state.access;
        let key = access.add(None, name, admin).await.unwrap().reveal();
        let caller = Caller {
            origin: IpAddr::from([127, 0, 0, 1]).into(),
            browser: "a browser".to_owned(),
        };
        let set = access.set_password_by_link(&key, PASSWORD.to_owned(), &caller);
        set.await.unwrap();
        for &(study, role, identifying) in memberships {
            let membership = Membership {
                study: study.to_owned(),
                role,
                identifying,
            };
            access.join(None, name, membership).await.unwrap();
        }
    }

    async fn try_to_sign_in(&self, name: &str, password: &str) -> AppResponse {
        let body = json!({ "name": name, "password": password });
        self.call(Method::POST, routes::SIGN_IN, &Shows::default(), Some(body))
            .await
    }

    async fn sign_in(&self, name: &str) -> Shows {
        let answer = self.try_to_sign_in(name, PASSWORD).await;
        let me: Me = answer.json();
        assert_eq!(me.name, name);
        Shows {
            cookie: Some(cookie_of(&answer).0),
            change_key: me.change_key,
            bearer: None,
        }
    }

    async fn token(&self, shows: &Shows, scopes: &[Scope], studies: &[&str]) -> Shows {
        let body = json!({ "label": "a test", "scopes": scopes, "studies": studies });
        let made: ApiTokenMade = self
            .call(Method::POST, routes::API_TOKENS, shows, Some(body))
            .await
            .json();
        Shows {
            bearer: Some(made.token),
            ..Shows::default()
        }
    }

    async fn me(&self, shows: &Shows) -> AppResponse {
        self.get(routes::ME, shows).await
    }

    async fn acts(&self) -> Vec<(Option<String>, Act)> {
        let entries = self
            .app
            .state
            .storage
            .audit_log(None, None, 100)
            .await
            .unwrap();
        entries
            .into_iter()
            .rev()
            .map(|it| (it.by, it.act))
            .collect()
    }
}

#[tokio::test]
async fn a_link_sets_the_first_password_once_and_within_an_hour() {
    let area = Area::new().await;
    let access = &area.app.state.access;
    let key = access
        .add(None, " Ada@Example.org ", true)
        .await
        .unwrap()
        .reveal();
    area.try_to_sign_in("ada@example.org", "")
        .await
        .refused(ErrorCode::Unauthorised);
    let set = async |key: &str, password: &str| {
        let body = json!({ "key": key, "password": password });
        area.call(
            Method::POST,
            routes::PASSWORD_BY_LINK,
            &Shows::default(),
            Some(body),
        )
        .await
    };
    set("another", PASSWORD).await.refused(ErrorCode::Gone);
    set(&key, "too short").await.refused(ErrorCode::Refused);
    area.pass(HOUR_MS);
    set(&key, PASSWORD).await.refused(ErrorCode::Gone);
    let key = access
        .reset(None, "ada@example.org")
        .await
        .unwrap()
        .reveal();
    area.pass(HOUR_MS - 1);
    assert_eq!(set(&key, PASSWORD).await.status, 200);
    set(&key, "another password").await.refused(ErrorCode::Gone);
    let me: Me = area
        .try_to_sign_in("ADA@example.org", PASSWORD)
        .await
        .json();
    assert!(me.admin && me.name == "ada@example.org");
    // A reset ends what was there.
    let shows = area.sign_in("ada@example.org").await;
    access.reset(None, "ada@example.org").await.unwrap();
    area.me(&shows).await.refused(ErrorCode::Unauthorised);
    area.try_to_sign_in("ada@example.org", PASSWORD)
        .await
        .refused(ErrorCode::Unauthorised);
}

#[tokio::test]
async fn the_cookie_is_for_this_area_alone_and_new_with_each_sign_in() {
    let area = Area::new().await;
    area.add("ada", false, &[]).await;
    let answer = area.try_to_sign_in("ada", PASSWORD).await;
    let (first, attributes) = cookie_of(&answer);
    assert_eq!(
        attributes,
        "HttpOnly; SameSite=Lax; Path=/research; Max-Age=604800"
    );
    assert!(first.len() >= 43, "256 bits");
    // What a browser had before is not taken up.
    let fixed = Shows {
        cookie: Some("chosen-by-somebody-else".to_owned()),
        ..Shows::default()
    };
    let body = json!({ "name": "ada", "password": PASSWORD });
    let answer = area
        .call(Method::POST, routes::SIGN_IN, &fixed, Some(body))
        .await;
    assert_ne!(cookie_of(&answer).0, first);
    area.me(&fixed).await.refused(ErrorCode::Unauthorised);
    // Over HTTPS, which a trusted proxy vouches for, the cookie stays there.
    let mut state = area.app.state.clone();
    state.limits.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    let body = json!({ "name": "ada", "password": PASSWORD });
    let behind = |host: &str| {
        let sent = request(
            Method::POST,
            routes::SIGN_IN,
            &Shows::default(),
            Some(body.clone()),
        );
        let sent = with_header(sent, "x-forwarded-proto", "https");
        let sent = with_header(sent, "x-forwarded-for", "198.51.100.7");
        let sent = with_header(sent, "host", host);
        with_header(sent, "origin", "https://study.example.org")
    };
    let app = App {
        router: server::http::router(state.clone()),
        state,
        folder: tempfile::tempdir().unwrap(),
        setup: Setup::default(),
    };
    let answer = app.send(behind("study.example.org")).await;
    assert!(cookie_of(&answer).1.contains("Secure"), "{}", answer.text());
    app.send(behind("another.example.org"))
        .await
        .refused(ErrorCode::Forbidden);
}

#[tokio::test]
async fn over_plain_http_nobody_signs_in_from_elsewhere() {
    let area = Area::new().await;
    area.add("ada", false, &[]).await;
    let body = json!({ "name": "ada", "password": PASSWORD });
    let sent = || {
        request(
            Method::POST,
            routes::SIGN_IN,
            &Shows::default(),
            Some(body.clone()),
        )
    };
    let from_elsewhere = from_address(sent(), "192.0.2.9:1234");
    let refused = area
        .app
        .send(from_elsewhere)
        .await
        .refused(ErrorCode::Forbidden);
    assert!(refused.message.contains("HTTPS"), "{}", refused.message);
    // A proxy that nobody trusts may stand on this machine: the name that people use gives it away.
    let named = with_header(sent(), "host", "study.example.org");
    let named = with_header(named, "origin", "http://study.example.org");
    area.app.send(named).await.refused(ErrorCode::Forbidden);
    // What anybody can write is not believed.
    let lying = with_header(
        from_address(sent(), "192.0.2.9:1234"),
        "x-forwarded-proto",
        "https",
    );
    area.app.send(lying).await.refused(ErrorCode::Forbidden);
    assert_eq!(area.app.send(sent()).await.status, 200);
}

#[tokio::test]
async fn a_sign_in_ends_when_it_is_not_used_or_old_or_ended() {
    let area = Area::new().await;
    area.add("ada", false, &[]).await;
    let (first, second) = (area.sign_in("ada").await, area.sign_in("ada").await);
    area.pass(12 * HOUR_MS - 1);
    assert_eq!(area.me(&first).await.status, 200);
    area.pass(1);
    area.me(&second).await.refused(ErrorCode::Unauthorised);
    // The first was used, so it goes on, for seven days from its beginning in all.
    for _ in 0..13 {
        area.pass(11 * HOUR_MS);
        assert_eq!(area.me(&first).await.status, 200);
    }
    // 12 + 13 · 11 = 155 hours have passed; 168 are seven days.
    area.pass(11 * HOUR_MS);
    assert_eq!(area.me(&first).await.status, 200);
    area.pass(2 * HOUR_MS);
    area.me(&first).await.refused(ErrorCode::Unauthorised);

    let (here, there) = (area.sign_in("ada").await, area.sign_in("ada").await);
    let list: SignIns = area.get(routes::SIGN_INS, &here).await.json();
    assert_eq!(list.sign_ins.len(), 2);
    assert_eq!(list.sign_ins[0].browser, "a browser");
    let other = list.sign_ins.iter().find(|it| !it.this).unwrap();
    let end = area
        .call(Method::DELETE, &routes::sign_in(&other.id), &here, None)
        .await;
    assert_eq!(end.status, 200);
    area.me(&there).await.refused(ErrorCode::Unauthorised);
    let out = area
        .call(Method::DELETE, routes::SIGN_INS, &here, None)
        .await;
    assert_eq!(cookie_of(&out).0, "");
    // A copy of the cookie opens nothing any more.
    area.me(&here).await.refused(ErrorCode::Unauthorised);
}

#[tokio::test]
async fn a_new_password_ends_all_other_sign_ins() {
    let area = Area::new().await;
    area.add("ada", false, &[]).await;
    let (here, there) = (area.sign_in("ada").await, area.sign_in("ada").await);
    let change = async |old: &str, new: &str| {
        let body = json!({ "old": old, "new": new });
        area.call(Method::POST, routes::PASSWORD, &here, Some(body))
            .await
    };
    change("wrong wrong wrong", "another password")
        .await
        .refused(ErrorCode::Unauthorised);
    change(PASSWORD, "short").await.refused(ErrorCode::Refused);
    assert_eq!(change(PASSWORD, "another password").await.status, 200);
    assert_eq!(area.me(&here).await.status, 200);
    area.me(&there).await.refused(ErrorCode::Unauthorised);
    area.try_to_sign_in("ada", PASSWORD)
        .await
        .refused(ErrorCode::Unauthorised);
    assert_eq!(
        area.try_to_sign_in("ada", "another password").await.status,
        200
    );
    area.app
        .state
        .access
        .set_disabled(None, "ada", true)
        .await
        .unwrap();
    area.me(&here).await.refused(ErrorCode::Unauthorised);
    area.try_to_sign_in("ada", "another password")
        .await
        .refused(ErrorCode::Unauthorised);
}

#[tokio::test]
async fn a_change_needs_our_own_page_and_the_key_that_only_it_knows() {
    let area = Area::new().await;
    area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
    let shows = area.sign_in("ada").await;
    let path = routes::research_pause(STUDY);
    let pause =
        |shows: &Shows| request(Method::POST, &path, shows, Some(json!({ "paused": true })));
    let without_key = Shows {
        change_key: None,
        ..shows.clone()
    };
    let wrong_key = Shows {
        change_key: Some("0".repeat(64)),
        ..shows.clone()
    };
    let mut without_origin = pause(&shows);
    without_origin.headers_mut().remove("origin");
    for refused in [
        pause(&without_key),
        pause(&wrong_key),
        without_origin,
        with_header(pause(&shows), "origin", "http://evil.example.org"),
        with_header(pause(&shows), "origin", "https://localhost:8080"),
        with_header(pause(&shows), "origin", "http://localhost:8081"),
        with_header(pause(&shows), "origin", "null"),
    ] {
        area.app.send(refused).await.refused(ErrorCode::Forbidden);
    }
    let studies: Studies = area.get(routes::RESEARCH_STUDIES, &shows).await.json();
    assert_eq!(studies.studies[0].state, StudyState::Running);
    assert_eq!(area.app.send(pause(&shows)).await.status, 200);
    let studies: Studies = area.get(routes::RESEARCH_STUDIES, &shows).await.json();
    assert_eq!(studies.studies[0].state, StudyState::Paused);
    // Signing in from another page's form signs nobody in.
    let body = json!({ "name": "ada", "password": PASSWORD });
    let sent = request(Method::POST, routes::SIGN_IN, &Shows::default(), Some(body));
    let sent = with_header(sent, "origin", "http://evil.example.org");
    area.app.send(sent).await.refused(ErrorCode::Forbidden);
    // A token needs neither: no browser sends it by itself.
    let token = area.token(&shows, &[Scope::Manage], &[STUDY]).await;
    let mut sent = request(
        Method::POST,
        &path,
        &token,
        Some(json!({ "paused": false })),
    );
    sent.headers_mut().remove("origin");
    assert_eq!(area.app.send(sent).await.status, 200);
}

#[tokio::test]
async fn wrong_passwords_lead_to_waits_whether_there_is_somebody_or_not() {
    let area = Area::new().await;
    area.add("ada", false, &[]).await;
    let mut said = Vec::new();
    for name in ["ada", "nobody"] {
        for _ in 0..5 {
            let refused = area.try_to_sign_in(name, "wrong wrong wrong").await;
            said.push(refused.refused(ErrorCode::Unauthorised).message);
        }
        area.pass(1_500);
        let refused = area.try_to_sign_in(name, PASSWORD).await;
        // Whole seconds, and not too early: 58.5 s are left.
        assert_eq!(refused.headers["retry-after"], "59");
        said.push(refused.refused(ErrorCode::TooManyAttempts).message);
    }
    assert_eq!(
        said[..6],
        said[6..],
        "nothing tells whether there is an Ada"
    );
    area.pass(MINUTE_MS);
    assert_eq!(area.try_to_sign_in("ada", PASSWORD).await.status, 200);
    let acts = area.acts().await;
    let refused = acts.iter().filter(|(_, act)| *act == Act::SignInRefused);
    assert_eq!(refused.count(), 2);
}

#[tokio::test]
async fn tokens_are_for_programs_and_end() {
    let area = Area::new().await;
    area.add(
        "ada",
        true,
        &[(STUDY, Role::Owner, false), ("other", Role::Viewer, false)],
    )
    .await;
    let shows = area.sign_in("ada").await;
    let make = async |body: Value| {
        area.call(Method::POST, routes::API_TOKENS, &shows, Some(body))
            .await
    };
    for (body, code) in [
        (
            json!({ "label": "", "scopes": ["read"], "studies": [STUDY] }),
            ErrorCode::Refused,
        ),
        (
            json!({ "label": "x", "scopes": [], "studies": [STUDY] }),
            ErrorCode::Refused,
        ),
        (
            json!({ "label": "x", "scopes": ["read"], "studies": [] }),
            ErrorCode::Refused,
        ),
        (
            json!({ "label": "x", "scopes": ["read"], "studies": [STUDY], "days": 366 }),
            ErrorCode::Refused,
        ),
        (
            json!({ "label": "x", "scopes": ["all"], "studies": [STUDY] }),
            ErrorCode::Malformed,
        ),
        (
            json!({ "label": "x", "scopes": ["read"], "studies": ["none"] }),
            ErrorCode::Forbidden,
        ),
    ] {
        make(body).await.refused(code);
    }
    let body = json!({ "label": "nightly", "scopes": ["read"], "studies": [STUDY] });
    let made: ApiTokenMade = make(body.clone()).await.json();
    assert_eq!(made.info.ends_at_unix_ms, START_MS + 90 * 24 * HOUR_MS);
    let token = Shows {
        bearer: Some(made.token.clone()),
        ..Shows::default()
    };
    let me: Me = area.me(&token).await.json();
    assert!(!me.admin && me.change_key.is_none() && me.studies.len() == 1);
    let other = routes::research_study("other");
    area.get(&other, &token).await.refused(ErrorCode::Forbidden);
    assert_eq!(
        area.get(&routes::research_study(STUDY), &token)
            .await
            .status,
        200
    );
    // No token makes or ends tokens, or looks after accounts.
    let again = area
        .call(Method::POST, routes::API_TOKENS, &token, Some(body.clone()))
        .await;
    again.refused(ErrorCode::Forbidden);
    area.get(routes::PEOPLE, &token)
        .await
        .refused(ErrorCode::Forbidden);
    for _ in 1..20 {
        assert_eq!(make(body.clone()).await.status, 200);
    }
    make(body.clone()).await.refused(ErrorCode::Refused);
    let tokens: ApiTokens = area.get(routes::API_TOKENS, &shows).await.json();
    assert_eq!(tokens.tokens.len(), 20);
    let listed = area.get(routes::API_TOKENS, &shows).await.text();
    assert!(!listed.contains(&made.token), "it is shown once");
    area.pass(90 * 24 * HOUR_MS);
    area.me(&token).await.refused(ErrorCode::Unauthorised);
    let shows = area.sign_in("ada").await;
    let next = area.token(&shows, &[Scope::Read], &[STUDY]).await;
    let tokens: ApiTokens = area.get(routes::API_TOKENS, &shows).await.json();
    assert_eq!(tokens.tokens.len(), 1, "those out of date are gone");
    let end = routes::api_token(&tokens.tokens[0].id);
    assert_eq!(
        area.call(Method::DELETE, &end, &shows, None).await.status,
        200
    );
    area.me(&next).await.refused(ErrorCode::Unauthorised);
}
