//! Signs that scripts or agents took part, with their thresholds on their distributions.

use api::research::{AutomationView, FlaggedSession, ResultOf, SignalView, SpreadBar};
use api::routes;
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::results::{Awaited, HowFar, Saved, path_of};
use crate::route::{Route, sessions_with};
use crate::table_box::{Head, TableBox};
use crate::text::text;
use crate::words::rounded;

/// The heads of the table of signals.
fn signal_heads() -> [Head; 9] {
    let words = &text().trust;
    [
        (words.head_signal(), false),
        (words.head_sessions(), true),
        (words.head_least(), true),
        (words.head_low(), true),
        (words.head_median(), true),
        (words.head_high(), true),
        (words.head_most(), true),
        (words.head_flag_if(), false),
        (words.head_flagged(), true),
    ]
}

/// The heads of the table of sessions with flags.
fn flagged_heads() -> [Head; 4] {
    let words = &text().trust;
    [
        (words.head_session(), true),
        (words.head_complete(), false),
        (words.head_flags(), false),
        (words.head_replay(), false),
    ]
}

/// The heads of the table of bars.
fn bar_heads() -> [Head; 2] {
    let words = &text().trust;
    [(words.head_value(), false), (words.head_sessions(), true)]
}

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
            <h2>{text().trust.signs()}</h2>
            <p>{text().trust.flag_means()}</p>
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
        .then(|| view! { <p>{text().trust.no_flags()}</p> });
    let flagged = (!flagged.is_empty()).then(|| {
        let rows = flagged.into_iter();
        let rows = rows.map(|it| flagged_row(area, &study, it)).collect_view();
        view! {
            <h3>{text().trust.with_flags()}</h3>
            <TableBox label=text().trust.with_flags() testid="flagged" heads=flagged_heads()>{rows}</TableBox>
        }
    });
    let left_out = (found.no_data > 0).then(|| text().trust.left_out(found.no_data));
    view! {
        {problems}
        <p class="small">
            {text().trust.looked_at(found.sessions)}
            {left_out}
        </p>
        <TableBox label=text().trust.signals() testid="signals" heads=signal_heads()>{rows}</TableBox>
        <h3>{text().trust.distributions()}</h3>
        <p class="muted small">{text().trust.distributions_what()}</p>
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
    let side = suspicious_side(&signal);
    let flagged = match signal.flagged_filter {
        None => signal.flagged.to_string().into_any(),
        Some(filter) => {
            let to = sessions_with(study, &filter);
            let about = text().trust.flagged_by(&signal.name);
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
            <td>{side}</td>
            <td class="area-number">{flagged}</td>
        </tr>
    }
}

fn flagged_row(area: Area, study: &str, session: FlaggedSession) -> impl IntoView + use<> {
    let to = Route::replay(study, &session.session.0, None);
    view! {
        <tr>
            <td class="area-number">{session.ordinal}</td>
            <td>{if session.complete { text().trust.yes() } else { text().trust.no() }}</td>
            <td class="area-long">{session.flags.join(", ").replace('_', " ")}</td>
            <td><Link area to>{text().trust.watch()} <span class="visually-hidden">{text().trust.watch_session(session.ordinal)}</span></Link></td>
        </tr>
    }
}

/// From where on values are suspicious.
fn suspicious_side(signal: &SignalView) -> String {
    let words = &text().trust;
    let thresholds: Vec<String> = signal.thresholds.iter().map(|it| rounded(*it)).collect();
    let thresholds = thresholds.join(words.or());
    if signal.above {
        words.above(thresholds)
    } else {
        words.below(thresholds)
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
    let side = suspicious_side(&signal);
    let about = text()
        .trust
        .distribution_over(signal.sessions, &name, &side);
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
            <p class="muted small">{text().trust.flag_if(side)}</p>
            <details>
                <summary>{text().trust.as_table()}</summary>
                <TableBox label=text().trust.distribution(name) heads=bar_heads()>{rows}</TableBox>
            </details>
        </figure>
    }
}

fn bar_row(area: Area, study: &str, bar: &SpreadBar) -> impl IntoView + use<> {
    let words = text().trust.range(rounded(bar.from), rounded(bar.to));
    let (sessions, about) = (bar.sessions, text().trust.sessions_with(&words));
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
