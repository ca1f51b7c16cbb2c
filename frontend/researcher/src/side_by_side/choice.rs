//! Which question or model is shown of all sessions.

use frontend::ui::typed::passing_id;
use leptos::prelude::*;

use super::together::Together;

use crate::text::text;

/// All that the sessions have in common. The list of those left out tells what the address asked for and nobody has.
#[component]
pub fn Choice(together: Together) -> impl IntoView {
    let options = StoredValue::new(together.options());
    let id = passing_id();
    let choose = move |event| {
        let place = event_target_value(&event).parse::<usize>().ok();
        let chosen = place.and_then(|place| options.with_value(|all| all.get(place).cloned()));
        if let Some((common, _)) = chosen {
            together.choose(common);
        }
    };
    let known = move || {
        let common = together.common.get();
        options.with_value(|all| all.iter().any(|(it, _)| Some(it) == common.as_ref()))
    };
    let choices = options.with_value(|all| {
        let choices = all.iter().enumerate().map(|(place, (common, words))| {
            let common = common.clone();
            let is_this = move || together.common.with(|it| it.as_ref() == Some(&common));
            view! { <option value=place.to_string() prop:selected=is_this>{words.clone()}</option> }
        });
        choices.collect_view()
    });
    let other = move || {
        (!known())
            .then(|| view! { <option value="" selected=true>{text().beside.asked_for()}</option> })
    };
    options.with_value(|all| !all.is_empty()).then(|| {
        view! {
            <p class="area-seek">
                <label for=id.clone()>{text().beside.shown_of_all()}</label>
                <select id=id data-testid="common" on:change=choose>
                    {other}
                    {choices}
                </select>
            </p>
        }
    })
}
