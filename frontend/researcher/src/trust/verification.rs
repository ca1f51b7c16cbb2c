//! Contradictions: values that pages reported and that do not follow from their inputs, decoded again.

use api::research::{ContradictingSession, ResultOf, VerificationView};
use api::routes;
use domain::common::moment::moment;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::results::{Awaited, HowFar, Saved, path_of};
use crate::route::{Route, sessions_with};
use crate::table_box::{Head, TableBox};
use crate::text::text;

/// The heads of the table of findings.
fn found_heads() -> [Head; 3] {
    let words = &text().trust;
    [
        (words.head_session(), true),
        (words.head_found(), false),
        (words.head_replay(), false),
    ]
}

/// The findings so far, and everything decoded again where somebody asks for it.
#[component]
pub fn Verification(area: Area, study: String, of: ResultOf) -> impl IntoView {
    let asked = RwSignal::new(false);
    let path = path_of(&routes::research_verification(&study), of);
    let path = StoredValue::new(path);
    let asked_for = Signal::derive(move || asked.get().then(|| path.get_value()));
    let awaited = Awaited::<VerificationView>::new(area, asked_for);
    let purpose = match of {
        ResultOf::People => "participant",
        ResultOf::Simulated => "simulated",
    };
    let so_far = |more: &str| sessions_with(&study, &format!("purpose={purpose};{more}"));
    let (contradicting, looked_at) = (so_far("contradictions>0"), so_far("decoded_again>0"));
    let study = StoredValue::new(study);
    let body = move || {
        if !asked.get() {
            let ask = Callback::new(move |()| asked.set(true));
            return view! { <p class="actions"><Press testid="verify" class="button" on_press=ask>{text().trust.verify()}</Press></p> }.into_any();
        }
        let found = awaited.found.get().map(|found| {
            let file = format!("{}-verification.json", study.get_value());
            let read_at = awaited.read_at();
            view! {
                <Found area study=study.get_value() found/>
                <p class="actions"><Saved file path=path.get_value() read_at/></p>
            }
        });
        view! { <HowFar of=awaited.status again=awaited.again/> {found} }.into_any()
    };
    view! {
        <section class="card" data-testid="verification">
            <h2>{text().trust.decoded_again()}</h2>
            <p>{text().trust.decoded_again_what()}</p>
            <p>
                <Link area to=looked_at testid="to-verified">{text().trust.to_verified()}</Link>
                ". "
                <Link area to=contradicting testid="to-contradicting">{text().trust.to_contradicting()}</Link>
                "."
            </p>
            <p class="muted small">{text().trust.verify_takes()}</p>
            {body}
        </section>
    }
}

#[component]
fn Found(area: Area, study: String, found: VerificationView) -> impl IntoView {
    let lines = |texts: &[String]| {
        let items = texts.iter().map(|it| view! { <li>{it.clone()}</li> });
        items.collect_view()
    };
    let problems = (!found.problems.is_empty())
        .then(|| view! { <ul class="problem">{lines(&found.problems)}</ul> });
    let missing = (!found.missing.is_empty()).then(|| {
        view! { <p>{text().trust.missing()}</p> <ul>{lines(&found.missing)}</ul> }
    });
    let verdict = match found.contradicting.len() as u64 {
        0 => text().trust.verified().to_owned(),
        some => text().trust.contradicting(some),
    };
    let table = (!found.contradicting.is_empty()).then(|| {
        let rows = found.contradicting.iter();
        let rows = rows.map(|it| rows_of(area, &study, it)).collect_view();
        view! { <TableBox label=text().trust.findings() testid="findings" heads=found_heads()>{rows}</TableBox> }
    });
    let counts = &text().counted;
    let summary = text().trust.verification_summary(
        counts.sessions(found.sessions),
        counts.questions(found.questions),
        counts.pictures(found.decoded),
    );
    view! {
        {problems}
        <p><span class="tabular">{summary}</span><strong data-testid="verdict">{verdict}</strong></p>
        {missing}
        {table}
    }
}

fn rows_of(area: Area, study: &str, session: &ContradictingSession) -> Vec<AnyView> {
    let more = session
        .contradictions
        .saturating_sub(session.first.len() as u64);
    let ordinal = session.ordinal;
    let mut rows: Vec<AnyView> = session
        .first
        .iter()
        .map(|finding| {
            let to = Route::replay(study, &session.session.0, finding.at_ms);
            let words = match finding.at_ms {
                Some(at_ms) => text().trust.watch_at(moment(at_ms)),
                None => text().trust.watch().to_owned(),
            };
            view! {
                <tr>
                    <td class="area-number">{ordinal}</td>
                    <td class="area-long">{finding.words.clone()}</td>
                    <td><Link area to testid="to-finding">{words} <span class="visually-hidden">{text().trust.of_session(ordinal)}</span></Link></td>
                </tr>
            }
            .into_any()
        })
        .collect();
    if more > 0 {
        let words = text().trust.more_findings(more);
        let row = view! { <tr><td class="area-number">{ordinal}</td><td class="area-long">{words}</td><td></td></tr> };
        rows.push(row.into_any());
    }
    rows
}
