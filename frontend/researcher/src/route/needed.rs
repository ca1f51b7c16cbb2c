//! Which right each page needs, by the table of roles that the server goes by, too.

use api::research::{Me, Membership, Permission, Right, Role};

use super::Route;
use crate::text::text;
use crate::words::list;

impl Route {
    /// The study of a page, the right that is needed there, and whether the right for some sessions is enough. None for pages
    /// of no study.
    fn needed(&self) -> Option<(&str, Right, bool)> {
        let (study, right, for_some) = match self {
            Self::Study(study) => (study, Right::Look, false),
            Self::People { study, .. } => (study, Right::Look, true),
            Self::Replay { study, .. } | Self::Beside { study, .. } => (study, Right::Look, true),
            Self::Questions { study, .. } => (study, Right::Look, false),
            Self::Analysis { study, .. } | Self::Trust { study, .. } => (study, Right::Look, false),
            Self::Plan(study) => (study, Right::Look, false),
            Self::Exports(study) => (study, Right::Export, false),
            Self::Decisions(study) => (study, Right::Manage, false),
            Self::Match(study) => (study, Right::Identify, false),
            Self::Studies | Self::Account | Self::Audit | Self::Unknown => return None,
        };
        Some((study, right, for_some))
    }

    /// Why somebody may not open a page, in sentences; nothing where they may.
    pub fn refusal(&self, me: &Me) -> Option<String> {
        let (study, right, for_some) = self.needed()?;
        let Some(member) = me.studies.iter().find(|it| it.study == study) else {
            return Some(text().pages.no_role(study));
        };
        if member.may(right, false) || (for_some && member.may(right, true)) {
            return None;
        }
        Some(
            text()
                .pages
                .no_right(to_do(right), holders(right), a_role(member.role), study),
        )
    }

    /// The people of the same study, for those who may see some of its sessions there and not the page itself.
    pub fn own_sessions(&self, me: &Me) -> Option<Self> {
        let (study, ..) = self.needed()?;
        let member = me.studies.iter().find(|it| it.study == study)?;
        let some = |it: &Membership| it.may(Right::Look, true) && !it.may(Right::Look, false);
        some(member).then(|| Self::participants(study))
    }
}

fn to_do(right: Right) -> &'static str {
    let words = &text().pages;
    match right {
        Right::Look => words.right_look(),
        Right::Identify => words.right_identify(),
        Right::Annotate => words.right_annotate(),
        Right::Export => words.right_export(),
        Right::Manage => words.right_manage(),
    }
}

/// The roles that have a right for all sessions.
fn holders(right: Right) -> String {
    let words = |role: Role| match role.may(right) {
        Permission::Yes => Some(plural(role).to_owned()),
        Permission::IfGranted => Some(text().pages.if_granted(plural(role))),
        Permission::OwnSessions | Permission::No => None,
    };
    let names: Vec<String> = Role::ALL.into_iter().filter_map(words).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let words = list(&names);
    let mut letters = words.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn plural(role: Role) -> &'static str {
    let words = &text().pages;
    match role {
        Role::Owner => words.owners(),
        Role::Analyst => words.analysts(),
        Role::Experimenter => words.experimenters(),
        Role::Viewer => words.viewers(),
    }
}

fn a_role(role: Role) -> &'static str {
    let words = &text().pages;
    match role {
        Role::Owner => words.an_owner(),
        Role::Analyst => words.an_analyst(),
        Role::Experimenter => words.an_experimenter(),
        Role::Viewer => words.a_viewer(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn somebody(role: Role, identifying: bool) -> Me {
        Me {
            name: "vic".to_owned(),
            admin: false,
            studies: vec![Membership {
                study: "curves".to_owned(),
                role,
                identifying,
            }],
            change_key: None,
        }
    }

    #[test]
    fn pages_are_for_whom_the_table_says() {
        let at = |path: &str| Route::parse(&format!("/research/studies/curves{path}"), "");
        // Owner, analyst, experimenter, viewer.
        for (path, expected) in [
            ("", [true, true, false, true]),
            ("/people", [true; 4]),
            ("/replay/x", [true; 4]),
            ("/beside", [true; 4]),
            ("/questions", [true, true, false, true]),
            ("/analysis", [true, true, false, true]),
            ("/exports", [true, true, false, false]),
            ("/decisions", [true, false, false, false]),
            ("/match", [true, false, false, false]),
        ] {
            let may = |role: &Role| at(path).refusal(&somebody(*role, false)).is_none();
            let found: Vec<bool> = Role::ALL.iter().map(may).collect();
            assert_eq!(found, expected, "{path}");
        }
        let granted = somebody(Role::Analyst, true);
        assert_eq!(at("/match").refusal(&granted), None);
        assert_eq!(Route::Account.refusal(&granted), None);
        let own = at("").own_sessions(&somebody(Role::Experimenter, false));
        assert_eq!(own, Some(Route::participants("curves")));
        assert_eq!(at("").own_sessions(&granted), None);
    }

    #[test]
    fn a_refusal_says_which_right_and_who_gives_it() {
        let viewer = somebody(Role::Viewer, false);
        let words = Route::Exports("curves".to_owned()).refusal(&viewer);
        assert_eq!(
            words.as_deref(),
            Some(
                "This page needs the right to export. Owners and analysts have it; you are a viewer of the study “curves”. Whoever runs the server can give you another role, with redial user role."
            )
        );
        let words = Route::Match("curves".to_owned()).refusal(&viewer);
        let words = words.unwrap_or_default();
        assert!(words.contains("Owners and analysts to whom it was granted have it"));
        let words = Route::Study("other".to_owned()).refusal(&viewer);
        assert!(words.is_some_and(|it| it.starts_with("You have no role in a study “other”")));
    }
}
