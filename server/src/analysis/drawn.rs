//! An analysis with its figures, which are drawn once.

use std::sync::{Arc, OnceLock};

use analysis::ModelCard;
use api::research::{AnalysisView, FigureDrawing};
use figures::{Figure, figures};

use super::view::{self, Shown};
use super::{AnalysisFileError, StudyAnalysis, analysis_files};

/// Most rows of a figure's data that are shown; the file has all.
const MOST_ROWS: usize = 500;

/// An analysis with what is drawn of it.
pub struct DrawnAnalysis {
    study: String,
    found: StudyAnalysis,
    /// The same without typed words; none where there are none.
    hidden: OnceLock<Option<StudyAnalysis>>,
    cards: Arc<[ModelCard]>,
    /// Of each version.
    figures: OnceLock<Vec<Vec<Figure>>>,
}

impl DrawnAnalysis {
    /// An analysis of a study of which nothing is drawn yet. `cards` are those of the models that are at hand.
    #[must_use]
    pub fn new(study: &str, found: StudyAnalysis, cards: Arc<[ModelCard]>) -> Self {
        Self {
            study: study.to_owned(),
            found,
            hidden: OnceLock::new(),
            cards,
            figures: OnceLock::new(),
        }
    }

    /// Whether participants typed any words in it.
    #[must_use]
    pub fn has_typed_words(&self) -> bool {
        self.hidden().is_some()
    }

    fn hidden(&self) -> Option<&StudyAnalysis> {
        let hide = || {
            let mut found = self.found.clone();
            found.hide_typed_words().then_some(found)
        };
        self.hidden.get_or_init(hide).as_ref()
    }

    /// The analysis, with what participants typed only for those who are to see it.
    fn analysis(&self, typed_words: bool) -> &StudyAnalysis {
        if typed_words {
            return &self.found;
        }
        self.hidden().unwrap_or(&self.found)
    }

    fn figures(&self) -> &[Vec<Figure>] {
        self.figures.get_or_init(|| {
            let versions = self.found.versions.iter();
            versions
                .map(|version| figures(version, &self.cards))
                .collect()
        })
    }

    /// The view of it that a page shows.
    #[must_use]
    pub fn view(&self, typed_words: bool) -> AnalysisView {
        let found = self.analysis(typed_words);
        view::of_study(found, &self.cards, self.figures(), self.has_typed_words())
    }

    /// A file of the folder that `redial analyze --out` writes, by its name; none if there is no such file.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn file(
        &self,
        name: &str,
        typed_words: bool,
    ) -> Result<Option<Vec<u8>>, AnalysisFileError> {
        let found = self.analysis(typed_words);
        let files = analysis_files(&self.study, found, &self.cards);
        let file = files.iter().find(|file| file.name == name);
        file.map(|file| file.bytes()).transpose()
    }

    /// A figure of a version, by its name and the version's hash. `replay` gives the address of a session's replay.
    #[must_use]
    pub fn drawing(
        &self,
        version: &str,
        name: &str,
        replay: &dyn Fn(&super::SessionBehind) -> String,
    ) -> Option<FigureDrawing> {
        let mut versions = self.found.versions.iter();
        let place = versions.position(|it| it.study_sha256 == version)?;
        let mut drawn = self.figures().get(place)?.iter();
        let figure = drawn.find(|it| it.name == name)?;
        let link = |person: usize| {
            let behind = self.found.behind.person(place, person)?;
            let words = format!("Person {person}, session {}", behind.ordinal);
            Some((replay(behind), words))
        };
        let shown = Shown {
            behind: &self.found.behind,
            version: place,
        };
        Some(FigureDrawing {
            svg: figure.to_linked(&link),
            rows: figure.data.rows.len() as u64,
            data: shown.table(&figure.data, MOST_ROWS),
        })
    }
}
