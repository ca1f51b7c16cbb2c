//! Rights: every role at every endpoint, and what is decided by them.

use std::collections::BTreeMap;

use api::research::{Act, AuditLog, Permission, Right, Role, Scope, Studies};
use api::{ErrorCode, routes};
use axum::http::Method;
use domain::session::event::SessionId;
use serde_json::json;
use server::control::Request;
use server::http::{Endpoint, OpenedBy, endpoints, openapi};

use super::{Area, Shows};
use crate::app::{ATTEMPT, STUDY, ack, log_of};

/// Every role, also nobody's and that of admins, with a cookie and with tokens of every scope, at every endpoint
/// of the area, for the own study, another one and one that does not exist.
#[tokio::test]
async fn every_endpoint_lets_in_whom_the_table_names() {
    let area = Area::new().await;
    area.add("admin", true, &[]).await;
    area.add("granted", false, &[(STUDY, Role::Analyst, true)])
        .await;
    let mut people = vec![
        ("admin", None, true),
        ("granted", Some((Role::Analyst, true)), false),
    ];
    for role in Role::ALL {
        area.add(role.name(), false, &[(STUDY, role, false)]).await;
        people.push((role.name(), Some((role, false)), false));
    }
    let mut callers = Vec::new();
    for (name, role, admin) in people {
        let shows = area.sign_in(name).await;
        callers.push((name.to_owned(), shows.clone(), role, admin, None));
        if role.is_some() {
            for scope in Scope::ALL {
                let token = area.token(&shows, &[scope], &[STUDY]).await;
                callers.push((format!("{name}'s token"), token, role, false, Some(scope)));
            }
        }
    }
    callers.push(("nobody".to_owned(), Shows::default(), None, false, None));
    // One that is there, so that what is refused is refused for want of a right.
    let started = area.app.start(ATTEMPT).await;
    ack(&area.app.append(&started, &log_of(&started)).await);
    let session = &started.plan.session;
    let mut combinations = BTreeMap::new();
    let description = openapi::description(&endpoints());
    let takes_tokens = |endpoint: &Endpoint| {
        let method = endpoint.method.as_str().to_ascii_lowercase();
        let security = &description["paths"][&endpoint.path][method]["security"];
        let mut ways = security.as_array().unwrap().iter();
        ways.any(|way| way.get("research_token").is_some())
    };
    for endpoint in endpoints() {
        let by = endpoint.opened_by;
        if !by.is_of_research() {
            continue;
        }
        for (name, shows, role, admin, scope) in &callers {
            // Signing out would change what the next ones try; the live stream does not end, and is tried by itself.
            if endpoint.method == Method::DELETE && endpoint.path == routes::SIGN_INS
                || endpoint.path == routes::LIVE
            {
                continue;
            }
            for study in [STUDY, "other", "no-such-study"] {
                let path = endpoint
                    .path
                    .replace("{study}", study)
                    .replace("{session}", &session.0)
                    .replace("{export}", "none")
                    .replace("{id}", "none");
                let body = (endpoint.method == Method::POST).then(|| json!({}));
                let answer = area.call(endpoint.method.clone(), &path, shows, body).await;
                let what = format!(
                    "{name} ({scope:?}) {} {path}: {}",
                    endpoint.method,
                    answer.text()
                );
                let may = |right: Right, for_some: bool| {
                    study == STUDY
                        && scope.is_none_or(|scope| scope == right.scope())
                        && role.is_some_and(|(role, granted)| match role.may(right) {
                            Permission::Yes => true,
                            Permission::IfGranted => granted,
                            Permission::OwnSessions => for_some,
                            Permission::No => false,
                        })
                };
                let entered = match by {
                    // The session is none of a lab.
                    OpenedBy::Right(right) => may(right, false),
                    OpenedBy::RightForSome(right) => may(right, true),
                    OpenedBy::Admin => *admin,
                    OpenedBy::Cookie => name != "nobody" && scope.is_none(),
                    _ => name != "nobody",
                };
                if name == "nobody" {
                    answer.refused(ErrorCode::Unauthorised);
                } else if entered {
                    // What follows may still be refused: the body is empty.
                    assert_ne!(answer.status, 401, "{what}");
                    assert_ne!(answer.status, 403, "{what}");
                    // Who enters with a token enters as is described.
                    assert!(scope.is_none() || takes_tokens(&endpoint), "{what}");
                } else {
                    let refused = answer.refused(ErrorCode::Forbidden);
                    let words = match by {
                        OpenedBy::Cookie => "this cannot be done with a token; sign in",
                        _ => "you may not do this, or there is no such thing",
                    };
                    assert_eq!(refused.message, words);
                    if by == OpenedBy::Cookie {
                        assert!(!takes_tokens(&endpoint), "{what}");
                    }
                }
                *combinations.entry(entered).or_insert(0) += 1;
            }
        }
    }
    println!("combinations by whether somebody enters: {combinations:?}");
    assert!(combinations.values().sum::<i32>() > 500, "{combinations:?}");
}

#[tokio::test]
async fn participants_and_researchers_open_nothing_of_each_other_s() {
    let area = Area::new().await;
    area.add("ada", true, &[(STUDY, Role::Owner, false)]).await;
    let shows = area.sign_in("ada").await;
    let token = area.token(&shows, &Scope::ALL, &[STUDY]).await;
    let started = area.app.start(ATTEMPT).await;
    let participant = Shows {
        bearer: Some(started.token.clone()),
        ..Shows::default()
    };
    area.me(&participant).await.refused(ErrorCode::Unauthorised);
    let as_cookie = Shows {
        cookie: Some(started.token.clone()),
        ..Shows::default()
    };
    area.me(&as_cookie).await.refused(ErrorCode::Unauthorised);
    let session = routes::session(&started.plan.session);
    let with_cookie_as_bearer = Shows {
        bearer: shows.cookie.clone(),
        ..Shows::default()
    };
    for researcher in [&shows, &token, &with_cookie_as_bearer] {
        area.get(&session, researcher)
            .await
            .refused(ErrorCode::Unauthorised);
    }
    // A cookie's value is no token, and a token no cookie's value.
    area.me(&with_cookie_as_bearer)
        .await
        .refused(ErrorCode::Unauthorised);
    let token_as_cookie = Shows {
        cookie: token.bearer.clone(),
        ..Shows::default()
    };
    area.me(&token_as_cookie)
        .await
        .refused(ErrorCode::Unauthorised);
}

#[tokio::test]
async fn what_is_decided_is_done_as_the_command_does_it_and_noted() {
    let area = Area::new().await;
    area.add(
        "ada",
        false,
        &[(STUDY, Role::Owner, false), ("other", Role::Owner, false)],
    )
    .await;
    area.add("root", true, &[]).await;
    let shows = area.sign_in("ada").await;
    let started = area.app.start(ATTEMPT).await;
    ack(&area.app.append(&started, &log_of(&started)).await);
    let session = &started.plan.session;
    let exclude = async |study: &str, why: &str| {
        let path = routes::research_exclusion(study, session);
        let body = json!({ "excluded": true, "why": why });
        area.call(Method::POST, &path, &shows, Some(body)).await
    };
    exclude(STUDY, " ").await.refused(ErrorCode::Refused);
    exclude("other", "of another study")
        .await
        .refused(ErrorCode::Forbidden);
    assert_eq!(exclude(STUDY, "a child took part").await.status, 200);
    // The second is told what the first has decided, and the first reason stays.
    let told = exclude(STUDY, "a pilot").await.refused(ErrorCode::Decided);
    let words = format!("ada has excluded session {session} before (");
    assert!(told.message.starts_with(&words), "{}", told.message);
    assert!(
        told.message.ends_with("because: a child took part"),
        "{}",
        told.message
    );
    let studies: Studies = area.get(routes::RESEARCH_STUDIES, &shows).await.json();
    let summary = studies.studies.iter().find(|it| it.study == STUDY).unwrap();
    assert_eq!((summary.counts.started, summary.cells[0].excluded), (1, 1));
    let log: AuditLog = area.get(routes::AUDIT_LOG, &shows).await.json();
    // What is about no study of hers is not hers to see; what was decided in her study is.
    assert!(log.entries.iter().all(|it| it.study.is_some()), "{log:?}");
    let excluded = log.entries.iter().find(|it| it.act == Act::Excluded);
    assert_eq!(excluded.unwrap().study.as_deref(), Some(STUDY));
    assert_eq!(
        excluded.unwrap().about.as_deref(),
        Some("a child took part")
    );
    let acts = log.entries.iter().filter(|it| it.act == Act::Excluded);
    assert_eq!(acts.count(), 1, "what was refused was not done");
    let root = area.sign_in("root").await;
    let log: AuditLog = area.get(routes::AUDIT_LOG, &root).await.json();
    let entry = log
        .entries
        .iter()
        .find(|it| it.act == Act::Excluded)
        .unwrap();
    assert_eq!(entry.by.as_deref(), Some("ada"));
    assert_eq!(entry.session.as_deref(), Some(&*session.0));
    assert!(entry.with.is_some() && entry.address.as_deref() == Some("127.0.0.1"));
    // The other way: once, and nobody readmits what is counted.
    let readmit = async |session: &SessionId| {
        let path = routes::research_exclusion(STUDY, session);
        let body = json!({ "excluded": false, "why": "a grown-up" });
        area.call(Method::POST, &path, &shows, Some(body)).await
    };
    assert_eq!(readmit(session).await.status, 200);
    let told = readmit(session).await.refused(ErrorCode::Decided);
    let words = format!("ada has readmitted session {session} before (");
    assert!(told.message.starts_with(&words), "{}", told.message);
    let other = area.app.start("another-attempt-1").await.plan.session;
    let told = readmit(&other).await.refused(ErrorCode::Decided);
    let words = format!("nobody has excluded session {other} by hand");
    assert!(told.message.starts_with(&words), "{}", told.message);
    let erase = Request::Erase {
        session: session.clone(),
    };
    let state = &area.app.state;
    let erased = erase.carry_out(&state.sessions, &state.access, None).await;
    assert_eq!(erased.unwrap().changed, 1);
    let log: AuditLog = area.get(routes::AUDIT_LOG, &shows).await.json();
    let newest = (log.entries[0].act, log.entries[0].study.as_deref());
    assert_eq!(newest, (Act::Erased, Some(STUDY)));
    // The right to look after accounts is none to a study's data.
    area.get(&routes::research_study(STUDY), &root)
        .await
        .refused(ErrorCode::Forbidden);
    let acts = area.acts().await;
    let command = |act| (None, act);
    assert_eq!(acts[0], command(Act::AccountAdded));
    assert!(acts.contains(&(Some("ada".to_owned()), Act::PasswordSet)));
    assert!(acts.contains(&command(Act::RoleChanged)));
}

#[tokio::test]
async fn the_page_is_there_and_unknown_addresses_below_it_are_said_to_be_none() {
    let area = Area::new().await;
    for below in ["", "/", "/account", "/studies/curves/people?page=1"] {
        let address = format!("{}{below}", routes::RESEARCH);
        let page = area.get(&address, &Shows::default()).await;
        assert_eq!(page.status, 200, "{address}");
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        let scripts = policy.split(';').find(|it| it.contains("script-src"));
        assert!(!scripts.unwrap().contains("unsafe-inline"), "{policy}");
    }
    let none = area.get("/research/api/none", &Shows::default()).await;
    none.refused(ErrorCode::NotFound);
}
