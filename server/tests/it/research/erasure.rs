//! Erasing a session from the area.

use api::research::{Act, AuditLog, ExportsWithSession, Role, SessionTable};
use api::{ErrorCode, routes};
use axum::http::Method;
use serde_json::json;
use server::export_list::ListedExport;

use super::Area;
use crate::app::{ATTEMPT, STUDY, ack, log_of};

#[tokio::test]
async fn a_session_is_erased_once_its_name_is_said_again() {
    let area = Area::new().await;
    for (name, role) in [("ada", Role::Owner), ("ann", Role::Analyst)] {
        area.add(name, false, &[(STUDY, role, true)]).await;
    }
    let started = area.app.start(ATTEMPT).await;
    ack(&area.app.append(&started, &log_of(&started)).await);
    let other = area.app.start("another-attempt-0").await;
    let session = &started.plan.session;
    let path = routes::research_erasure(STUDY, session);
    let (ada, ann) = (area.sign_in("ada").await, area.sign_in("ann").await);
    let holding: ExportsWithSession = area.get(&path, &ada).await.json();
    assert!(holding.exports.is_empty());
    let folder = area.app.export().await;
    let listed = ListedExport::new(
        STUDY,
        &folder,
        "2026-01-31T09:30:00Z",
        vec![session.clone()],
    );
    listed.add(area.app.state.storage.path().unwrap()).unwrap();
    let holding: ExportsWithSession = area.get(&path, &ada).await.json();
    assert_eq!(holding.exports.len(), 1);
    assert!(holding.exports[0].there);
    assert_eq!(holding.exports[0].folder, folder.display().to_string());

    let named = json!({ "session": session });
    area.get(&path, &ann).await.refused(ErrorCode::Forbidden);
    area.call(Method::POST, &path, &ann, Some(named.clone()))
        .await
        .refused(ErrorCode::Forbidden);
    let another = json!({ "session": other.plan.session });
    area.call(Method::POST, &path, &ada, Some(another))
        .await
        .refused(ErrorCode::Refused);
    let storage = &area.app.state.storage;
    assert!(storage.session(session).await.unwrap().is_some());

    let left: ExportsWithSession = area
        .call(Method::POST, &path, &ada, Some(named.clone()))
        .await
        .json();
    assert_eq!(left, holding);
    assert!(storage.session(session).await.unwrap().is_none());
    assert!(
        storage
            .session(&other.plan.session)
            .await
            .unwrap()
            .is_some()
    );
    // It is gone from the table, and a second time there is no such session.
    let table: SessionTable = area
        .get(&routes::research_sessions(STUDY), &ada)
        .await
        .json();
    assert_eq!(table.all, 1);
    area.call(Method::POST, &path, &ada, Some(named))
        .await
        .refused(ErrorCode::Forbidden);
    let log: AuditLog = area.get(routes::AUDIT_LOG, &ada).await.json();
    let erased = log.entries.iter().find(|it| it.act == Act::Erased).unwrap();
    assert_eq!(erased.by.as_deref(), Some("ada"));
    assert_eq!(erased.session.as_deref(), Some(&*session.0));
}
