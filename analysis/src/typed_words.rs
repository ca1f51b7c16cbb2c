//! The words of an analysis that participants typed: the names that they gave to dials.

use domain::questionnaire::WITHHELD;

use crate::report::Analysis;

impl Analysis {
    /// Puts [`WITHHELD`] in the place of every word that somebody typed; whether there were any. How many gave a name, and
    /// what follows from the names, stays.
    pub fn hide_typed_words(&mut self) -> bool {
        let mut any = false;
        for sample in [&mut self.included, &mut self.everyone] {
            for row in &mut sample.labels {
                let given: usize = row.labels.iter().map(|(_, people)| people).sum();
                if given > 0 {
                    row.labels = vec![(WITHHELD.to_owned(), given)];
                    any = true;
                }
            }
        }
        any
    }
}
