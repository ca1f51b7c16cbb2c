//! What `redial user list`, `roles` and `audit` print.

use api::research::{Right, Role};
use jiff::Timestamp;
use server::storage;

use crate::config::Config;
use crate::output::{Align, aligned, print};

/// The table of rights: a line for each right, a column for each role.
pub(super) fn table_of_rights() -> String {
    let mut lines = vec![
        std::iter::once("right".to_owned())
            .chain(Role::ALL.iter().map(|role| role.name().to_owned()))
            .chain(["what".to_owned()])
            .collect::<Vec<_>>(),
    ];
    lines.extend(Right::ALL.iter().map(|&right| {
        std::iter::once(right.name().to_owned())
            .chain(
                Role::ALL
                    .iter()
                    .map(|role| role.may(right).name().replace('_', " ")),
            )
            .chain([right.about().to_owned()])
            .collect()
    }));
    aligned(&[Align::Left; 6], &lines)
}

pub(super) async fn list(config: &Config, json: bool) -> anyhow::Result<()> {
    let archive = storage::open_archive(config.address()).await?;
    let users = archive.users().await;
    archive.close().await;
    let users = users?;
    if json {
        let list: Vec<_> = users
            .iter()
            .map(|user| {
                serde_json::json!({
                    "name": user.name,
                    "admin": user.admin,
                    "disabled": user.disabled,
                    "waits": user.waits,
                    "has_password": user.password.is_some(),
                    "vouched_for_by": user.identities.iter().map(|it| &it.issuer).collect::<Vec<_>>(),
                    "studies": user.memberships,
                })
            })
            .collect();
        return Ok(print(&(serde_json::to_string_pretty(&list)? + "\n"))?);
    }
    if users.is_empty() {
        return Ok(print(
            "Nobody has an account. `redial user add NAME --admin` makes the first one.\n",
        )?);
    }
    let mut lines = vec![["name", "state", "studies"].map(str::to_owned).to_vec()];
    for user in users {
        let can_sign_in = user.password.is_some() || !user.identities.is_empty();
        let state = match (user.disabled, user.waits, can_sign_in) {
            (true, ..) => "disabled",
            (false, true, _) => "waits to be let in",
            (false, false, false) => "no password yet",
            (false, false, true) => "active",
        };
        let admin = user.admin.then(|| "admin".to_owned());
        let studies = user.memberships.iter().map(|it| {
            let granted = if it.identifying { ", identifying" } else { "" };
            format!("{} ({}{granted})", it.study, it.role.name())
        });
        let all: Vec<String> = admin.into_iter().chain(studies).collect();
        lines.push(vec![user.name, state.to_owned(), all.join("; ")]);
    }
    Ok(print(&aligned(&[Align::Left; 3], &lines))?)
}

pub(super) async fn audit(
    config: &Config,
    study: Option<String>,
    most: u32,
    json: bool,
) -> anyhow::Result<()> {
    let archive = storage::open_archive(config.address()).await?;
    let studies = study.map(|study| vec![study]);
    let entries = archive.audit_log(studies.as_deref(), None, most).await;
    archive.close().await;
    let entries = entries?;
    if json {
        return Ok(print(&(serde_json::to_string_pretty(&entries)? + "\n"))?);
    }
    let lines: Vec<Vec<String>> = entries
        .into_iter()
        .map(|entry| {
            let at = i64::try_from(entry.at_unix_ms).ok();
            let at = at.and_then(|ms| Timestamp::from_millisecond(ms).ok());
            vec![
                entry.number.to_string(),
                at.map(|at| at.to_string()).unwrap_or_default(),
                match (entry.by, &entry.address) {
                    (Some(name), _) => name,
                    (None, None) => "(command)".to_owned(),
                    (None, Some(_)) => "(not signed in)".to_owned(),
                },
                entry.act.name().to_owned(),
                entry.study.unwrap_or_default(),
                entry.session.unwrap_or_default(),
                entry.about.unwrap_or_default(),
                entry.address.unwrap_or_default(),
            ]
        })
        .collect();
    let mut columns = [Align::Left; 8];
    columns[0] = Align::Right;
    Ok(print(&aligned(&columns, &lines))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_rights_names_every_role_and_right() {
        let table = table_of_rights();
        let first = table.lines().next().unwrap_or_default();
        for role in Role::ALL {
            assert!(first.contains(role.name()), "{table}");
        }
        assert_eq!(table.lines().count(), 1 + Right::ALL.len());
        assert!(table.contains("if granted"), "{table}");
    }
}
