//! People who have come through the provider and wait: an owner lets them in.

use api::research::{Done, PersonWaiting, Role, StudyAdmission, Waiting};
use api::routes;
use frontend::runtime::research_client;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use crate::area::Area;
use crate::table_box::{TableBox, words};
use crate::text::text;

/// Those who wait; nothing where nobody does.
#[component]
pub fn Admissions(area: Area, study: String) -> impl IntoView {
    let path = StoredValue::new(routes::research_admissions(&study));
    let study = StoredValue::new(study);
    let people = RwSignal::new(Vec::<PersonWaiting>::new());
    let load = move || {
        area.attempt(async move {
            let found: Waiting = research_client::get(&path.get_value()).await?;
            // The page may have been left.
            let _ = people.try_set(found.people);
            Ok(())
        });
    };
    area.load(load);
    let row = move |person: PersonWaiting| {
        let role = RwSignal::new(Role::Viewer);
        let name = person.name.clone();
        let admit = Callback::new(move |()| {
            let request = StudyAdmission {
                name: name.clone(),
                role: role.get_untracked(),
            };
            area.attempt(async move {
                let key = area.change_key();
                let _: Done =
                    research_client::post(&path.get_value(), &request, key.as_deref()).await?;
                load();
                let words =
                    text()
                        .study
                        .admitted(&request.name, request.role.name(), study.get_value());
                let _ = area.done.try_set(Some(words));
                Ok(())
            });
        });
        let choose = move |event| {
            if let Some(chosen) = Role::of_name(&event_target_value(&event)) {
                role.set(chosen);
            }
        };
        let options = Role::ALL.map(|it| {
            view! { <option value=it.name() selected=it == Role::Viewer>{it.name()}</option> }
        });
        let label = text().study.role_of(&person.name);
        view! {
            <tr>
                <th scope="row">{person.name}</th>
                <td>{person.vouched_for_by.join(", ")}</td>
                <td><select aria-label=label data-testid="role" on:change=choose>{options}</select></td>
                <td><Press testid="admit" class="button quiet" on_press=admit>{text().study.let_in()}</Press></td>
            </tr>
        }
    };
    move || {
        let waiting = people.get();
        (!waiting.is_empty()).then(|| {
            let rows = waiting.into_iter().map(row).collect_view();
            let texts = &text().study;
            let heads = words([
                texts.head_name(),
                texts.head_vouched(),
                texts.head_role(),
                texts.head_action(),
            ]);
            view! {
                <section class="card" data-testid="admissions">
                    <h2>{text().study.waiting()}</h2>
                    <p class="muted">{text().study.waiting_why()}</p>
                    <TableBox label=texts.waiting_label() heads>{rows}</TableBox>
                </section>
            }
        })
    }
}
