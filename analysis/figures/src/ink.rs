//! Colours, on paper and on a dark screen.
//!
//! Series have the colours of Okabe and Ito (2008), which people with any common form of
//! colour blindness can tell apart; yellow is left out, since it can hardly be seen on paper.
//! On dark ground each is a lighter one of the same hue. A mark has the colour for paper as an
//! attribute, which every program understands, and a class, for which [`STYLE`] has the dark
//! colour.

/// Red, green, blue.
pub(crate) type Rgb = [u8; 3];

/// The colour of something that is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Text that has to be read, and lines that matter.
    Text,
    /// Text and lines that stand beside those.
    Muted,
    /// Grid lines.
    Grid,
    /// The ground.
    Paper,
    /// A series: a condition, a dial.
    Series(usize),
    /// The same colour on any ground: cells of heatmaps, and what is written on them.
    Fixed(Rgb),
}

/// Name of the class, colour on paper, colour on dark ground.
const ROLES: [(&str, &str, &str); 4] = [
    ("t", "#1b2733", "#e6edf3"),
    ("m", "#4f5b66", "#a9b6c2"),
    ("g", "#dde2e7", "#2c363f"),
    ("p", "#ffffff", "#12181d"),
];

const SERIES: [(&str, &str, &str); 7] = [
    ("s0", "#0072b2", "#4fa9e0"),
    ("s1", "#d55e00", "#f58442"),
    ("s2", "#009e73", "#2ec99b"),
    ("s3", "#cc79a7", "#e2a0c5"),
    ("s4", "#e69f00", "#f5bd3d"),
    ("s5", "#56b4e9", "#93cff2"),
    ("s6", "#5a6067", "#b8c0c7"),
];

/// Dashes of lines, one set for each time that the colours have been used up.
const DASHES: [&str; 3] = ["", "4 2", "1.5 1.5"];

impl Ink {
    fn of(self) -> (&'static str, &'static str) {
        let (class, light, _) = match self {
            Self::Text => ROLES[0],
            Self::Muted => ROLES[1],
            Self::Grid => ROLES[2],
            Self::Paper => ROLES[3],
            Self::Series(index) => SERIES[index % SERIES.len()],
            Self::Fixed(_) => ("", "", ""),
        };
        (class, light)
    }

    pub(crate) fn fill(self) -> String {
        if let Self::Fixed(rgb) = self {
            return format!(" fill=\"{}\"", hex(rgb));
        }
        let (class, light) = self.of();
        format!(" class=\"rf-{class}\" fill=\"{light}\"")
    }

    pub(crate) fn stroke(self) -> String {
        if let Self::Fixed(rgb) = self {
            return format!(" stroke=\"{}\"", hex(rgb));
        }
        let (class, light) = self.of();
        format!(" class=\"rk-{class}\" stroke=\"{light}\"")
    }
}

/// Dashes of a series' line.
pub(crate) fn dash(series: usize) -> &'static str {
    DASHES[(series / SERIES.len()) % DASHES.len()]
}

/// The style sheet of figures on a dark screen. A page that shows figures inline has it once.
#[must_use]
pub fn dark_style() -> String {
    let rules = ROLES
        .iter()
        .chain(&SERIES)
        .map(|(class, _, dark)| format!(".rf-{class}{{fill:{dark}}}.rk-{class}{{stroke:{dark}}}"));
    let rules: String = rules.collect();
    format!("@media screen and (prefers-color-scheme: dark){{{rules}}}")
}

/// A colour between two; `share` in [0, 1].
pub(crate) fn between(from: Rgb, to: Rgb, share: f64) -> Rgb {
    let share = share.clamp(0.0, 1.0);
    std::array::from_fn(|i| {
        let (a, b) = (f64::from(from[i]), f64::from(to[i]));
        (a + (b - a) * share).round() as u8
    })
}

/// Black or white, whichever can be read on a colour (WCAG's relative luminance).
pub(crate) fn on(rgb: Rgb) -> Ink {
    let linear = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    };
    let [r, g, b] = rgb.map(linear);
    let luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    if luminance > 0.179 {
        Ink::Fixed([16, 24, 32])
    } else {
        Ink::Fixed([255, 255, 255])
    }
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
