//! The effect of thresholds and time limits on a study, when simulated people try its models.

use api::research::{TuningQuery, TuningView};
use api::routes;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::number;
use crate::area::Area;
use crate::entrance::Field;
use crate::results::{Answer, Awaited, TableOf, path_with};
use crate::text::text;

/// The form, and what came of it.
#[component]
pub fn Tuning(
    /// The state that the pages share.
    area: Area,
    /// The study.
    study: String,
) -> impl IntoView {
    let path = RwSignal::new(None::<String>);
    let awaited = Awaited::<TuningView>::new(area, path.into());
    let usual = TuningQuery::default();
    let questions = RwSignal::new(usual.questions.to_string());
    let thresholds = RwSignal::new(String::new());
    let times = RwSignal::new(String::new());
    let seed = RwSignal::new(usual.seed.to_string());
    let name = StoredValue::new(study);
    let ask = Callback::new(move |()| {
        area.problem.set(None);
        let wanted = parameters(
            &questions.get_untracked(),
            &thresholds.get_untracked(),
            &times.get_untracked(),
            &seed.get_untracked(),
        );
        match wanted {
            Err(words) => area.problem.set(Some(words)),
            Ok(wanted) => {
                let wanted: Vec<(&str, &str)> =
                    wanted.iter().map(|(name, it)| (*name, &**it)).collect();
                let to = routes::research_tuning(&name.get_value());
                path.set(Some(path_with(&to, &wanted)));
            }
        }
    });
    let found = move |found| view! { <Found area study=name.get_value() found/> }.into_any();
    view! {
        <section class="card">
            <h2>{text().tuning.heading()}</h2>
            <p>{text().tuning.what()}</p>
            <div class="area-form">
                <Field label=text().tuning.questions() testid="tuning-questions" value=questions on_enter=ask/>
                <Field label=text().tuning.thresholds() testid="tuning-thresholds" value=thresholds on_enter=ask/>
                <Field label=text().tuning.times() testid="tuning-times" value=times on_enter=ask/>
                <Field label=text().tuning.seed() testid="tuning-seed" value=seed on_enter=ask/>
            </div>
            <p class="actions"><Press testid="tune" on_press=ask>{text().tuning.begin()}</Press></p>
            <Answer path awaited name="tuning" study=name counts=text().tuning.counts() found/>
        </section>
    }
}

/// The parameters that the server is asked with.
fn parameters(
    questions: &str,
    thresholds: &str,
    times: &str,
    seed: &str,
) -> Result<Vec<(&'static str, String)>, String> {
    let mut found = Vec::new();
    found.extend(number("questions", questions)?);
    for (name, typed) in [("thresholds", thresholds), ("times", times)] {
        if !typed.trim().is_empty() {
            found.push((name, typed.trim().to_owned()));
        }
    }
    found.extend(number("seed", seed)?);
    Ok(found)
}

#[component]
fn Found(area: Area, study: String, found: TuningView) -> impl IntoView {
    let asked = text().tuning.asked(found.questions, found.seed);
    let figure = found.figure;
    let open = RwSignal::new(false);
    let of = study.clone();
    let all = move || {
        let (study, table) = (of.clone(), figure.data.clone());
        open.get()
            .then(|| view! { <TableOf area study label=text().tuning.every().to_owned() table/> })
    };
    view! {
        <p class="muted small">{asked}</p>
        <TableOf area study label=text().tuning.floor().to_owned() table=found.summary/>
        <div class="area-drawing" inner_html=figure.svg></div>
        <details on:toggle=move |_| open.set(true)>
            <summary>{text().tuning.every()}</summary>
            {all}
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::parameters;

    #[test]
    fn what_is_typed_becomes_parameters() {
        let found = parameters("20", " 0.1, 0.2 ", "", "1");
        let expected = [
            ("questions", "20"),
            ("thresholds", "0.1, 0.2"),
            ("seed", "1"),
        ];
        assert_eq!(
            found,
            Ok(expected.map(|(name, it)| (name, it.to_owned())).into())
        );
        assert!(parameters("many", "", "", "").is_err_and(|it| it.contains("many")));
    }
}
