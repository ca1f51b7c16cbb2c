//! Simulated people who take the study.

use api::research::{
    Done, LastSimulation, NewSimulation, ResultOf, Right, SimulatedPeople, SimulationInfo,
    SimulationState,
};
use api::routes;
use frontend::runtime::research_client;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use crate::again::load_again;
use crate::area::Area;
use crate::entrance::Field;
use crate::links::Link;
use crate::route::Route;
use crate::text::text;
use crate::words::sentence;

/// How often a simulation that is under way is looked at.
const LOOK_EVERY_MS: u32 = 1_000;

/// The form, how far it is, and what came of it.
#[component]
pub fn Simulated(
    /// The state that the pages share.
    area: Area,
    /// The study.
    study: String,
) -> impl IntoView {
    let name = StoredValue::new(study.clone());
    let last = RwSignal::new(None::<SimulationInfo>);
    let load = move || async move {
        // The page may have been left.
        let Some(study) = name.try_get_value() else {
            return Ok(());
        };
        let found: LastSimulation =
            research_client::get(&routes::research_simulation(&study)).await?;
        last.set(found.last);
        Ok(())
    };
    area.load(move || area.attempt(load()));
    let is_running = |info: &SimulationInfo| info.state == SimulationState::Running;
    let runs = move || last.with_untracked(|last| last.as_ref().is_some_and(is_running));
    load_again(LOOK_EVERY_MS, runs, load);
    let usual = NewSimulation::default();
    let people = RwSignal::new(String::new());
    let strategy = RwSignal::new(String::new());
    let seed = RwSignal::new(usual.seed.to_string());
    let begin = Callback::new(move |()| {
        area.problem.set(None);
        let (people, seed) = (people.get_untracked(), seed.get_untracked());
        match wanted(&people, strategy.get_untracked(), &seed) {
            Err(words) => area.problem.set(Some(words)),
            Ok(request) => area.attempt(async move {
                let path = routes::research_simulation(&name.get_value());
                let key = area.change_key();
                let begun = research_client::post(&path, &request, key.as_deref()).await?;
                last.set(Some(begun));
                Ok(())
            }),
        }
    });
    let stop = Callback::new(move |()| {
        area.attempt(async move {
            let path = routes::research_simulation(&name.get_value());
            let key = area.change_key();
            let _: Done = research_client::delete(&path, key.as_deref()).await?;
            load().await
        });
    });
    let may_manage = area.may(Right::Manage, &study);
    let form = may_manage.then(|| {
        view! {
            <div class="area-form">
                <Field label=text().simulation.people() testid="simulated-people" value=people on_enter=begin/>
                <Field label=text().simulation.strategies() testid="simulated-strategy" value=strategy on_enter=begin/>
                <Field label=text().simulation.seed() testid="simulated-seed" value=seed on_enter=begin/>
            </div>
            <p class="actions"><Press testid="simulate" on_press=begin>{text().simulation.begin()}</Press></p>
        }
    });
    let shown = move || {
        let info = last.get()?;
        let stopping = (may_manage && is_running(&info))
            .then(|| view! { <Press testid="stop-simulation" class="button quiet" on_press=stop>{text().simulation.stop()}</Press> });
        let to = Route::Analysis {
            study: name.get_value(),
            of: ResultOf::Simulated,
        };
        Some(view! {
            <p role="status" data-testid="simulated" data-state=info.state.name()>{in_words(&info)}</p>
            <p class="actions">
                {stopping}
                <Link area to class="button" testid="to-simulated">{text().simulation.analysis()}</Link>
            </p>
        })
    };
    view! {
        <section class="card">
            <h2>{text().simulation.heading()}</h2>
            <p>{text().simulation.what()}</p>
            {form}
            {shown}
        </section>
    }
}

/// The simulation that is asked for.
///
/// # Errors
/// The input that is no number, in words.
fn wanted(people: &str, strategy: String, seed: &str) -> Result<NewSimulation, String> {
    let no_number = |typed: &str| text().simulation.no_number(typed);
    let (people, seed) = (people.trim(), seed.trim());
    let participants = if people.is_empty() {
        None
    } else {
        Some(people.parse().map_err(|_| no_number(people))?)
    };
    Ok(NewSimulation {
        participants,
        strategy,
        seed: seed.parse().map_err(|_| no_number(seed))?,
    })
}

/// How far it is, or what came of it.
fn in_words(info: &SimulationInfo) -> String {
    let words = &text().simulation;
    let done = info.people_done;
    match info.state {
        SimulationState::Running => match info.request.participants {
            Some(people) => words.progress(done, people),
            None => words.progress_open(done),
        },
        SimulationState::Done => {
            let found = info.found.as_ref();
            found.map_or_else(String::new, |found| came_of(found, info.request.seed))
        }
        SimulationState::Stopped => words.stopped(done),
        SimulationState::Failed => sentence(info.problem.as_deref().unwrap_or(words.broke_off())),
    }
}

fn came_of(found: &SimulatedPeople, seed: u64) -> String {
    let words = &text().simulation;
    let strategies = found.strategies.iter();
    let strategies: Vec<String> = strategies
        .map(|(name, number)| format!("{name} {number}"))
        .collect();
    let full = if found.full { words.full() } else { "" };
    let people = words.came_of(found.started, seed, found.complete, found.included);
    let events = words.events(found.events);
    let strategies = words.strategies_taken(strategies.join(", "));
    format!("{people}{events}{full}{strategies}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_becomes_a_request() {
        let request = wanted(" 20 ", "gives_up".to_owned(), "3");
        let expected = NewSimulation {
            participants: Some(20),
            strategy: "gives_up".to_owned(),
            seed: 3,
        };
        assert_eq!(request, Ok(expected));
        assert_eq!(wanted("", String::new(), "1"), Ok(NewSimulation::default()));
        assert!(wanted("many", String::new(), "1").is_err_and(|it| it.contains("many")));
        assert!(wanted("2", String::new(), "").is_err());
    }

    #[test]
    fn what_came_of_it_is_told_in_sentences() {
        let found = SimulatedPeople {
            started: 20,
            complete: 18,
            included: 17,
            events: 4_000,
            full: true,
            strategies: [("gives_up".to_owned(), 20)].into(),
        };
        assert_eq!(
            came_of(&found, 3),
            "20 simulated people have taken it (seed 3): 18 came to the end, 17 of them meet its inclusion rules. \
             4000 events. Every cell is full. Strategies: gives_up 20."
        );
    }
}
