//! The colours of the page, as the timeline's drawing needs them.

use leptos::prelude::window;
use web_sys::Element;

use crate::replay::paper::{ACCENT, BAD, GOOD, INK, LINE, MUTED, PAPER};

/// Colours, as CSS writes them.
pub struct Colours {
    /// Words.
    pub ink: String,
    /// Words beside.
    pub muted: String,
    /// Lines that divide.
    pub line: String,
    /// Behind a row.
    pub panel: String,
    /// Behind everything.
    pub surface: String,
    /// Notes.
    pub accent: String,
    /// Success.
    pub good: String,
    /// Failure.
    pub bad: String,
    /// The alignment.
    pub alignment: String,
    /// The squared error.
    pub error: String,
    /// Dials.
    pub dial: String,
    /// Times away.
    pub away: String,
    /// Pauses.
    pub paused: String,
    /// Times without the network.
    pub offline: String,
}

impl Colours {
    /// Those of an element now: they differ between light and dark.
    #[must_use]
    pub fn of(element: &Element) -> Self {
        let style = window().get_computed_style(element).ok().flatten();
        let colour = |name: &str| {
            let found = style
                .as_ref()
                .and_then(|it| it.get_property_value(name).ok());
            let found = found.map(|it| it.trim().to_owned());
            found
                .filter(|it| !it.is_empty())
                .unwrap_or_else(|| "gray".to_owned())
        };
        Self {
            ink: colour("--ink"),
            muted: colour("--muted"),
            line: colour("--line"),
            panel: colour("--panel"),
            surface: colour("--surface"),
            accent: colour("--accent"),
            good: colour("--good"),
            bad: colour("--bad"),
            alignment: colour("--chart-alignment"),
            error: colour("--chart-error"),
            dial: colour("--chart-dial"),
            away: colour("--chart-away"),
            paused: colour("--chart-paused"),
            offline: colour("--chart-offline"),
        }
    }

    /// Those of a picture that is saved, whatever the page's: of what such a picture has.
    #[must_use]
    pub fn on_paper() -> Self {
        let [ink, muted, line, surface, accent, good, bad] =
            [INK, MUTED, LINE, PAPER, ACCENT, GOOD, BAD].map(str::to_owned);
        Self {
            panel: surface.clone(),
            alignment: accent.clone(),
            error: bad.clone(),
            dial: ink.clone(),
            away: muted.clone(),
            paused: muted.clone(),
            offline: bad.clone(),
            ink,
            muted,
            line,
            surface,
            accent,
            good,
            bad,
        }
    }
}
