//! Numbers to know before a study runs: how many people it needs, what its thresholds and time limits make of it, and
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
use crate::text::text;
use crate::words::rounded;

mod balance;
mod simulation;
mod tuning;

use balance::Balance;
use simulation::Simulated;
use tuning::Tuning;

/// The column heads of the table of numbers of people.
fn heads() -> [Head; 5] {
    let words = &text().plan;
    [
        (words.head_people(), true),
        (words.head_power(), true),
        (words.head_monte_carlo_se(), true),
        (words.head_any_pair(), true),
        (words.head_one_t_test_closed_form(), true),
    ]
}

/// The input of the form.
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
    /// The input that is no number, in words.
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
        Err(_) => Err(text().plan.no_number(typed)),
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
            <Heading words=text().plan.heading()/>
            <section class="card">
                <h2>{text().plan.how_many()}</h2>
                <p>{text().plan.what()}</p>
                <div class="area-form">
                    <Field label=text().plan.difference() testid="difference" value=difference on_enter=ask/>
                    <Field label=text().plan.sd() testid="sd" value=sd on_enter=ask/>
                    <Field label=text().plan.within() testid="within" value=within on_enter=ask/>
                    <label class="area-field">
                        {text().plan.take_from()}
                        <select data-testid="from" on:change=choose>
                            <option value="">{text().plan.nobody()}</option>
                            <option value="pilots">{text().plan.pilots()}</option>
                            <option value="people">{text().plan.people()}</option>
                            <option value="simulated">{text().plan.simulated()}</option>
                        </select>
                    </label>
                    <Field label=text().plan.numbers() testid="people" value=people on_enter=ask/>
                    <Field label=text().plan.power() testid="power" value=power on_enter=ask/>
                    <Field label=text().plan.alpha() testid="alpha" value=alpha on_enter=ask/>
                </div>
                <p class="actions"><Press testid="work-out" on_press=ask>{text().plan.work_out()}</Press></p>
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
    let words = &text().plan;
    let each = if found.between {
        words.each_between()
    } else {
        words.each()
    };
    let assumed = words.assumed(
        rounded(found.difference),
        &found.metric,
        rounded(found.sd),
        rounded(found.within),
        rounded(found.alpha),
        words.studies(found.simulations, each, found.seed),
    );
    let from = found.from.clone().map(|from| words.comes_from(from));
    let wanted = rounded(found.wanted);
    let needed = match found.people_needed {
        Some(needed) => Some(words.needed(needed, each, wanted)),
        None if found.powers.iter().all(|it| it.power < found.wanted) => {
            Some(words.none_enough(wanted))
        }
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
    let declared = found.declared_people.map(|people| words.declared(people));
    view! {
        <p data-testid="assumed">{assumed}{from}</p>
        <TableBox label=words.by_number() testid="powers" heads=heads()>{rows}</TableBox>
        <p><strong data-testid="needed">{needed}</strong>{declared}</p>
        <p class="muted small">{words.others()}</p>
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
