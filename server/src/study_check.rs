//! `redial study check`: every problem of every file, before anybody takes the study.

use std::path::Path;

use domain::check::{Problem, Surroundings, check};
use domain::model::ModelFacts;
use domain::study::Study;
use models::Zoo;

/// A zoo and the folder a study lies in.
pub struct Here<'a> {
    /// Models the study may use.
    pub zoo: &'a Zoo,
    /// Folder of the study file.
    pub folder: &'a Path,
}

impl Surroundings for Here<'_> {
    fn model(&self, name: &str) -> Option<&ModelFacts> {
        self.zoo.get(name).map(|bundle| &bundle.card().facts)
    }

    fn model_names(&self) -> Vec<String> {
        self.zoo.names().map(str::to_owned).collect()
    }

    fn has_file(&self, name: &str) -> bool {
        self.folder.join(name).is_file()
    }
}

/// Checks one study file.
///
/// # Errors
/// All problems found; a file that cannot be read is one problem.
pub fn check_file(path: &Path, zoo: &Zoo) -> Result<Study, Vec<Problem>> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        vec![Problem {
            path: String::new(),
            found: format!("no readable text ({error})"),
            expected: "name a JSON file in UTF-8".into(),
        }]
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    check(&text, &Here { zoo, folder })
}
