//! Statements that are all rated on the same points.

use domain::questionnaire::MatrixRow;
use leptos::prelude::*;

use super::scale::{radio, spoken};
use crate::ui::form::filling::FormField;

pub(super) fn matrix(field: FormField, points: &[String], rows: Vec<MatrixRow>) -> impl IntoView {
    let labels = StoredValue::new(points.to_vec());
    let numbers = || (1_i64..).zip(labels.get_value());
    // On a wide page the words stand once, above the rows; on a phone with each point.
    let words = numbers().map(|(_, label)| view! { <span>{label}</span> });
    let words = words.collect_view();
    let rows = rows.into_iter().map(|row| {
        let MatrixRow { id, text, .. } = row;
        let group = format!("{}-{id}", field.test_id());
        let label_id = format!("row-{group}");
        let labelled_by = label_id.clone();
        let radios = numbers().map(|(point, label)| {
            let (of_chosen, of_choice) = (id.clone(), id.clone());
            let chosen =
                move || field.draft.with(|draft| draft.rows.get(&of_chosen) == Some(&point));
            let on_choose = move || {
                field.answer(|draft| {
                    draft.rows.insert(of_choice.clone(), point);
                });
            };
            let test_id = format!("{group}-{point}");
            let said = spoken(point, &label);
            view! {
                <div class="matrix-point">
                    {radio(field, group.clone(), test_id, said, point.to_string(), chosen, on_choose)}
                    <span class="matrix-word" aria-hidden="true">{label}</span>
                </div>
            }
        });
        let radios = radios.collect_view();
        let missing = {
            let id = id.clone();
            move || {
                let problem = field.problem.get();
                let open = field.draft.with(|draft| !draft.rows.contains_key(&id));
                open && problem.is_some_and(|problem| problem.is_about_row(&id))
            }
        };
        view! {
            <div class="matrix-row" role="radiogroup" aria-labelledby=labelled_by class:missing=missing>
                <p class="matrix-text" id=label_id>{text}</p>
                <div class="matrix-points">{radios}</div>
            </div>
        }
    });
    let rows = rows.collect_view();
    view! {
        <div class="matrix" class:wordy={points.len() > 5} style=("--points", points.len().to_string())>
            <div class="matrix-head" aria-hidden="true">
                <span></span>
                <div class="matrix-points">{words}</div>
            </div>
            {rows}
        </div>
    }
}
