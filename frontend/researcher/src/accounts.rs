//! Everybody's accounts, for those who look after them.

use api::research::{Admission, Done, People, Person};
use api::routes;
use frontend::runtime::research_client;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use crate::area::Area;
use crate::table_box::{TableBox, words};

/// Everybody's accounts. Those who wait to be let in stand first.
#[component]
pub fn Accounts(area: Area) -> impl IntoView {
    let people = RwSignal::new(Vec::<Person>::new());
    let load = move || {
        area.attempt(async move {
            let mut found: People = research_client::get(routes::PEOPLE).await?;
            found.people.sort_by_key(|it| it.disabled || !it.waits);
            people.set(found.people);
            Ok(())
        });
    };
    area.load(load);
    let row = move |person: Person| {
        let waits = person.waits && !person.disabled;
        let admit = waits.then(|| {
            let name = person.name.clone();
            let admit = Callback::new(move |()| {
                let request = Admission { name: name.clone() };
                area.attempt(async move {
                    let key = area.change_key();
                    let _: Done =
                        research_client::post(routes::ADMISSIONS, &request, key.as_deref()).await?;
                    load();
                    let words = format!(
                        "{} may sign in now. A role in a study is given with redial user role.",
                        request.name
                    );
                    area.done.set(Some(words));
                    Ok(())
                });
            });
            view! { <Press testid="admit" class="button quiet" on_press=admit>"Let in"</Press> }
        });
        view! {
            <tr>
                <th scope="row">{person.name.clone()}</th>
                <td>{state(&person)}</td>
                <td>{roles(&person)}</td>
                <td>{admit}</td>
            </tr>
        }
    };
    view! {
        <section class="card" data-testid="accounts">
            <h2>"Accounts"</h2>
            <p class="muted">"They are made and changed with redial user, on the server's machine."</p>
            <TableBox label="Accounts" heads=words(["Name", "State", "Roles", "Action"])>{move || people.get().into_iter().map(row).collect_view()}</TableBox>
        </section>
    }
}

/// Whether somebody can sign in, and how.
fn state(person: &Person) -> String {
    if person.disabled {
        return "disabled".to_owned();
    }
    let vouched = person.vouched_for_by.join(", ");
    match (person.waits, person.has_password, vouched.is_empty()) {
        (true, ..) => format!("waits to be let in; vouched for by {vouched}"),
        (false, true, true) => "can sign in".to_owned(),
        (false, true, false) => format!("can sign in, also through {vouched}"),
        (false, false, false) => format!("can sign in through {vouched}"),
        (false, false, true) => "has not set a password yet".to_owned(),
    }
}

fn roles(person: &Person) -> String {
    let roles = person.studies.iter().map(|it| {
        let granted = if it.identifying { ", identifying" } else { "" };
        format!("{} in {}{granted}", it.role.name(), it.study)
    });
    let admin = person.admin.then_some("admin".to_owned());
    let roles: Vec<String> = admin.into_iter().chain(roles).collect();
    roles.join("; ")
}
