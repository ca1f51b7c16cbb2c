//! Everybody's accounts, for those who look after them.

use api::research::{Admission, Done, People, Person};
use api::routes;
use frontend::runtime::research_client;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use crate::area::Area;
use crate::table_box::{TableBox, words};
use crate::text::text;

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
                    let words = text().accounts.admitted(request.name);
                    area.done.set(Some(words));
                    Ok(())
                });
            });
            view! { <Press testid="admit" class="button quiet" on_press=admit>{text().accounts.admit()}</Press> }
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
    let texts = &text().accounts;
    let heads = words([texts.name(), texts.state(), texts.roles(), texts.action()]);
    view! {
        <section class="card" data-testid="accounts">
            <h2>{text().accounts.heading()}</h2>
            <p class="muted">{text().accounts.how()}</p>
            <TableBox label=text().accounts.heading() heads>{move || people.get().into_iter().map(row).collect_view()}</TableBox>
        </section>
    }
}

/// Whether somebody can sign in, and how.
fn state(person: &Person) -> String {
    let words = &text().accounts;
    if person.disabled {
        return words.disabled().to_owned();
    }
    let vouched = person.vouched_for_by.join(", ");
    match (person.waits, person.has_password, vouched.is_empty()) {
        (true, ..) => words.waits(vouched),
        (false, true, true) => words.can().to_owned(),
        (false, true, false) => words.can_also(vouched),
        (false, false, false) => words.can_through(vouched),
        (false, false, true) => words.no_password().to_owned(),
    }
}

fn roles(person: &Person) -> String {
    let words = &text().accounts;
    let roles = person.studies.iter().map(|it| {
        if it.identifying {
            words.role_identifying(it.role.name(), &it.study)
        } else {
            words.role(it.role.name(), &it.study)
        }
    });
    let admin = person.admin.then_some(words.admin().to_owned());
    let roles: Vec<String> = admin.into_iter().chain(roles).collect();
    roles.join("; ")
}
