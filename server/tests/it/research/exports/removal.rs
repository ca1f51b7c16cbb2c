//! Who removes exports, and that it is noted.

use api::research::{Act, Role};
use api::{ErrorCode, routes};
use axum::http::Method;
use serde_json::json;

use super::super::{Area, Shows};
use super::{area, begin, ended};
use crate::app::{AppResponse, STUDY};

/// What is answered to somebody who removes an export, and what is noted of it.
async fn remove(area: &Area, id: &str, shows: &Shows) -> (AppResponse, Vec<(Option<String>, Act)>) {
    let before = area.acts().await.len();
    let path = routes::research_export(STUDY, id);
    let answer = area.call(Method::DELETE, &path, shows, None).await;
    (answer, area.acts().await.split_off(before))
}

#[tokio::test]
async fn an_export_is_removed_by_those_who_could_have_made_it_and_that_is_noted() {
    let (area, analyst) = area(Role::Analyst, false).await;
    area.add("owner", false, &[(STUDY, Role::Owner, false)])
        .await;
    let owner = area.sign_in("owner").await;
    let identifying = begin(&area, &owner, json!({ "identifying": true })).await;
    let own = begin(&area, &analyst, json!({})).await;
    ended(&area, &owner, &identifying.id).await;
    ended(&area, &owner, &own.id).await;

    let (answer, acts) = remove(&area, &identifying.id, &analyst).await;
    answer.refused(ErrorCode::Forbidden);
    assert_eq!(acts, []);
    let noted = |by: &str| [(Some(by.to_owned()), Act::ExportRemoved)];
    let (answer, acts) = remove(&area, &own.id, &analyst).await;
    assert_eq!((answer.status.as_u16(), acts), (200, noted("ada").to_vec()));
    let (answer, acts) = remove(&area, &identifying.id, &owner).await;
    assert_eq!(
        (answer.status.as_u16(), acts),
        (200, noted("owner").to_vec())
    );
    let (answer, acts) = remove(&area, &identifying.id, &owner).await;
    answer.refused(ErrorCode::NotFound);
    assert_eq!(acts, [], "what is not there is not removed");
}
