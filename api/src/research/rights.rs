//! Roles, rights, and the one table of which role has which right.

use domain::json::named;
use serde::{Deserialize, Serialize};

/// What somebody is in a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Runs the study and decides.
    Owner,
    /// Works with its data.
    Analyst,
    /// Runs its lab sessions.
    Experimenter,
    /// Looks on.
    Viewer,
}

named!(Role: Owner, Analyst, Experimenter, Viewer);

/// What can be done in a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Right {
    /// See the study, its sessions without names, replays without sound and words, and the analysis.
    Look,
    /// See what is identifying: platforms' names for participants, signatures, typed words, sound, transcripts.
    Identify,
    /// Write notes.
    Annotate,
    /// Export.
    Export,
    /// Open, pause, close, publish; exclude, pay, approve, reject, erase.
    Manage,
}

named!(Right: Look, Identify, Annotate, Export, Manage);

/// Whether a role has a right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// For all sessions.
    Yes,
    /// For all sessions, if an owner has granted it to this person.
    IfGranted,
    /// For the lab sessions that this person has run.
    OwnSessions,
    /// Never.
    No,
}

named!(Permission: Yes, IfGranted, OwnSessions, No);

/// What a token may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// To look at what its person may look at.
    Read,
    /// To export.
    Export,
    /// To decide and to change.
    Manage,
}

named!(Scope: Read, Export, Manage);

impl Role {
    /// The table of rights.
    #[must_use]
    pub const fn may(self, right: Right) -> Permission {
        use Permission::{IfGranted, No, OwnSessions, Yes};
        match (right, self) {
            (Right::Look, Self::Experimenter) => OwnSessions,
            (Right::Look, _) => Yes,

            (Right::Identify, Self::Owner) => Yes,
            (Right::Identify, Self::Analyst) => IfGranted,
            (Right::Identify, Self::Experimenter) => OwnSessions,
            (Right::Identify, Self::Viewer) => No,

            (Right::Annotate, Self::Owner | Self::Analyst) => Yes,
            (Right::Annotate, Self::Experimenter) => OwnSessions,
            (Right::Annotate, Self::Viewer) => No,

            (Right::Export, Self::Owner | Self::Analyst) => Yes,
            (Right::Export, Self::Experimenter | Self::Viewer) => No,

            (Right::Manage, Self::Owner) => Yes,
            (Right::Manage, _) => No,
        }
    }
}

impl Right {
    /// The scope that a token needs for it.
    #[must_use]
    pub const fn scope(self) -> Scope {
        match self {
            Self::Look | Self::Identify => Scope::Read,
            Self::Export => Scope::Export,
            Self::Annotate | Self::Manage => Scope::Manage,
        }
    }

    /// Its uses, in words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Look => {
                "studies, sessions without names, replay without sound and words, analysis"
            }
            Self::Identify => "platform ids, signatures, typed words, sound, transcripts",
            Self::Annotate => "notes",
            Self::Export => "export",
            Self::Manage => "open, pause, close, publish, exclude, pay, approve, reject, erase",
        }
    }
}

/// What somebody may do in a study.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Membership {
    /// The study.
    pub study: String,
    /// What they are in it.
    pub role: Role,
    /// Whether they were granted what a role has [`Permission::IfGranted`].
    #[serde(default)]
    pub identifying: bool,
}

impl Membership {
    /// Whether they have a right for a session, or for the study as a whole where `own` is false: `own` says
    /// that it is a lab session that they have run.
    #[must_use]
    pub fn may(&self, right: Right, own: bool) -> bool {
        match self.role.may(right) {
            Permission::Yes => true,
            Permission::IfGranted => self.identifying,
            Permission::OwnSessions => own,
            Permission::No => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_rights_is_that_of_the_specification() {
        use Permission::{IfGranted, No, OwnSessions, Yes};
        // Owner, analyst, experimenter, viewer.
        let expected = [
            (Right::Look, [Yes, Yes, OwnSessions, Yes]),
            (Right::Identify, [Yes, IfGranted, OwnSessions, No]),
            (Right::Annotate, [Yes, Yes, OwnSessions, No]),
            (Right::Export, [Yes, Yes, No, No]),
            (Right::Manage, [Yes, No, No, No]),
        ];
        for (right, permissions) in expected {
            let found: Vec<Permission> = Role::ALL.iter().map(|role| role.may(right)).collect();
            assert_eq!(found, permissions, "{right:?}");
        }
    }

    #[test]
    fn what_is_granted_and_what_is_own_counts_where_the_table_says_so() {
        let member = |role, identifying| Membership {
            study: "s".to_owned(),
            role,
            identifying,
        };
        assert!(!member(Role::Analyst, false).may(Right::Identify, true));
        assert!(member(Role::Analyst, true).may(Right::Identify, false));
        // A grant gives nobody more than their role can have.
        assert!(!member(Role::Viewer, true).may(Right::Identify, true));
        assert!(member(Role::Experimenter, false).may(Right::Look, true));
        assert!(!member(Role::Experimenter, false).may(Right::Look, false));
    }

    #[test]
    fn names_are_those_of_the_records() {
        assert_eq!(Role::of_name("Owner"), None);
        for role in Role::ALL {
            assert_eq!(Role::of_name(role.name()), Some(role));
        }
    }
}
