//! How much of a database is copied: all of it, or what belongs to one study.

use std::collections::BTreeSet;

use futures_util::TryStreamExt as _;

use super::super::super::secret_names;
use super::super::super::{CopyError, Result, StorageError};
use super::super::connection::{Connection, Dialect, Query, query};
use super::super::plan;

/// Which rows of a table belong to one study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfStudy {
    /// Those that name it.
    Named,
    /// Those of its sessions.
    Session,
    /// Those of its versions.
    Version,
    /// The pictures and series that plans of its sessions name.
    Instance,
    /// The models that plans of its sessions name.
    Bundle,
    /// The models, and the sound of its sessions.
    Blob,
    /// The skeletons that plans of its sessions are packed with.
    Skeleton,
    /// The secrets that its sessions need.
    Secret,
    /// None.
    Nothing,
}

/// The part of a database that is copied.
pub(super) enum Part {
    /// All rows of all tables.
    Whole,
    /// The rows of one study.
    Study {
        study: String,
        /// Hashes of what plans name, as JSON.
        instances: String,
        bundles: String,
    },
}

impl Part {
    /// All of a database, or of what it holds the part of one study.
    ///
    /// # Errors
    /// When the database does not have the study, or fails.
    pub(super) async fn of(
        from: &mut dyn Connection,
        study: Option<&str>,
    ) -> std::result::Result<Self, CopyError> {
        let Some(study) = study else {
            return Ok(Self::Whole);
        };
        let is_there = query(
            "SELECT 1 FROM study_versions WHERE study = ?1 \
             UNION SELECT 1 FROM assignments WHERE study = ?1 \
             UNION SELECT 1 FROM erasures WHERE study = ?1",
        );
        let is_there = is_there.bind(study).fetch_optional(&mut *from).await;
        if is_there.map_err(StorageError::from)?.is_none() {
            return Err(CopyError::NoStudy(study.to_owned()));
        }
        let (instances, bundles) = named_by_plans(from, study).await?;
        let json = |hashes| serde_json::to_string(&hashes).map_err(StorageError::backend);
        Ok(Self::Study {
            study: study.to_owned(),
            instances: json(instances)?,
            bundles: json(bundles)?,
        })
    }

    /// The study, if it is one.
    pub(super) fn study(&self) -> Option<&str> {
        match self {
            Self::Whole => None,
            Self::Study { study, .. } => Some(study),
        }
    }

    /// The rows of a table that belong to it, by the beginning and the end of a statement that selects all.
    pub(super) fn select<'q>(
        &'q self,
        dialect: Dialect,
        of_study: OfStudy,
        [select, order]: [&str; 2],
    ) -> Query<'q> {
        let Self::Study {
            study,
            instances,
            bundles,
        } = self
        else {
            return query(format!("{select} {order}"));
        };
        let list = match dialect {
            Dialect::Sqlite => "(SELECT value FROM json_each(?))",
            Dialect::Postgres => "(SELECT json_array_elements_text(CAST(? AS json)))",
        };
        const SESSIONS: &str = "session IN (SELECT id FROM sessions WHERE study = ?)";
        let (condition, value) = match of_study {
            OfStudy::Named => ("study = ?".to_owned(), study.clone()),
            OfStudy::Session => (SESSIONS.to_owned(), study.clone()),
            OfStudy::Skeleton => {
                let skeletons = format!("name IN (SELECT packed_with FROM plans WHERE {SESSIONS})");
                (skeletons, study.clone())
            }
            OfStudy::Blob => {
                let sound = format!("SELECT sha256 FROM recording_pieces WHERE {SESSIONS}");
                let blobs =
                    format!("{select} WHERE sha256 IN ({sound}) OR sha256 IN {list} {order}");
                return query(blobs).bind(study.clone()).bind(bundles.clone());
            }
            OfStudy::Version => {
                let versions =
                    "study_sha256 IN (SELECT sha256 FROM study_versions WHERE study = ?)";
                (versions.to_owned(), study.clone())
            }
            OfStudy::Instance => (format!("sha256 IN {list}"), instances.clone()),
            OfStudy::Bundle => (format!("sha256 IN {list}"), bundles.clone()),
            OfStudy::Secret => {
                let names = serde_json::json!(secret_names::OF_SESSIONS);
                (format!("name IN {list}"), names.to_string())
            }
            OfStudy::Nothing => return query(format!("{select} WHERE 1 = 0 {order}")),
        };
        query(format!("{select} WHERE {condition} {order}")).bind(value)
    }
}

/// Hashes of the instances and of the models that plans of a study's sessions name. A plan that cannot be read names
/// none.
async fn named_by_plans(
    from: &mut dyn Connection,
    study: &str,
) -> Result<(BTreeSet<String>, BTreeSet<String>)> {
    let (mut instances, mut bundles) = (BTreeSet::new(), BTreeSet::new());
    let plans = query(
        "SELECT plans.*, skeleton FROM plans JOIN sessions ON id = session \
         LEFT JOIN plan_skeletons ON name = packed_with WHERE study = ?",
    );
    let mut rows = plans.bind(study).fetch(from);
    while let Some(row) = rows.try_next().await? {
        match plan::read(&row) {
            Ok((plan, _, _)) => {
                instances.extend(plan.instances().into_iter().map(|it| it.0.clone()));
                bundles.extend(plan.models().into_iter().map(|it| it.bundle_sha256.clone()));
            }
            Err(error) if error.is_damage() => {}
            Err(error) => return Err(error),
        }
    }
    Ok((instances, bundles))
}
