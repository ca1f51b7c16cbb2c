//! Moments of sessions as one picture to be saved.

use web_sys::{CanvasRenderingContext2d as Context, HtmlCanvasElement};

use super::clock::fine_clock;
use super::paper::{ACCENT, INK, LINE, MUTED, sheet, words};
use super::still::{NoStill, Still};

mod instance;

use instance::{Area, aspect, draw_instance};

/// One session at its moment.
#[derive(Debug, Clone)]
pub struct Card {
    /// The session.
    pub session: String,
    /// Its number in the study.
    pub ordinal: u64,
    /// Its cell, in words.
    pub cell: String,
    /// Its moment.
    pub still: Result<Still, NoStill>,
}

/// Sessions beside one another.
#[derive(Debug, Clone)]
pub struct Slide {
    /// The caption below.
    pub caption: String,
    /// The sessions.
    pub cards: Vec<Card>,
}

/// Width of a session, and room around it.
const WIDTH: f64 = 460.0;
const MARGIN: f64 = 20.0;
/// Width of one picture.
const PICTURE: f64 = 222.0;
/// The highest that a picture may be.
const HIGHEST: f64 = 320.0;
/// Height of a dial's row.
const DIAL: f64 = 14.0;

impl Slide {
    /// Draws it; `None` where the browser gives no canvas to draw on.
    #[must_use]
    pub fn draw(&self) -> Option<HtmlCanvasElement> {
        let (width, height) = self.size();
        let (canvas, context) = sheet((width, height))?;
        for (place, card) in self.cards.iter().enumerate() {
            context.save();
            let x = MARGIN + place as f64 * (WIDTH + MARGIN);
            context.translate(x, MARGIN).ok()?;
            draw_card(&context, card, self.picture_height());
            context.restore();
        }
        words(
            &context,
            &self.caption,
            (MARGIN, height - MARGIN),
            13.0,
            MUTED,
            width - 2.0 * MARGIN,
        );
        Some(canvas)
    }

    fn size(&self) -> (f64, f64) {
        let count = self.cards.len().max(1) as f64;
        let stills = self
            .cards
            .iter()
            .filter_map(|card| card.still.as_ref().ok());
        let dials = stills.map(|still| still.dials.len()).max().unwrap_or(0);
        let below = 78.0 + dials as f64 * DIAL;
        let height = MARGIN + 58.0 + self.picture_height() + below + MARGIN + 10.0;
        (MARGIN + count * (WIDTH + MARGIN), height)
    }

    /// As high as the highest of all, so that they stand in one line.
    fn picture_height(&self) -> f64 {
        let stills = self
            .cards
            .iter()
            .filter_map(|card| card.still.as_ref().ok());
        let heights = stills.map(|still| PICTURE / aspect(&still.model).max(0.01));
        heights.fold(80.0, f64::max).min(HIGHEST)
    }
}

fn draw_card(context: &Context, card: &Card, height: f64) {
    let title = if card.cell.is_empty() {
        format!("Session {}", card.ordinal)
    } else {
        format!("Session {} · {}", card.ordinal, card.cell)
    };
    words(context, &title, (0.0, 18.0), 19.0, INK, WIDTH);
    let still = match &card.still {
        Ok(still) => still,
        Err(why) => return words(context, why.words(), (0.0, 42.0), 14.0, MUTED, WIDTH),
    };
    let over = still
        .outcome
        .map_or_else(String::new, |it| format!(", {}", it.name()));
    let below = format!(
        "{} · {} · {}{over}",
        still.question,
        still.model.name,
        fine_clock(still.elapsed_ms)
    );
    words(context, &below, (0.0, 42.0), 14.0, MUTED, WIDTH);
    let box_of = |place: f64| Area {
        x: place * (WIDTH - PICTURE),
        y: 58.0,
        width: PICTURE,
        height,
    };
    draw_instance(context, &still.model, &still.picture, box_of(0.0));
    let mut y = 58.0 + height + 18.0;
    words(context, "Participant", (0.0, y), 13.0, MUTED, PICTURE);
    if let Some(target) = &still.target {
        draw_instance(context, &still.model, target, box_of(1.0));
        words(
            context,
            "Target",
            (WIDTH - PICTURE, y),
            13.0,
            MUTED,
            PICTURE,
        );
    }
    y += 16.0;
    if let Some(alignment) = still.alignment {
        alignment_bar(context, y, alignment, still.wanted);
    }
    y += 30.0;
    for (place, share) in still.dials.iter().enumerate() {
        dial(context, y + place as f64 * DIAL, place + 1, *share);
    }
}

/// How near the picture is, with a mark at what solves the question.
fn alignment_bar(context: &Context, y: f64, alignment: f64, wanted: f64) {
    let width = WIDTH - 70.0;
    let at = |share: f64| share.clamp(0.0, 1.0) * width;
    context.set_fill_style_str(LINE);
    context.fill_rect(0.0, y, width, 14.0);
    context.set_fill_style_str(ACCENT);
    context.fill_rect(0.0, y, at(alignment), 14.0);
    context.set_fill_style_str(INK);
    context.fill_rect(at(wanted) - 1.0, y - 4.0, 2.0, 22.0);
    let percent = format!("{:.1} %", alignment * 100.0);
    words(context, &percent, (width + 8.0, y + 13.0), 15.0, INK, 62.0);
}

fn dial(context: &Context, y: f64, number: usize, share: f64) {
    let (left, width) = (24.0, WIDTH - 32.0);
    words(
        context,
        &number.to_string(),
        (0.0, y + 4.0),
        11.0,
        MUTED,
        20.0,
    );
    context.set_fill_style_str(LINE);
    context.fill_rect(left, y - 1.0, width, 2.0);
    context.set_fill_style_str(INK);
    context.begin_path();
    let x = left + share.clamp(0.0, 1.0) * width;
    // That of a browser cannot fail for such a radius.
    let _ = context.arc(x, y, 4.5, 0.0, std::f64::consts::TAU);
    context.fill();
}
