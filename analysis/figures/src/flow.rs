//! The flow of participants, laid out as CONSORT 2010 and 2025 have it: enrolment, allocation, follow-up, analysis.

use analysis::table::{ColumnKind, TableCell, TableColumn};
use analysis::{Analysis, Flow, FlowCell, FlowCount};
use domain::study::ConditionsVary;

use crate::canvas::{Anchor, Area, BODY, Canvas, Stroke, Type};
use crate::figure::Figure;
use crate::ink::Ink;
use crate::letters::{width as width_of, wrapped};

/// Room at the left for the names of the stages, and for the line to cells in further rows.
const GUTTER: f64 = 24.0;
/// A box of a cell is no narrower than this; what does not fit beside each other comes below.
const NARROWEST: f64 = 61.0;
/// Space between boxes side by side.
const BESIDE: f64 = 7.0;
/// Height of an arrow.
const ARROW: f64 = 12.0;
/// Height of a line of text.
const LINE: f64 = 9.0;
/// Space within a box.
const PADDING: f64 = 4.0;
const FRAME: Stroke = Stroke::solid(Ink::Text, 0.7);

/// All who started, and what became of them; nothing of nobody.
pub(crate) fn figure(analysis: &Analysis) -> Option<Figure> {
    let flow = &analysis.flow;
    if flow.started.people == 0 {
        return None;
    }
    let (cells, of_one) = match analysis.design {
        ConditionsVary::Within => (
            "comparisons, whose conditions people meet all",
            "comparison",
        ),
        ConditionsVary::Between => ("conditions", "condition"),
    };
    let several = if flow.disjoint {
        ""
    } else {
        " Somebody can be in several of them, so that they do not add up."
    };
    let caption = format!(
        "Flow of participants after CONSORT, by {cells}. Allocated: who took part and was to go through the {of_one}. \
         Left out: each person by the first reason that there is. Who looked at the study and did not start it is not \
         known.{several} No test."
    );
    let columns = vec![
        TableColumn::new("Cell", ColumnKind::Text),
        TableColumn::new("Step", ColumnKind::Text),
        TableColumn::new("Reason", ColumnKind::Text),
        TableColumn::new("People", ColumnKind::Count),
    ];
    let name = "flow".to_owned();
    Some(Figure::new(name, caption, columns, data(flow), |width| {
        draw(width, flow, &analysis.flow_names())
    }))
}

fn data(flow: &Flow) -> Vec<Vec<TableCell>> {
    let row = |cell: &str, step: &str, reason: String, count: &FlowCount| {
        vec![
            TableCell::text(cell),
            TableCell::text(step),
            TableCell::text(reason),
            TableCell::Count(count.people).of_people(count.numbers.iter().copied()),
        ]
    };
    let mut rows = vec![row("", "started", String::new(), &flow.started)];
    if let Some(declined) = &flow.declined {
        rows.push(row("", "did not agree", String::new(), declined));
    }
    let none = &flow.not_allocated;
    rows.push(row("", "not allocated", String::new(), none));
    for cell in &flow.cells {
        let name = &cell.cell;
        for (step, count) in [
            ("allocated", &cell.allocated),
            ("began", &cell.began),
            ("completed", &cell.completed),
        ] {
            rows.push(row(name, step, String::new(), count));
        }
        for reason in &cell.left_out {
            rows.push(row(name, "left out", reason.in_words(), &reason.left_out));
        }
        rows.push(row(name, "analysed", String::new(), &cell.analysed));
        if let Some(outcome) = &cell.outcome {
            rows.push(vec![
                TableCell::text(name),
                TableCell::text("in the tests"),
                TableCell::text(outcome.metric.label()),
                TableCell::Count(outcome.people),
            ]);
        }
    }
    rows
}

/// Lines of a box, and whether each is bold.
type Lines = Vec<(String, bool)>;

/// As CONSORT writes it, without spaces: lines break at these.
fn with_n(text: &str, people: usize) -> String {
    format!("{text} (n={people})")
}

/// The lines of a cell's boxes: at its allocation, follow-up and analysis.
fn boxes(cell: &FlowCell, name: &str, width: f64) -> [Lines; 3] {
    let mut allocation: Lines = fitted(name, width, true);
    let add = |lines: &mut Lines, text: String| lines.extend(fitted(&text, width, false));
    let allocated = cell.allocated.people;
    add(&mut allocation, with_n("Allocated", allocated));
    add(&mut allocation, with_n("Began", cell.began.people));
    let not_begun = allocated - cell.began.people.min(allocated);
    if not_begun > 0 {
        add(&mut allocation, with_n("Did not begin", not_begun));
    }
    let mut follow_up = Lines::new();
    let completed = cell.completed.people;
    add(&mut follow_up, with_n("Completed", completed));
    add(
        &mut follow_up,
        with_n("Did not complete", allocated - completed.min(allocated)),
    );
    let mut analysed: Lines = Lines::new();
    let people = cell.analysed.people;
    analysed.extend(fitted(&with_n("Analysed", people), width, true));
    if let Some(outcome) = cell.outcome.as_ref().filter(|it| it.people != people) {
        let label = outcome.metric.label();
        add(&mut analysed, with_n(label, outcome.people));
    }
    let left: usize = cell.left_out.iter().map(|it| it.left_out.people).sum();
    if left > 0 {
        add(&mut analysed, with_n("Left out", left));
        for reason in &cell.left_out {
            let text = with_n(&reason.in_words(), reason.left_out.people);
            add(&mut analysed, format!("– {text}"));
        }
    }
    [allocation, follow_up, analysed]
}

/// The text in lines of a box that is so wide.
fn fitted(text: &str, width: f64, bold: bool) -> Lines {
    // Bold letters are wider than those that lines are measured with.
    let room = (width - 2.0 * PADDING) * if bold { 0.88 } else { 1.0 };
    let lines = wrapped(text, BODY.size, room, 6).into_iter();
    lines.map(|line| (line, bold)).collect()
}

fn height_of(lines: &Lines) -> f64 {
    lines.len() as f64 * LINE + 2.0 * PADDING - 1.0
}

fn draw(width: f64, flow: &Flow, names: &[String]) -> Canvas {
    let mut canvas = Canvas::new(width);
    let room = width - GUTTER;
    let middle = GUTTER + room / 2.0;
    let start: Lines = vec![(with_n("Started", flow.started.people), true)];
    let wide = (width_of(&start[0].0, BODY.size, true) + 2.0 * PADDING + 8.0).min(room);
    let first = Area::new(middle - wide / 2.0, 0.0, wide, height_of(&start));
    boxed(&mut canvas, first, &start);
    let beside = not_allocated(flow, middle, width);
    let below = match &beside {
        Some((side, lines)) => {
            let y = first.bottom() + ARROW / 2.0;
            let side = Area { y, ..*side };
            boxed(&mut canvas, side, lines);
            let at = y + side.h / 2.0;
            arrow(&mut canvas, (middle, at), (side.x, at));
            side.bottom() + ARROW / 2.0
        }
        None => first.bottom() + ARROW,
    };
    let below = below.max(stage_height("Enrolment") + 4.0);
    stage(&mut canvas, "Enrolment", 0.0, below - 4.0);
    canvas.height = below;
    if flow.cells.is_empty() {
        return canvas;
    }
    canvas.line(
        (middle, first.bottom()),
        (middle, below),
        Stroke::solid(Ink::Text, 0.7),
    );
    let fit = ((room + BESIDE) / (NARROWEST + BESIDE)).floor().max(1.0) as usize;
    let rows = flow.cells.len().div_ceil(fit);
    let columns = flow.cells.len().div_ceil(rows);
    let w = ((room - BESIDE * (columns - 1) as f64) / columns as f64).min(170.0);
    let used = w * columns as f64 + BESIDE * (columns - 1) as f64;
    let left = GUTTER + (room - used) / 2.0;
    let centre = |column: usize| left + (w + BESIDE) * column as f64 + w / 2.0;
    let trunk = GUTTER - 5.0;
    let mut bus = below;
    let all: Vec<(&FlowCell, &String)> = flow.cells.iter().zip(names).collect();
    for (row, cells) in all.chunks(columns).enumerate() {
        let texts: Vec<[Lines; 3]> = cells
            .iter()
            .map(|(cell, name)| boxes(cell, name, w))
            .collect();
        // The line across, from which arrows lead down.
        let (from, to) = match row {
            0 => (centre(0).min(middle), centre(cells.len() - 1).max(middle)),
            _ => (trunk, centre(cells.len() - 1)),
        };
        let from = if rows > 1 { trunk } else { from };
        canvas.line((from, bus), (to, bus), FRAME);
        let mut y = bus + ARROW;
        for (step, name) in ["Allocation", "Follow-up", "Analysis"].iter().enumerate() {
            let tallest = texts
                .iter()
                .map(|of_cell| height_of(&of_cell[step]))
                .fold(stage_height(name), f64::max);
            for (column, of_cell) in texts.iter().enumerate() {
                let area = Area::new(centre(column) - w / 2.0, y, w, tallest);
                arrow(
                    &mut canvas,
                    (centre(column), y - ARROW),
                    (centre(column), y),
                );
                boxed(&mut canvas, area, &of_cell[step]);
            }
            stage(&mut canvas, name, y, tallest);
            y += tallest + ARROW;
        }
        canvas.height = y - ARROW + 1.0;
        if row + 1 < rows {
            canvas.line((trunk, bus), (trunk, y), FRAME);
        }
        bus = y;
    }
    canvas
}

/// The box beside the line down, if somebody was not allocated: its place but for its height on the page, and its lines.
fn not_allocated(flow: &Flow, middle: f64, width: f64) -> Option<(Area, Lines)> {
    let declined = flow.declined.as_ref().map_or(0, |it| it.people);
    let none = flow.not_allocated.people;
    if declined + none == 0 {
        return None;
    }
    let x = middle + 16.0;
    let wide = (width - x).min(170.0);
    let mut lines = fitted(&with_n("Not allocated", declined + none), wide, true);
    for (text, people) in [
        ("did not agree to take part", declined),
        ("came to no condition that is compared", none),
    ] {
        if people > 0 {
            lines.extend(fitted(&format!("– {}", with_n(text, people)), wide, false));
        }
    }
    Some((Area::new(x, 0.0, wide, height_of(&lines)), lines))
}

fn boxed(canvas: &mut Canvas, area: Area, lines: &Lines) {
    canvas.rect(area, Ink::Paper, 1.0);
    canvas.frame(area, FRAME);
    for (index, (text, bold)) in lines.iter().enumerate() {
        let y = area.y + PADDING + BODY.size + index as f64 * LINE - 0.5;
        let style = Type {
            bold: *bold,
            ..BODY
        };
        canvas.text((area.x + PADDING, y), Anchor::Start, style, text);
    }
}

/// The height that the name of a stage needs.
fn stage_height(name: &str) -> f64 {
    width_of(name, BODY.size, true) + 6.0
}

/// The name of a stage at the left edge, turned.
fn stage(canvas: &mut Canvas, name: &str, y: f64, height: f64) {
    let area = Area::new(0.0, y, 12.0, height);
    canvas.rect(area, Ink::Series(0), 0.16);
    let style = Type { bold: true, ..BODY };
    let at = (area.x + 8.6, area.y + area.h / 2.0);
    canvas.turned(at, Anchor::Middle, style, name, -90.0);
}

/// A line with a head at its end.
fn arrow(canvas: &mut Canvas, from: (f64, f64), to: (f64, f64)) {
    canvas.line(from, to, FRAME);
    let (x, y) = to;
    let head = if from.0 == to.0 {
        [(x, y), (x - 2.2, y - 4.4), (x + 2.2, y - 4.4)]
    } else {
        [(x, y), (x - 4.4, y - 2.2), (x - 4.4, y + 2.2)]
    };
    canvas.polygon(&head, Ink::Text, 1.0);
}
