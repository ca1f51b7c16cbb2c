//! How far people came.

use analysis::table::{ColumnKind, TableCell, TableColumn};
use analysis::{Analysis, FunnelStep};

use crate::canvas::{Anchor, Area, BODY, Canvas, Type};
use crate::figure::Figure;
use crate::ink::Ink;
use crate::letters::wrapped;

/// Height of a step.
const LINE: f64 = 19.0;

/// All who started, and how many of them came to each step.
pub(crate) fn figure(analysis: &Analysis) -> Option<Figure> {
    let steps = &analysis.funnel;
    let started = steps.first()?.people;
    if started == 0 {
        return None;
    }
    let caption = format!(
        "From starting to being included: people who came to each step, with their share of the {started} who \
         started. Stages count in each person's own order. No test."
    );
    let name = "funnel".to_owned();
    let columns = vec![
        TableColumn::new("Step", ColumnKind::Text),
        TableColumn::new("People", ColumnKind::Count),
        TableColumn::keyed("Share of those who started", "share", ColumnKind::Number),
    ];
    let data = steps
        .iter()
        .map(|step| {
            vec![
                TableCell::text(&step.step),
                TableCell::Count(step.people).of_people(step.numbers.iter().copied()),
                TableCell::Number(share(step, started)),
            ]
        })
        .collect();
    Some(Figure::new(name, caption, columns, data, |width| {
        draw(width, steps, started)
    }))
}

fn share(step: &FunnelStep, started: usize) -> f64 {
    step.people as f64 / started as f64
}

fn draw(width: f64, steps: &[FunnelStep], started: usize) -> Canvas {
    let mut canvas = Canvas::new(width);
    let left = (width * 0.36).min(140.0);
    let room = width - left - 62.0;
    for (index, step) in steps.iter().enumerate() {
        let y = index as f64 * LINE;
        let lines = wrapped(&step.step, BODY.size, left - 8.0, 2);
        let first = y + LINE / 2.0 + BODY.size * 0.36 - (lines.len() as f64 - 1.0) * 4.0;
        for (nth, text) in lines.iter().enumerate() {
            let at = (left - 6.0, first + nth as f64 * 8.0);
            canvas.text(at, Anchor::End, BODY, text);
        }
        let whole = Area::new(left, y + 3.0, room, LINE - 6.0);
        canvas.rect(whole, Ink::Grid, 0.5);
        let reached = share(step, started);
        let bar = Area {
            w: room * reached,
            ..whole
        };
        canvas.rect(bar, Ink::Series(0), 1.0);
        let at = (left + room + 5.0, y + LINE / 2.0 + BODY.size * 0.36);
        let style = Type { bold: true, ..BODY };
        canvas.text(at, Anchor::Start, style, &step.people.to_string());
        let at = (width, at.1);
        canvas.text(at, Anchor::End, BODY, &format!("{:.0} %", 100.0 * reached));
    }
    {
        canvas.height = steps.len() as f64 * LINE + 2.0;
    }
    canvas
}
