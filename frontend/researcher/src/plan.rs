//! What is to be known before a study runs: how many people it needs, what its thresholds and time limits make of it, and
//! how even its cells become.

use api::research::{ExportOf, PowerQuery, PowerView};
use api::routes;
use frontend::ui::parts::{Heading, Press};
use leptos::prelude::*;

use crate::area::Area;
use crate::entrance::Field;
use crate::links::Link;
use crate::results::{Answer, Awaited, path_with};
use crate::route::Route;
use crate::table_box::{Head, TableBox};
use crate::words::rounded;

mod balance;
mod simulation;
mod tuning;

use balance::Balance;
use simulation::Simulated;
use tuning::Tuning;

/// What is said of each number of people.
const HEADS: [Head; 5] = [
    ("People", true),
    ("Power", true),
    ("Monte-Carlo SE", true),
    ("Any pair", true),
    ("One t-test, closed form", true),
];

/// What somebody has typed into the form.
#[derive(Debug, Clone, Default)]
struct Typed {
    difference: String,
    sd: String,
    within: String,
    people: String,
    power: String,
    alpha: String,
    from: Option<ExportOf>,
}

impl Typed {
    /// The parameters that are asked for.
    ///
    /// # Errors
    /// What is no number, in words.
    fn parameters(&self) -> Result<Vec<(&'static str, String)>, String> {
        let mut parameters = Vec::new();
        let numbers = [
            ("difference", &self.difference),
            ("sd", &self.sd),
            ("within", &self.within),
            ("power", &self.power),
            ("alpha", &self.alpha),
        ];
        for (name, typed) in numbers {
            parameters.extend(number(name, typed)?);
        }
        if !self.people.trim().is_empty() {
            parameters.push(("people", self.people.trim().to_owned()));
        }
        if let Some(from) = self.from {
            parameters.push(("from", from.name().to_owned()));
        }
        Ok(parameters)
    }
}

/// A number that was typed, as a parameter of this name; none where nothing was.
///
/// # Errors
/// That it is none, in words.
fn number(name: &'static str, typed: &str) -> Result<Option<(&'static str, String)>, String> {
    let typed = typed.trim().replace(',', ".");
    if typed.is_empty() {
        return Ok(None);
    }
    match typed.parse::<f64>() {
        Ok(_) => Ok(Some((name, typed))),
        Err(_) => Err(format!("'{typed}' is no number.")),
    }
}

/// The page of a study's plan.
#[component]
pub fn PlanPage(area: Area, study: String) -> impl IntoView {
    let path = RwSignal::new(None::<String>);
    let awaited = Awaited::<PowerView>::new(area, path.into());
    let defaults = PowerQuery::default();
    let field = |value: String| RwSignal::new(value);
    let (difference, sd, within) = (
        field(String::new()),
        field(String::new()),
        field(String::new()),
    );
    let people = field(String::new());
    let (power, alpha) = (
        field(defaults.power.to_string()),
        field(defaults.alpha.to_string()),
    );
    let from = RwSignal::new(None::<ExportOf>);
    let name = StoredValue::new(study.clone());
    let ask = Callback::new(move |()| {
        let typed = Typed {
            difference: difference.get_untracked(),
            sd: sd.get_untracked(),
            within: within.get_untracked(),
            people: people.get_untracked(),
            power: power.get_untracked(),
            alpha: alpha.get_untracked(),
            from: from.get_untracked(),
        };
        area.problem.set(None);
        match typed.parameters() {
            Err(words) => area.problem.set(Some(words)),
            Ok(parameters) => {
                let parameters: Vec<(&str, &str)> = parameters
                    .iter()
                    .map(|(name, value)| (*name, value.as_str()))
                    .collect();
                let of_study = routes::research_power(&name.get_value());
                path.set(Some(path_with(&of_study, &parameters)));
            }
        }
    });
    let choose = move |event| from.set(ExportOf::of_name(&event_target_value(&event)));
    let found = move |found| view! { <Found found/> }.into_any();
    let name_of_study = study.clone();
    view! {
        <div data-screen="plan" class="area-page">
            <p class="small"><Link area to=Route::Study(study.clone())>{name_of_study}</Link></p>
            <Heading words="Plan"/>
            <section class="card">
                <h2>"How many people?"</h2>
                <p>"Studies are simulated with the analysis that the study declares, its test and its correction: people whose last condition differs from the others by so much, in the plan's first metric."</p>
                <div class="area-form">
                    <Field label="Difference, in the metric's unit" testid="difference" value=difference on_enter=ask/>
                    <Field label="Standard deviation between people" testid="sd" value=sd on_enter=ask/>
                    <Field label="Standard deviation within people" testid="within" value=within on_enter=ask/>
                    <label class="area-field">
                        "Take what is not given from the sessions of"
                        <select data-testid="from" on:change=choose>
                            <option value="">"nobody"</option>
                            <option value="pilots">"pilots"</option>
                            <option value="people">"people"</option>
                            <option value="simulated">"simulated people"</option>
                        </select>
                    </label>
                    <Field label="Numbers of people, with commas (empty: the number that is needed)" testid="people" value=people on_enter=ask/>
                    <Field label="Power wanted" testid="power" value=power on_enter=ask/>
                    <Field label="α" testid="alpha" value=alpha on_enter=ask/>
                </div>
                <p class="actions"><Press testid="work-out" on_press=ask>"Work it out"</Press></p>
                <Answer path awaited name="power" study=name found/>
            </section>
            <Tuning area study=study.clone()/>
            <Balance area study=study.clone()/>
            <Simulated area study/>
        </div>
    }
}

#[component]
fn Found(found: PowerView) -> impl IntoView {
    let each = if found.between {
        "people in each condition"
    } else {
        "people"
    };
    let assumed = format!(
        "To show a difference of {} in {}. SD between people {}, within people {}; α = {}; {} simulated studies for each number of {each}, seed {}.",
        rounded(found.difference),
        found.metric,
        rounded(found.sd),
        rounded(found.within),
        rounded(found.alpha),
        found.simulations,
        found.seed
    );
    let from = found
        .from
        .clone()
        .map(|from| format!(" Not all of this was given: it comes from {from}."));
    let needed = match found.people_needed {
        Some(needed) => Some(format!(
            "{needed} {each} are needed for a power of {}.",
            rounded(found.wanted)
        )),
        None if found.powers.iter().all(|it| it.power < found.wanted) => Some(format!(
            "None of these numbers gives a power of {}.",
            rounded(found.wanted)
        )),
        None => None,
    };
    let three = |value: f64| format!("{value:.3}");
    let rows = found.powers.iter().map(|it| {
        let closed = it.closed_form.map_or_else(|| "–".to_owned(), three);
        view! {
            <tr>
                <td class="area-number">{it.people}</td>
                <td class="area-number">{three(it.power)}</td>
                <td class="area-number">{three(it.standard_error)}</td>
                <td class="area-number">{three(it.any_pair)}</td>
                <td class="area-number">{closed}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    let declared = found
        .declared_people
        .map(|people| format!(" The study declares {people} people in all."));
    view! {
        <p data-testid="assumed">{assumed}{from}</p>
        <TableBox label="Power by number of people" testid="powers" heads=HEADS>{rows}</TableBox>
        <p><strong data-testid="needed">{needed}</strong>{declared}</p>
        <p class="muted small">"Every other declared test has nothing to find, and counts in the correction."</p>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_becomes_parameters() {
        let typed = Typed {
            difference: " 2,5 ".to_owned(),
            sd: "4".to_owned(),
            people: "20, 40".to_owned(),
            from: Some(ExportOf::Pilots),
            ..Typed::default()
        };
        let expected = [
            ("difference", "2.5"),
            ("sd", "4"),
            ("people", "20, 40"),
            ("from", "pilots"),
        ];
        let expected: Vec<_> = expected.map(|(name, it)| (name, it.to_owned())).into();
        assert_eq!(typed.parameters(), Ok(expected));
        let wrong = Typed {
            sd: "much".to_owned(),
            ..typed
        };
        assert!(wrong.parameters().is_err_and(|it| it.contains("much")));
    }
}
