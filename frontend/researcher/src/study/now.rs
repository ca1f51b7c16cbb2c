//! A study as it goes on: how many are where, who leaves at which part, and who is where now.

use api::research::live::{LivePart, LiveSession, LiveStudy};
use domain::recruitment::assignment::Purpose;
use frontend::replay::clock::clock;
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::live::{Age, Live};
use crate::route::Route;
use crate::table_box::{Head, TableBox};
use crate::text::text;

mod said;

use said::{pay_in_words, storage_in_words};

/// The column heads of the table of people under way.
fn people_heads() -> [Head; 7] {
    let words = &text().now;
    [
        (words.head_session(), false),
        (words.head_cell(), false),
        (words.head_part(), false),
        (words.head_question(), false),
        (words.head_for(), true),
        (words.head_alignment(), false),
        (words.head_state(), false),
    ]
}

/// The column heads of the table of parts.
fn part_heads() -> [Head; 6] {
    let words = &text().now;
    [
        (words.head_part(), false),
        (words.head_kind(), false),
        (words.head_reached(), false),
        (words.head_went_on(), true),
        (words.head_left_there(), true),
        (words.head_median_time(), true),
    ]
}

/// Width and height of a sparkline.
const SPARK: (f64, f64) = (80.0, 24.0);

/// The live part of a study's page.
#[component]
pub fn LiveOfStudy(area: Area, live: Live, study: String) -> impl IntoView {
    let name = StoredValue::new(study);
    let found = Memo::new(move |_| name.with_value(|name| live.study(name)));
    let body = move || {
        let study = found.get()?;
        Some(view! { <Shown area live study/> })
    };
    let storage = Memo::new(move |_| live.storage());
    let storage = move || {
        let storage = storage.get()?;
        let bad = storage.trouble().is_some();
        let words = storage_in_words(&storage);
        Some(view! { <p class="small" class:problem=bad data-testid="storage">{words}</p> })
    };
    view! {
        <section class="card" data-testid="live">
            <div class="card-head">
                <h2>{text().now.heading()}</h2>
                <Age live/>
            </div>
            {body}
            {storage}
        </section>
    }
}

#[component]
fn Shown(area: Area, live: Live, study: LiveStudy) -> impl IntoView {
    let counts = study.counts;
    let words = &text().now;
    let numbers = [
        ("started", words.started(), counts.started),
        ("under way", words.under_way(), counts.under_way),
        ("completed", words.completed(), counts.completed),
        ("count", words.count(), counts.counted),
        ("left", words.left(), counts.left),
    ];
    let numbers = numbers.map(|(name, words, number)| {
        view! { <div><dt>{words}</dt><dd data-count=name>{number}</dd></div> }
    });
    let problems = study.problems.into_iter().map(|it| view! { <li>{it}</li> });
    let problems = problems.collect_view();
    let name = study.study;
    let pay = study.pay.as_ref().map(pay_in_words);
    let pay = pay.map(|words| view! { <p data-testid="hourly">{words}</p> });
    let people: Vec<_> = study.people;
    let nobody = people
        .is_empty()
        .then(|| view! { <p class="muted">{text().now.nobody()}</p> });
    let rows = people
        .into_iter()
        .map(|person| row(area, live, &name, person));
    let rows = rows.collect_view();
    let table = nobody.is_none().then(|| {
        view! {
            <TableBox label=text().now.who_is_where() testid="now" heads=people_heads()>{rows}</TableBox>
        }
    });
    view! {
        <dl class="area-counts">{numbers.collect_view()}</dl>
        {pay}
        {(!problems.is_empty()).then(|| view! { <ul class="problem">{problems}</ul> })}
        {nobody}
        {table}
        <Funnel parts=study.parts/>
    }
}

fn row(area: Area, live: Live, study: &str, person: LiveSession) -> impl IntoView + use<> {
    let to = Route::Replay {
        study: study.to_owned(),
        session: person.session.to_string(),
        at: None,
        list: None,
    };
    let since = person.since_unix_ms;
    let ago = move |unix_ms: u64| {
        let now = live.server_ms().unwrap_or(unix_ms);
        clock(now.saturating_sub(unix_ms))
    };
    let away = person.away_since_unix_ms;
    let heard = person.heard_at_unix_ms;
    let state = move || {
        let words = &text().now;
        let mut said = Vec::new();
        if person.stuck {
            said.push(words.stuck().to_owned());
        }
        if let Some(since) = away {
            said.push(words.away(ago(since)));
        }
        if person.paused {
            said.push(words.paused().to_owned());
        }
        if !person.connected {
            said.push(words.not_connected(ago(heard)));
        }
        if said.is_empty() {
            words.saving().to_owned()
        } else {
            said.join(", ")
        }
    };
    let question = person
        .question
        .map(|it| text().now.question(it.number, it.of));
    let purpose = (person.purpose != Purpose::Participant)
        .then(|| view! { <span class="muted small">" "{person.purpose.name()}</span> });
    view! {
        <tr data-session=person.session.to_string() class:area-stuck=person.stuck>
            <th scope="row"><Link area to>{person.ordinal}</Link>{purpose}</th>
            <td>{person.cell}</td>
            <td>{person.part}</td>
            <td>{question}</td>
            <td class="area-number">{move || ago(since)}</td>
            <td>{sparkline(&person.alignment)}</td>
            <td>{state}</td>
        </tr>
    }
}

/// The alignment over the last moments, and its last value in words.
fn sparkline(values: &[f64]) -> impl IntoView + use<> {
    let last = *values.last()?;
    let (width, height) = SPARK;
    let step = width / (values.len().max(2) - 1) as f64;
    let point = |(place, value): (usize, &f64)| {
        let y = height - 2.0 - value.clamp(0.0, 1.0) * (height - 4.0);
        format!("{:.1},{y:.1}", place as f64 * step)
    };
    let points: Vec<String> = values.iter().enumerate().map(point).collect();
    Some(view! {
        <span class="area-spark">
            <svg viewBox=format!("0 0 {width} {height}") width=width height=height aria-hidden="true">
                <polyline points=points.join(" ")/>
            </svg>
            {format!("{:.0} %", 100.0 * last)}
        </span>
    })
}

/// How many reached each part, and how many left there.
#[component]
fn Funnel(parts: Vec<LivePart>) -> impl IntoView {
    let most = parts.iter().map(|it| it.reached).max().unwrap_or(0).max(1);
    let row = move |part: LivePart| {
        let share = format!("{:.1}%", 100.0 * part.reached as f64 / most as f64);
        let median = part.median_ms.map_or_else(|| "–".to_owned(), clock);
        view! {
            <tr>
                <th scope="row">{part.name}</th>
                <td class="muted">{part.kind.replace('_', " ")}</td>
                <td>
                    <span class="area-funnel" style:width=share aria-hidden="true"></span>
                    {part.reached}
                </td>
                <td class="area-number">{part.passed}</td>
                <td class="area-number">{part.left}</td>
                <td class="area-number">{median}</td>
            </tr>
        }
    };
    (!parts.is_empty()).then(|| {
        view! {
            <TableBox label=text().now.parts() testid="funnel" heads=part_heads()>{parts.into_iter().map(row).collect_view()}</TableBox>
        }
    })
}
