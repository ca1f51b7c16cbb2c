//! The timeline of a session as a drawing: which rows it has, and where a moment lies in it.

use domain::lanes::{LaneQuestion, Lanes};

use super::drawn_time::DrawnTime;

mod canvas;
mod colours;
pub mod columns;
pub mod curves;
pub mod legend;
mod paint;
pub mod sound_lane;
mod symbols;
pub mod view;

/// A kind of content that can be shown or hidden, here and in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChartKind {
    /// Questions and how they ended.
    Questions,
    /// How near the picture is to its target.
    Alignment,
    /// The squared error.
    Error,
    /// Where each dial stands.
    Dials,
    /// Where dials passed the target's value.
    Overshoots,
    /// Where the participant is.
    Places,
    /// Notes and marks of the experimenter.
    Notes,
    /// Verdicts on answers.
    Verdicts,
    /// Requests of the experimenter or the researcher.
    Asked,
    /// Times away, pauses, reloads, times without the network.
    Absences,
    /// Contradictions: reports that do not agree with what is decoded again.
    Findings,
}

domain::json::named!(ChartKind: Questions, Alignment, Error, Dials, Overshoots, Places, Notes, Verdicts, Asked, Absences, Findings);

impl ChartKind {
    /// Its name in the legend.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Questions => "Questions",
            Self::Alignment => "Alignment",
            Self::Error => "Squared error",
            Self::Dials => "Dials",
            Self::Overshoots => "Overshoots",
            Self::Places => "Where the participant is",
            Self::Notes => "Notes and marks",
            Self::Verdicts => "Verdicts",
            Self::Asked => "Asked by the experimenter",
            Self::Absences => "Away, paused, without network",
            Self::Findings => "Contradictions",
        }
    }
}

/// The kind of content in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// Times.
    Ruler,
    /// Questions.
    Questions,
    /// Alignment.
    Alignment,
    /// Squared error.
    Error,
    /// A dial, by its place on screen from 0.
    Dial(usize),
    /// Single moments: notes, verdicts, what was asked for, contradictions.
    Moments,
    /// Absences.
    Absences,
}

/// A row of the timeline, in pixels from its top.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The kind of its content.
    pub kind: RowKind,
    /// Its label at the left.
    pub label: String,
    /// Where it begins.
    pub top: f64,
    /// How high it is.
    pub height: f64,
}

/// Space between two rows.
const GAP: f64 = 6.0;

/// Space between two dials.
const DIAL_GAP: f64 = 2.0;

/// The rows of what is not hidden. Of dials there are as many as a question in sight has most.
#[must_use]
pub fn rows(dials: usize, hidden: impl Fn(ChartKind) -> bool) -> Vec<Row> {
    let shown = |kind| !hidden(kind);
    let row = |kind, label: &str, height| (kind, label.to_owned(), height);
    let mut wanted = vec![row(RowKind::Ruler, "", 16.0)];
    if shown(ChartKind::Questions) {
        wanted.push(row(RowKind::Questions, "Questions", 24.0));
    }
    if shown(ChartKind::Alignment) {
        wanted.push(row(RowKind::Alignment, "Alignment", 52.0));
    }
    if shown(ChartKind::Error) {
        wanted.push(row(RowKind::Error, "Sq. error", 26.0));
    }
    if shown(ChartKind::Dials) {
        // Many dials share the place of twelve.
        let height = (240.0 / dials.max(1) as f64).clamp(10.0, 20.0);
        wanted.extend(
            (0..dials).map(|dial| (RowKind::Dial(dial), format!("Dial {}", dial + 1), height)),
        );
    }
    let moments = [
        ChartKind::Notes,
        ChartKind::Verdicts,
        ChartKind::Asked,
        ChartKind::Findings,
    ];
    if moments.into_iter().any(shown) {
        wanted.push(row(RowKind::Moments, "Moments", 18.0));
    }
    if shown(ChartKind::Absences) {
        wanted.push(row(RowKind::Absences, "Absences", 16.0));
    }
    let mut top = 0.0;
    let mut placed = Vec::new();
    for (kind, label, height) in wanted {
        let is_dial = |kind| matches!(kind, RowKind::Dial(_));
        if is_dial(kind) && placed.last().is_some_and(|last: &Row| is_dial(last.kind)) {
            top -= GAP - DIAL_GAP;
        }
        placed.push(Row {
            kind,
            label,
            top,
            height,
        });
        top += height + GAP;
    }
    placed
}

/// How high all rows are together.
#[must_use]
pub fn height(rows: &[Row]) -> f64 {
    rows.last().map_or(0.0, |last| last.top + last.height)
}

/// How much of a session is in sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zoom {
    /// All of it.
    #[default]
    Whole,
    /// The question of the moment that is shown; between two questions, the one before.
    Question,
}

/// Where moments lie across the drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    time: DrawnTime,
    /// Where the session's clock ends.
    end_ms: u64,
    from: f64,
    to: f64,
    left: f64,
    width: f64,
}

impl Scale {
    /// Of a session with these lanes that ends at `end_ms`, between two places in pixels. Later events by others lie
    /// after the end, as far away as a long rest is drawn.
    #[must_use]
    pub fn new(
        lanes: &Lanes,
        end_ms: u64,
        zoom: Option<&LaneQuestion>,
        left: f64,
        right: f64,
    ) -> Self {
        let time = DrawnTime::new(lanes.rests(), lanes.afterwards(), end_ms);
        let (from, to) = match zoom {
            Some(question) => {
                let from = time.drawn(question.from_ms);
                let to = time.drawn(question.until_ms(end_ms));
                let margin = ((to - from) * 0.02).max(250.0);
                ((from - margin).max(0.0), (to + margin).min(time.length()))
            }
            None => (0.0, time.length()),
        };
        Self {
            from,
            to: to.max(from + 1.0),
            time,
            end_ms,
            left,
            width: (right - left).max(1.0),
        }
    }

    /// Where a moment lies, in pixels; outside of what is in sight it lies left or right of it.
    #[must_use]
    pub fn x(&self, ms: u64) -> f64 {
        self.left + (self.time.drawn(ms) - self.from) / (self.to - self.from) * self.width
    }

    /// The moment at a place, within what is in sight.
    #[must_use]
    pub fn moment(&self, x: f64) -> u64 {
        let share = ((x - self.left) / self.width).clamp(0.0, 1.0);
        self.time.moment(self.from + share * (self.to - self.from))
    }

    /// The left and right end, in pixels.
    #[must_use]
    pub fn ends(&self) -> (f64, f64) {
        (self.left, self.left + self.width)
    }

    /// Times for the ruler: round ones, about as many as fit with `apart` pixels between two.
    #[must_use]
    pub fn ticks(&self, apart: f64) -> Vec<u64> {
        let step = tick_step(apart * (self.to - self.from) / self.width);
        let (from, to) = (self.moment(self.left), self.moment(self.left + self.width));
        // The time after the end has its length said.
        let to = to.min(self.end_ms);
        let mut ticks = Vec::new();
        let mut last_x = f64::NEG_INFINITY;
        // A rest is long and drawn short: of its ticks one stays.
        let mut ms = from.div_ceil(step) * step;
        while ms <= to && ticks.len() < 200 {
            let x = self.x(ms);
            if x - last_x >= apart {
                ticks.push(ms);
                last_x = x;
                ms += step;
            } else {
                let next = self.moment(last_x + apart).max(ms + 1);
                ms = next.div_ceil(step) * step;
            }
        }
        ticks
    }
}

/// A round time that is at least so long, in milliseconds; an hour at most.
fn tick_step(least_ms: f64) -> u64 {
    const STEPS_MS: [u64; 13] = [
        100, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
        1_800_000,
    ];
    let mut steps = STEPS_MS.into_iter();
    let step = steps.find(|step| *step as f64 >= least_ms);
    step.unwrap_or(3_600_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_rows_leave_no_gap() {
        let all = rows(3, |_| false);
        assert_eq!(all.len(), 9);
        assert_eq!(all[4].label, "Dial 1");
        let some = rows(3, |kind| {
            matches!(kind, ChartKind::Dials | ChartKind::Error)
        });
        assert_eq!(some.len(), 5);
        for pair in some.windows(2) {
            assert!((pair[1].top - pair[0].top - pair[0].height - GAP).abs() < 1e-9);
        }
        assert!(height(&some) < height(&all));
        // Moments stay as long as one kind of them is shown.
        let notes = rows(0, |kind| kind != ChartKind::Notes);
        let kinds: Vec<RowKind> = notes.iter().map(|row| row.kind).collect();
        assert_eq!(kinds, [RowKind::Ruler, RowKind::Moments]);
        assert!(height(&rows(40, |_| false)) < 700.0);
    }

    #[test]
    fn a_place_across_is_its_moment() {
        let scale = Scale::new(&Lanes::default(), 60_000, None, 100.0, 700.0);
        assert_eq!((scale.x(0), scale.x(60_000)), (100.0, 700.0));
        assert_eq!(scale.moment(400.0), 30_000);
        assert_eq!((scale.moment(-1.0), scale.moment(1e9)), (0, 60_000));
        let nothing = Scale::new(&Lanes::default(), 0, None, 100.0, 700.0);
        assert_eq!((nothing.x(0), nothing.moment(300.0)), (100.0, 0));
    }

    #[test]
    fn ticks_are_round_and_apart() {
        let scale = Scale::new(&Lanes::default(), 60_000, None, 0.0, 600.0);
        assert_eq!(
            scale.ticks(100.0),
            [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]
        );
        let long = Scale::new(&Lanes::default(), 36_000_000, None, 0.0, 300.0);
        assert!(long.ticks(60.0).len() <= 11, "{:?}", long.ticks(60.0));
    }
}
