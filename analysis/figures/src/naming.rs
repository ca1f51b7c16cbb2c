//! The names of concepts: how often each term was given, as figures 11 and 12 of BotCL's supplement.

use analysis::table::{ColumnKind, TableCell, TableColumn};
use analysis::{ConceptNames, NamingResults, NamingRow, Sample};

use crate::canvas::{Anchor, Area, BODY, Canvas, SMALL, TITLE, Type};
use crate::figure::Figure;
use crate::ink::{Ink, Rgb, between, on};
use crate::layout::GAP;
use crate::letters::{cut, width as width_of};

/// The colour of nobody, and of everybody.
const ENDS: [Rgb; 2] = [[247, 247, 247], [0, 84, 147]];
/// Height of a concept's row.
const ROW: f64 = 13.0;

/// A figure for each bundle of concepts.
pub(crate) fn figures(sample: &Sample) -> Vec<Figure> {
    let of_vocabulary = |found: &NamingResults| {
        let bundles = found.bundles.iter();
        bundles.map(figure).collect::<Vec<_>>()
    };
    sample.naming.iter().flat_map(of_vocabulary).collect()
}

fn figure(row: &NamingRow) -> Figure {
    let caption = format!(
        "What the concepts of “{}” were called: number of people, of the included ones, who gave each term (columns) to \
         each concept (rows), and in the last column of those who named nothing. Shades are shares of the people who were \
         asked, from none to all. {} people; no test.",
        row.bundle, row.people
    );
    let name = format!("naming-{}", analysis::table::file_name(&row.bundle));
    let columns = vec![
        TableColumn::new("Concept", ColumnKind::Text),
        TableColumn::keyed("Group of terms", "term_group", ColumnKind::Text),
        TableColumn::new("Term", ColumnKind::Text),
        TableColumn::keyed("Given by", "given_by", ColumnKind::Count),
        TableColumn::keyed("Of", "people", ColumnKind::Count),
    ];
    let mut data = Vec::new();
    for concept in &row.concepts {
        for (group, term, count) in cells(concept) {
            data.push(vec![
                TableCell::text(&concept.concept),
                TableCell::text(group),
                TableCell::text(term),
                TableCell::Count(count),
                TableCell::Count(concept.people),
            ]);
        }
    }
    Figure::new(name, caption, columns, data, |width| draw(width, row))
}

/// Group, term and how often it was given; the last one is that nothing was named.
fn cells(concept: &ConceptNames) -> Vec<(&str, &str, usize)> {
    let mut cells = Vec::new();
    for group in &concept.groups {
        let terms = group.terms.iter();
        cells.extend(terms.map(|(term, count)| (group.group.as_str(), term.as_str(), *count)));
    }
    cells.push(("", "none of them", concept.named_nothing));
    cells
}

fn draw(width: f64, row: &NamingRow) -> Canvas {
    let mut canvas = Canvas::new(width);
    let Some(first) = row.concepts.first() else {
        return canvas;
    };
    let heads = cells(first);
    let names = row.concepts.iter().map(|it| it.concept.as_str());
    let widest = names
        .map(|it| width_of(it, BODY.size, false))
        .fold(0.0, f64::max);
    let left = widest.min(width / 4.0) + 5.0;
    let column = (width - left) / heads.len() as f64;
    let longest = heads
        .iter()
        .map(|(_, term, _)| width_of(term, SMALL.size, false));
    let room = longest.fold(0.0, f64::max).min(110.0) + 4.0;
    let top = TITLE.size + 6.0 + room;
    canvas.text((0.0, TITLE.size), Anchor::Start, TITLE, &row.bundle);
    for (at, (_, term, _)) in heads.iter().enumerate() {
        let x = left + (at as f64 + 0.5) * column + SMALL.size * 0.33;
        let term = cut(term, SMALL.size, false, room - 4.0);
        canvas.turned((x, top - 3.0), Anchor::Start, SMALL, &term, -90.0);
    }
    for (place, concept) in row.concepts.iter().enumerate() {
        let y = top + place as f64 * ROW;
        let at = (left - 4.0, y + ROW / 2.0 + BODY.size * 0.36);
        let name = cut(&concept.concept, BODY.size, false, left - 5.0);
        canvas.text(at, Anchor::End, BODY, &name);
        for (number, (group, _, count)) in cells(concept).into_iter().enumerate() {
            // A gap where another group begins.
            let begins = number > 0 && heads[number - 1].0 != group;
            let inset = if begins { 2.0 } else { 0.0 };
            let x = left + number as f64 * column + inset;
            let area = Area::new(x, y, column - 1.0 - inset, ROW - 1.0);
            let share = count as f64 / concept.people.max(1) as f64;
            let colour = between(ENDS[0], ENDS[1], share);
            canvas.rect(area, Ink::Fixed(colour), 1.0);
            if count > 0 && column >= 9.0 {
                let at = (area.x + area.w / 2.0, y + ROW / 2.0 + 2.0);
                let style = Type {
                    ink: on(colour),
                    size: 6.0,
                    ..SMALL
                };
                canvas.text(at, Anchor::Middle, style, &count.to_string());
            }
        }
    }
    canvas.height = top + row.concepts.len() as f64 * ROW + GAP / 3.0;
    canvas
}
