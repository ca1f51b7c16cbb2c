//! The signals: each with its meaning, its threshold, and the side of it that is suspicious.

use serde::{Deserialize, Serialize};

/// Makes all that has one number for each signal. Of a signal it is told what is said of its threshold,
/// its suspicious side and threshold, the thresholds that can be set, its unit and its meaning.
macro_rules! signals {
    ($($(#[$doc:meta])* $name:ident: $side:ident $threshold:literal, $range:tt, $unit:literal, $meaning:literal;)*) => {
        /// From where on each signal is a flag. Which side of it is suspicious, [`SIGNALS`] say.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields, default)]
        pub struct AutomationThresholds {
            $($(#[$doc])* #[cfg_attr(feature = "check", schemars(range $range))] pub $name: f64,)*
        }

        impl Default for AutomationThresholds {
            fn default() -> Self {
                Self { $($name: $threshold,)* }
            }
        }

        /// All signals.
        pub const SIGNALS: &[Signal] = &[$(Signal {
            name: stringify!($name),
            unit: $unit,
            meaning: $meaning,
            suspicious: Suspicious::$side,
            value: |measures| measures.$name,
            threshold: |thresholds| thresholds.$name,
        },)*];

        /// The numbers behind the signals. Each is absent where the log has too little of it; see [`SIGNALS`].
        #[derive(Debug, Clone, Default, PartialEq)]
        #[allow(missing_docs)] // each is a signal, and documented there
        pub struct AutomationMeasures {
            $(pub $name: Option<f64>,)*
            /// Number of gestures.
            pub gestures: u64,
            /// Number of sub-movements in a gesture that moved, mean; absent without one.
            pub sub_movements: Option<f64>,
            /// Highest speed of a gesture that moved, median, in CSS pixels per second; absent without one.
            pub peak_px_per_s: Option<f64>,
            /// How often the page was left in the middle of writing a text.
            pub left_while_writing: u64,
        }
    };
}

signals! {
    /// Largest share of inputs that a script in the page may have made. Some browser extensions make
    /// such inputs for people who cannot use a mouse.
    scripted_share: Above 0.05, (min = 0, max = 1), "",
        "Share of inputs that a script in the page made and the browser does not vouch for: gestures, changes of controls and of texts; empty in logs of earlier versions";
    /// Largest share of a pointer's movements that may belong to no gesture.
    uncovered_share: Above 0.2, (min = 0, max = 1), "",
        "Share of the movements made with a pointer that belong to no gesture; empty without such movements, and in logs of earlier versions";
    /// Fewest positions that a pointer reports in a second of dragging (median over gestures). Mice,
    /// pens and fingers report 60 to 1,000.
    samples_per_second: Below 15.0, (min = 0), "1/s",
        "Positions that the pointer reported in a second of dragging, median over gestures of at least 100 ms and 20 px; empty without such gestures";
    /// Shortest time from a question's start to the first movement of a dial, in milliseconds (median
    /// over questions). People take about 200 ms to answer a light with a finger that is in place.
    first_movement_ms: Below 150.0, (min = 0), "ms",
        "Time from a question's start to the first movement of a dial, median over questions; empty without such questions";
    /// Smallest coefficient of variation of the times from one gesture to the next.
    interval_variation: Below 0.1, (min = 0), "",
        "Coefficient of variation of the times from the start of one gesture to that of the next in the same question; empty with fewer than 20 such times";
    /// Largest share of solved questions in which each dial was moved once at most, and none beyond its
    /// target.
    direct_share: Above 0.95, (min = 0, max = 1), "",
        "Share of solved questions in which each dial was moved once at most and none beyond its target, of those in which two dials or more were moved; empty with fewer than 5 of them";
    /// Largest share of the characters in text fields that may be pasted.
    pasted_share: Above 0.5, (min = 0, max = 1), "",
        "Share of the characters in text fields that were pasted or dropped; empty where nothing was written";
    /// Fewest changes to a text for each of its characters that were not pasted. Phones and dictation
    /// write whole words at once.
    inputs_per_character: Below 0.05, (min = 0), "",
        "Changes to text fields for each character that was not pasted; empty where nothing was written";
}

/// Which side of its threshold is suspicious.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suspicious {
    /// Above it.
    Above,
    /// Below it.
    Below,
}

/// One number that says how likely a person made the log.
pub struct Signal {
    /// The name in files and flags.
    pub name: &'static str,
    /// Its unit; empty for a share or a ratio.
    pub unit: &'static str,
    /// Its meaning, and when it is empty.
    pub meaning: &'static str,
    /// Which side of the threshold is suspicious.
    pub suspicious: Suspicious,
    /// The number of a session; absent where it has too little of what is measured.
    pub value: fn(&AutomationMeasures) -> Option<f64>,
    /// Its threshold.
    pub threshold: fn(&AutomationThresholds) -> f64,
}

impl Signal {
    /// Whether a session's number lies on the suspicious side. One that is absent does not.
    #[must_use]
    pub fn is_flagged(
        &self,
        measures: &AutomationMeasures,
        thresholds: &AutomationThresholds,
    ) -> bool {
        let threshold = (self.threshold)(thresholds);
        (self.value)(measures).is_some_and(|value| match self.suspicious {
            Suspicious::Above => value > threshold,
            Suspicious::Below => value < threshold,
        })
    }
}

/// Names of the signals that are flags, in their order.
#[must_use]
pub fn flags(
    measures: &AutomationMeasures,
    thresholds: &AutomationThresholds,
) -> Vec<&'static str> {
    let flagged = SIGNALS
        .iter()
        .filter(|it| it.is_flagged(measures, thresholds));
    flagged.map(|signal| signal.name).collect()
}
