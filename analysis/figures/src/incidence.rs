//! Cumulative incidence of solved and skipped over active time.

use analysis::IncidenceRow;
use analysis::table::{ColumnKind, TableCell, TableColumn};

use crate::Of;
use crate::axis::{foot, horizontal, shares_over_time, ticks};
use crate::canvas::{Anchor, Canvas, SMALL, Stroke};
use crate::figure::Figure;
use crate::ink::{Ink, dash};
use crate::layout::{GAP, Sample, grid, legend, titled};

/// The two ends of the curves, in the order of `IncidencePoint::incidence`.
const ENDS: [&str; 2] = ["Solved", "Skipped"];

/// The conditions of one comparison, a panel for each end.
pub(crate) fn figure(of: Of<'_>) -> Option<Figure> {
    let rows = of.rows(&of.sample.incidence, |row| &row.comparison);
    let first = rows.first()?;
    let n: Vec<String> = rows
        .iter()
        .zip(of.names_of(&rows, |row| &row.condition))
        .map(|(row, name)| {
            format!(
                "{name}: {} questions of {} people",
                row.questions, row.people
            )
        })
        .collect();
    let caption = format!(
        "Cumulative incidence (Aalen–Johansen) of solved and skipped questions over active time in the \
         comparison {} ({}); bands: 95 % intervals, standard errors by person; dashed: {} s, the limit of mean \
         times. People who are included. No test.",
        of.name,
        n.join("; "),
        first.until_s
    );
    let name = of.file("solved-and-skipped");
    let mut data = Vec::new();
    for row in &rows {
        for point in &row.points {
            let share = |end: usize| TableCell::number(point.incidence.get(end).copied());
            let error = |end: usize| TableCell::number(error(point.standard_error.as_deref(), end));
            data.push(vec![
                TableCell::text(&row.condition),
                TableCell::Number(point.time),
                TableCell::Count(point.at_risk),
                share(0),
                error(0),
                share(1),
                error(1),
            ]);
        }
    }
    let columns = vec![
        TableColumn::new("Condition", ColumnKind::Text),
        TableColumn::new("Active seconds", ColumnKind::Number),
        TableColumn::keyed("Open before", "open_before", ColumnKind::Count),
        TableColumn::new("Solved", ColumnKind::Number),
        TableColumn::keyed(
            "its standard error",
            "solved_standard_error",
            ColumnKind::Number,
        ),
        TableColumn::new("Skipped", ColumnKind::Number),
        TableColumn::keyed(
            "its standard error",
            "skipped_standard_error",
            ColumnKind::Number,
        ),
    ];
    Some(Figure::new(name, caption, columns, data, |width| {
        draw(width, of, &rows)
    }))
}

fn draw(width: f64, of: Of<'_>, rows: &[&IncidenceRow]) -> Canvas {
    let mut canvas = Canvas::new(width);
    let top = legend(&mut canvas, 0.0, &of.names(), Sample::Line);
    let until = last_time(rows);
    let areas = grid(&mut canvas, ENDS.len(), top, 200.0, 165.0, 2);
    for (end, panel) in areas.into_iter().enumerate() {
        let inner = titled(&mut canvas, panel, ENDS[end]);
        let (plot, x, y) = shares_over_time(&mut canvas, inner, 34.0, until);
        horizontal(
            &mut canvas,
            plot,
            x,
            &ticks(0.0, until, 5),
            "Active time (s)",
        );
        if let Some(limit) = rows
            .first()
            .map(|row| row.until_s)
            .filter(|limit| *limit <= until)
        {
            let ends = ((x.at(limit), plot.y), (x.at(limit), plot.bottom()));
            canvas.line(ends.0, ends.1, Stroke::dashed(Ink::Muted, 0.8, "3 2"));
        }
        // Bands first: no line lies behind one.
        for row in rows {
            let (lower, upper) = (steps(row, end, until, -1.96), steps(row, end, until, 1.96));
            let band = upper.iter().chain(lower.iter().rev());
            let points: Vec<(f64, f64)> = band.map(|(t, v)| (x.at(*t), y.within(*v))).collect();
            canvas.polygon(&points, Ink::Series(of.place(&row.condition)), 0.14);
        }
        for row in rows {
            let series = of.place(&row.condition);
            let line = steps(row, end, until, 0.0);
            let points: Vec<(f64, f64)> =
                line.iter().map(|(t, v)| (x.at(*t), y.within(*v))).collect();
            canvas.polyline(
                &points,
                Stroke::dashed(Ink::Series(series), 1.4, dash(series)),
            );
        }
        foot(&mut canvas, plot);
        canvas.text(
            (plot.x + 2.0, plot.y - 2.0),
            Anchor::Start,
            SMALL,
            "Share of questions",
        );
    }
    canvas.height += GAP / 3.0;
    canvas
}

/// The time by which all but a twentieth of the questions of each condition have ended or were
/// last seen: beyond it curves are of few.
fn last_time(rows: &[&IncidenceRow]) -> f64 {
    let of = |row: &&IncidenceRow| {
        let few = row.questions.div_ceil(20);
        let point = row.points.iter().find(|point| point.at_risk <= few);
        point.or(row.points.last()).map_or(0.0, |point| point.time)
    };
    rows.iter().map(of).fold(1.0, f64::max)
}

/// The standard error of a curve; of one person there is none.
fn error(errors: Option<&[f64]>, end: usize) -> Option<f64> {
    errors?.get(end).copied()
}

/// The corners of a curve, `off` standard errors beside it, from 0 to `until`.
fn steps(row: &IncidenceRow, end: usize, until: f64, off: f64) -> Vec<(f64, f64)> {
    let mut corners = vec![(0.0, 0.0)];
    let mut last = 0.0;
    for point in row.points.iter().take_while(|point| point.time <= until) {
        let share = point.incidence.get(end).copied().unwrap_or(0.0);
        let value = share + off * error(point.standard_error.as_deref(), end).unwrap_or(0.0);
        corners.push((point.time, last));
        corners.push((point.time, value));
        last = value;
    }
    corners.push((until, last));
    corners
}
