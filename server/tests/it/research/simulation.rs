//! Simulated people take a study because an owner wants them to.

use std::time::Duration;

use api::research::{
    Act, AuditLog, LastSimulation, Role, SessionTable, SimulationInfo, SimulationState, Studies,
};
use api::{ErrorCode, routes};
use axum::http::Method;
use serde_json::{Value, json};

use super::{Area, Shows};
use crate::app::STUDY;

async fn begin(area: &Area, shows: &Shows, body: Value) -> crate::app::AppResponse {
    let path = routes::research_simulation(STUDY);
    area.call(Method::POST, &path, shows, Some(body)).await
}

async fn last(area: &Area, shows: &Shows) -> Option<SimulationInfo> {
    let found: LastSimulation = area
        .get(&routes::research_simulation(STUDY), shows)
        .await
        .json();
    found.last
}

/// The last simulation, once it has ended.
async fn ended(area: &Area, shows: &Shows) -> SimulationInfo {
    for _ in 0..1_200 {
        let found = last(area, shows).await.unwrap();
        if found.state != SimulationState::Running {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("simulated people do not come to an end");
}

#[tokio::test]
async fn simulated_people_take_a_study_and_are_kept_apart() {
    let area = Area::new().await;
    area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
    area.add("vi", false, &[(STUDY, Role::Viewer, false)]).await;
    let (ada, vi) = (area.sign_in("ada").await, area.sign_in("vi").await);
    assert_eq!(last(&area, &vi).await, None);
    for (body, words) in [
        (json!({ "participants": 0 }), "1 to 500"),
        (json!({ "participants": 501 }), "redial simulate"),
        (json!({ "participants": 1, "strategy": "luck" }), "luck"),
    ] {
        let refused = begin(&area, &ada, body).await.refused(ErrorCode::Refused);
        assert!(refused.message.contains(words), "{}", refused.message);
    }
    let wanted = json!({ "participants": 3, "strategy": "knows_dimensions", "seed": 5 });
    begin(&area, &vi, wanted.clone())
        .await
        .refused(ErrorCode::Forbidden);
    let begun: SimulationInfo = begin(&area, &ada, wanted.clone()).await.json();
    assert_eq!(begun.state, SimulationState::Running);
    let found = ended(&area, &vi).await;
    assert_eq!(
        (found.state, found.people_done),
        (SimulationState::Done, 3),
        "{found:?}"
    );
    let people = found.found.unwrap();
    assert_eq!((people.started, people.complete), (3, 3));
    assert_eq!(people.strategies["knows_dimensions"], 3);

    // They are in the table where they are asked for, and nowhere else.
    let rows = async |filter: &str| {
        let path = format!("{}?{filter}", routes::research_sessions(STUDY));
        let table: SessionTable = area.get(&path, &ada).await.json();
        table.rows.len()
    };
    assert_eq!(rows("").await, 0);
    assert_eq!(rows("filter=purpose%3Dsimulated").await, 3);
    let studies: Studies = area.get(routes::RESEARCH_STUDIES, &ada).await.json();
    assert_eq!(studies.studies[0].counts.started, 0);
    let log: AuditLog = area.get(routes::AUDIT_LOG, &ada).await.json();
    let acts = log.entries.iter().filter(|it| it.act == Act::Simulated);
    assert_eq!(acts.count(), 1);

    // The same people do not come twice.
    begin(&area, &ada, wanted).await;
    let again = ended(&area, &ada).await;
    assert_eq!(again.state, SimulationState::Failed);
    assert!(again.problem.unwrap().contains("seed 5"));

    // One at a time, and it can be stopped.
    let many = json!({ "participants": 500, "seed": 6 });
    assert_eq!(begin(&area, &ada, many.clone()).await.status, 200);
    let busy = begin(&area, &ada, many).await.refused(ErrorCode::Refused);
    assert!(busy.message.contains(STUDY), "{}", busy.message);
    let path = routes::research_simulation(STUDY);
    let stopped = area.call(Method::DELETE, &path, &ada, None).await;
    assert_eq!(stopped.status, 200);
    assert_eq!(ended(&area, &ada).await.state, SimulationState::Stopped);
    let again = area.call(Method::DELETE, &path, &ada, None).await;
    again.refused(ErrorCode::NotFound);
}
