//! Signs that scripts or agents took part, with their thresholds on their distributions.

use api::research::{AutomationView, FlaggedSession, ResultOf, SignalView, SpreadBar};
use api::routes;
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::results::{Awaited, HowFar, Saved, path_of};
use crate::route::{Route, sessions_with};
use crate::table_box::{Head, TableBox};
use crate::words::{counted, rounded};

/// What is said of each signal.
const SIGNALS: [Head; 9] = [
    ("Signal", false),
    ("Sessions", true),
    ("Least", true),
    ("5 %", true),
    ("Median", true),
    ("95 %", true),
    ("Most", true),
    ("Flag if", false),
    ("Flagged", true),
];

/// What is said of each session with flags.
const FLAGGED: [Head; 4] = [
    ("Session", true),
    ("Complete", false),
    ("Flags", false),
    ("Replay", false),
];

/// What is said of each bar.
const BARS: [Head; 2] = [("Value", false), ("Sessions", true)];

/// Size of a distribution as it is drawn, in its own units.
const WIDE: f64 = 320.0;
const HIGH: f64 = 60.0;

/// The signs, once they are there.
#[component]
pub fn Automation(area: Area, study: String, of: ResultOf) -> impl IntoView {
    let path = path_of(&routes::research_automation(&study), of);
    let awaited = Awaited::<AutomationView>::new(area, Signal::stored(Some(path.clone())));
    let study = StoredValue::new(study);
    let path = StoredValue::new(path);
    let body = move || {
        awaited.found.get().map(|found| {
            let file = format!("{}-automation.json", study.get_value());
            let read_at = awaited.read_at();
            view! {
                <Found area study=study.get_value() found/>
                <p class="actions"><Saved file path=path.get_value() read_at/></p>
            }
        })
    };
    view! {
        <section class="card" data-testid="automation">
            <h2>"Signs of scripts and agents"</h2>
            <p>"A flag is a reason to look at a session, and none to reject it."</p>
            <HowFar of=awaited.status again=awaited.again/>
            {body}
        </section>
    }
}

#[component]
fn Found(area: Area, study: String, found: AutomationView) -> impl IntoView {
    let problems = found.problems.iter();
    let problems: Vec<_> = problems.map(|it| view! { <li>{it.clone()}</li> }).collect();
    let problems = (!problems.is_empty()).then(|| view! { <ul class="problem">{problems}</ul> });
    let signals = found.signals.clone().into_iter();
    let rows = signals
        .map(|it| signal_row(area, &study, it))
        .collect_view();
    let spreads = found.signals.clone().into_iter();
    let spreads = spreads.filter(|it| it.sessions > 0);
    let spreads = spreads.map(|it| view! { <Spread area study=study.clone() signal=it/> });
    let flagged = found.flagged.clone();
    let none = flagged
        .is_empty()
        .then(|| view! { <p>"No session has a flag."</p> });
    let flagged = (!flagged.is_empty()).then(|| {
        let rows = flagged.into_iter();
        let rows = rows.map(|it| flagged_row(area, &study, it)).collect_view();
        view! {
            <h3>"Sessions with flags"</h3>
            <TableBox label="Sessions with flags" testid="flagged" heads=FLAGGED>{rows}</TableBox>
        }
    });
    let left_out = (found.no_data > 0)
        .then(|| format!(" {} left out.", counted(found.no_data, "pilot or preview")));
    view! {
        {problems}
        <p class="small">
            {format!("{} in which a question was begun or a text written.", counted(found.sessions, "session"))}
            {left_out}
        </p>
        <TableBox label="Signals" testid="signals" heads=SIGNALS>{rows}</TableBox>
        <h3>"Distributions"</h3>
        <p class="muted small">"Of sessions that have a value. The line is the threshold, where it lies within; the shaded side is suspicious. The table below each leads to its sessions."</p>
        <div class="area-spreads">{spreads.collect_view()}</div>
        {none}
        {flagged}
    }
}

fn signal_row(area: Area, study: &str, signal: SignalView) -> impl IntoView + use<> {
    let quantiles = match signal.quantiles {
        Some(values) => values.map(rounded),
        None => std::array::from_fn(|_| "–".to_owned()),
    };
    let cells = quantiles.map(|it| view! { <td class="area-number">{it}</td> });
    let thresholds: Vec<String> = signal.thresholds.iter().map(|it| rounded(*it)).collect();
    let side = if signal.above { "above" } else { "below" };
    let flagged = match signal.flagged_filter {
        None => signal.flagged.to_string().into_any(),
        Some(filter) => {
            let to = sessions_with(study, &filter);
            let about = format!("Sessions flagged by {}", signal.name);
            view! { <Link area to>{signal.flagged} <span class="visually-hidden">{about}</span></Link> }.into_any()
        }
    };
    let unit = if signal.unit.is_empty() {
        String::new()
    } else {
        format!(" ({})", signal.unit)
    };
    view! {
        <tr data-signal=signal.name.clone()>
            <th scope="row" title=signal.meaning>{signal.name.replace('_', " ")}{unit}</th>
            <td class="area-number">{signal.sessions}</td>
            {cells.into_iter().collect_view()}
            <td>{format!("{side} {}", thresholds.join(" or "))}</td>
            <td class="area-number">{flagged}</td>
        </tr>
    }
}

fn flagged_row(area: Area, study: &str, session: FlaggedSession) -> impl IntoView + use<> {
    let to = Route::replay(study, &session.session.0, None);
    view! {
        <tr>
            <td class="area-number">{session.ordinal}</td>
            <td>{if session.complete { "yes" } else { "no" }}</td>
            <td class="area-long">{session.flags.join(", ").replace('_', " ")}</td>
            <td><Link area to>"Watch" <span class="visually-hidden">{format!("session {}", session.ordinal)}</span></Link></td>
        </tr>
    }
}

/// Where a value stands in a distribution, from its left end to its right; nothing beyond its ends.
fn place(bars: &[SpreadBar], value: f64) -> Option<f64> {
    let (first, last) = (bars.first()?, bars.last()?);
    let width = last.to - first.from;
    if !(first.from..=last.to).contains(&value) {
        return None;
    }
    Some(if width > 0.0 {
        (value - first.from) / width * WIDE
    } else {
        WIDE / 2.0
    })
}

/// A signal's distribution, with its thresholds.
#[component]
fn Spread(area: Area, study: String, signal: SignalView) -> impl IntoView {
    let most = signal.bars.iter().map(|bar| bar.sessions).max();
    let most = most.unwrap_or(1).max(1) as f64;
    let each = WIDE / signal.bars.len().max(1) as f64;
    let bars = signal.bars.iter().enumerate().map(|(at, bar)| {
        let high = bar.sessions as f64 / most * HIGH;
        view! {
            <rect class="area-bar" x=format!("{:.2}", at as f64 * each + 0.5) y=format!("{:.2}", HIGH - high) width=format!("{:.2}", each - 1.0) height=format!("{high:.2}")></rect>
        }
    });
    let lines = signal.thresholds.iter().filter_map(|threshold| {
        let x = place(&signal.bars, *threshold)?;
        let (from, width) = if signal.above { (x, WIDE - x) } else { (0.0, x) };
        Some(view! {
            <rect class="area-suspicious" x=format!("{from:.2}") y="0" width=format!("{width:.2}") height=HIGH.to_string()></rect>
            <line class="area-threshold" x1=format!("{x:.2}") x2=format!("{x:.2}") y1="0" y2=HIGH.to_string()></line>
        })
    });
    let rows = signal.bars.iter().filter(|bar| bar.sessions > 0);
    let rows = rows.map(|bar| bar_row(area, &study, bar)).collect_view();
    let name = signal.name.replace('_', " ");
    let side = if signal.above { "above" } else { "below" };
    let thresholds: Vec<String> = signal.thresholds.iter().map(|it| rounded(*it)).collect();
    let about = format!(
        "Distribution of {name} over {}; suspicious {side} {}",
        counted(signal.sessions, "session"),
        thresholds.join(" or ")
    );
    let (least, most) = signal
        .bars
        .first()
        .zip(signal.bars.last())
        .map(|(first, last)| (rounded(first.from), rounded(last.to)))
        .unwrap_or_default();
    view! {
        <figure class="area-spread">
            <figcaption class="small"><strong>{name.clone()}</strong>" "{signal.meaning}</figcaption>
            <svg viewBox=format!("0 0 {WIDE} {HIGH}") role="img" preserveAspectRatio="none">
                <title>{about}</title>
                {lines.collect_view()}
                {bars.collect_view()}
            </svg>
            <p class="area-ends small tabular"><span>{least}</span><span>{most}</span></p>
            <p class="muted small">{format!("Flag if {side} {}", thresholds.join(" or "))}</p>
            <details>
                <summary>"As a table"</summary>
                <TableBox label=format!("Distribution of {name}") heads=BARS>{rows}</TableBox>
            </details>
        </figure>
    }
}

fn bar_row(area: Area, study: &str, bar: &SpreadBar) -> impl IntoView + use<> {
    let words = format!("{} to {}", rounded(bar.from), rounded(bar.to));
    let (sessions, about) = (bar.sessions, format!("sessions with {words}"));
    let number = match &bar.filter {
        None => sessions.to_string().into_any(),
        Some(filter) => {
            let to = sessions_with(study, filter);
            view! { <Link area to testid="to-bar">{sessions} <span class="visually-hidden">{about}</span></Link> }
            .into_any()
        }
    };
    view! { <tr><th scope="row">{words}</th><td class="area-number">{number}</td></tr> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_beyond_all_values_is_not_drawn() {
        let bar = |from, to| SpreadBar {
            from,
            to,
            sessions: 1,
            filter: None,
        };
        let bars = [bar(0.0, 1.0), bar(1.0, 4.0)];
        let at = |value| place(&bars, value).map(|it| it.round() as u64);
        assert_eq!((at(1.0), at(4.0)), (Some(80), Some(320)));
        assert_eq!((at(-3.0), at(9.0)), (None, None));
        let same = place(&[bar(2.0, 2.0)], 2.0);
        assert_eq!(same.map(|it| it.round() as u64), Some(160));
    }
}
