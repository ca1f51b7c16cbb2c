//! The check of a stage, as a task sees it.

use crate::common::problem::{StudyProblem, StudyWarning, suggest};
use crate::concepts::{ConceptCard, ConceptSource};
use crate::model::distance::reaches;
use crate::model::{ModelFacts, ModelSource};

/// The models, files and other studies to which a study may refer.
pub trait CheckContext {
    /// The models there are.
    fn models(&self) -> &dyn ModelSource;
    /// Names of all models.
    fn model_names(&self) -> Vec<String>;
    /// Whether a file of this name lies beside the study and can be used.
    ///
    /// # Errors
    /// The entry that would be right, as [`StudyProblem::expected`] says it.
    fn file(&self, name: &str) -> Result<(), String>;
    /// Names of the other studies that a study can refer to; `None` where they are not known.
    fn studies(&self) -> Option<Vec<String>> {
        None
    }
}

/// A task's view of the check of one stage.
pub struct TaskCheck<'a> {
    /// Whether the stage is practice.
    pub practice: bool,
    pub(crate) path: String,
    pub(crate) context: &'a dyn CheckContext,
    pub(crate) problems: &'a mut Vec<StudyProblem>,
    pub(crate) warnings: &'a mut Vec<StudyWarning>,
}

impl<'a> TaskCheck<'a> {
    /// Notes a problem at a place within the task's settings.
    pub fn problem(&mut self, place: &str, found: impl Into<String>, expected: impl Into<String>) {
        self.problems.push(StudyProblem {
            path: format!("{}.{place}", self.path),
            found: found.into(),
            expected: expected.into(),
        });
    }

    /// Notes a warning at a place within the task's settings.
    pub fn warning(&mut self, place: &str, said: impl Into<String>) {
        self.warnings.push(StudyWarning {
            path: format!("{}.{place}", self.path),
            said: said.into(),
        });
    }

    /// The models there are.
    #[must_use]
    pub fn models(&self) -> &'a dyn ModelSource {
        self.context.models()
    }

    /// The model of that name; if there is none, that is a problem at `place`.
    pub fn model(&mut self, place: &str, name: &str) -> Option<&'a ModelFacts> {
        let model = self.context.models().facts(name);
        if model.is_none() {
            let near = suggest(name, &self.context.model_names());
            self.problem(
                place,
                format!("'{name}'"),
                format!("there is no such model; {near}"),
            );
        }
        model
    }

    /// The card of a bundle of concepts; if there is no such bundle, that is a problem at `place`.
    pub fn concepts(&mut self, place: &str, name: &str) -> Option<&'a ConceptCard> {
        let source = self.context.models().concepts();
        let card = source.and_then(|source| source.card(name));
        if card.is_none() {
            let near = suggest(name, &source.map_or_else(Vec::new, ConceptSource::names));
            self.problem(
                place,
                format!("'{name}'"),
                format!("there is no such bundle of concepts; {near}"),
            );
        }
        card
    }

    /// Whether a question would be solved at its start.
    #[must_use]
    pub fn is_solved(&self, model: &ModelFacts, start: &[f64], target: &[f64]) -> bool {
        let decode = |z| self.context.models().decode(&model.name, z);
        let (Some(x), Some(wanted)) = (decode(start), decode(target)) else {
            return false;
        };
        let distance = model.distance.between(model.shape, &x, &wanted);
        distance.is_ok_and(|distance| reaches(distance, model.threshold))
    }
}
