//! Marks that stand for a person, and links from them.

use std::fmt::Write as _;

use analysis::table::escaped_html as escaped;

use super::Canvas;

/// Address of a person, by number among all who started, and words for it; none: nothing leads to them.
pub type PersonLink<'a> = &'a dyn Fn(usize) -> Option<(String, String)>;

impl Canvas {
    /// Draws what stands for a person. Within it nothing else may stand for anybody.
    pub(crate) fn of_person<T>(&mut self, person: usize, draw: impl FnOnce(&mut Self) -> T) -> T {
        let from = self.body.len();
        let drawn = draw(self);
        self.people.push((from..self.body.len(), person));
        drawn
    }

    /// The marks as SVG. Where `link` gives somebody an address and words for it, what stands for them leads there. Such
    /// links are for pointers: there can be thousands, so the keyboard passes them by, and the figure's data lead
    /// to the same places.
    pub(crate) fn marks(&self, link: PersonLink<'_>) -> String {
        let mut out = String::with_capacity(self.body.len());
        let mut done = 0;
        for (place, person) in &self.people {
            let Some((address, words)) = link(*person) else {
                continue;
            };
            out += self.body.get(done..place.start).unwrap_or_default();
            let marks = self.body.get(place.clone()).unwrap_or_default();
            let (address, words) = (escaped(&address), escaped(&words));
            // A link's name is its text; marks have none, and show the words to a pointer that rests on them.
            let (name, tip) = if marks.contains("<text") {
                (String::new(), String::new())
            } else {
                let name = format!(" aria-label=\"{words}\"");
                (name, format!("<title>{words}</title>"))
            };
            // Writing to a string cannot fail.
            let _ = write!(
                out,
                "<a href=\"{address}\" tabindex=\"-1\"{name}>{tip}{marks}</a>"
            );
            done = place.end;
        }
        out + self.body.get(done..).unwrap_or_default()
    }
}
