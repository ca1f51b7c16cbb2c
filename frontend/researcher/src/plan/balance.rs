//! How even the cells of a study become when people drop out.

use api::research::{BalanceQuery, StudyBalance};
use api::routes;
use domain::recruitment::assignment::{self, CellBalance};
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::number;
use crate::area::Area;
use crate::entrance::Field;
use crate::results::{Answer, Awaited, path_with};
use crate::table_box::{Head, TableBox};
use crate::text::text;
use crate::words::rounded;

/// The column heads of the table of cells.
fn heads() -> [Head; 7] {
    let words = &text().balance;
    [
        (words.head_cell(), false),
        (words.head_cap(), true),
        (words.head_assigned(), true),
        (words.head_count(), true),
        (words.head_dropped_out(), true),
        (words.head_over_quota(), true),
        (words.head_rows_of_the_orders(), false),
    ]
}

/// The form, and what came of it.
#[component]
pub fn Balance(
    /// The state that the pages share.
    area: Area,
    /// The study.
    study: String,
) -> impl IntoView {
    let path = RwSignal::new(None::<String>);
    let awaited = Awaited::<StudyBalance>::new(area, path.into());
    let usual = BalanceQuery::default();
    let arrivals = RwSignal::new(usual.arrivals.to_string());
    let dropout = RwSignal::new(usual.dropout.to_string());
    let at_once = RwSignal::new(usual.at_once.to_string());
    let minutes = RwSignal::new(String::new());
    let seed = RwSignal::new(usual.seed.to_string());
    let name = StoredValue::new(study);
    let ask = Callback::new(move |()| {
        area.problem.set(None);
        let typed = [
            ("arrivals", arrivals),
            ("dropout", dropout),
            ("at_once", at_once),
            ("minutes", minutes),
            ("seed", seed),
        ];
        let typed = typed.map(|(name, it)| number(name, &it.get_untracked()));
        let wanted: Result<Vec<_>, String> = typed.into_iter().collect();
        match wanted {
            Err(words) => area.problem.set(Some(words)),
            Ok(wanted) => {
                let wanted: Vec<(&str, String)> = wanted.into_iter().flatten().collect();
                let wanted: Vec<(&str, &str)> =
                    wanted.iter().map(|(name, it)| (*name, &**it)).collect();
                let to = routes::research_balance(&name.get_value());
                path.set(Some(path_with(&to, &wanted)));
            }
        }
    });
    let found = move |found| view! { <Found found/> }.into_any();
    view! {
        <section class="card">
            <h2>{text().balance.heading()}</h2>
            <p>{text().balance.what()}</p>
            <div class="area-form">
                <Field label=text().balance.arrivals() testid="balance-arrivals" value=arrivals on_enter=ask/>
                <Field label=text().balance.dropout() testid="balance-dropout" value=dropout on_enter=ask/>
                <Field label=text().balance.at_once() testid="balance-at-once" value=at_once on_enter=ask/>
                <Field label=text().balance.minutes() testid="balance-minutes" value=minutes on_enter=ask/>
                <Field label=text().balance.seed() testid="balance-seed" value=seed on_enter=ask/>
            </div>
            <p class="actions"><Press testid="balance" on_press=ask>{text().balance.arrive()}</Press></p>
            <Answer path awaited name="balance" study=name found/>
        </section>
    }
}

#[component]
fn Found(found: StudyBalance) -> impl IntoView {
    let StudyBalance {
        simulation,
        balance,
        ..
    } = found;
    let words = &text().balance;
    let asked = words.asked(
        text().counted.people(u64::from(simulation.arrivals)),
        rounded(simulation.dropout * 100.0),
        simulation.at_once,
        rounded(simulation.minutes),
        simulation.seed,
    );
    let outcome = outcome(&balance);
    let row = |cell: CellBalance| {
        let name = if cell.cell.is_empty() {
            words.everybody().to_owned()
        } else {
            cell.cell
        };
        let cap = cell
            .cap
            .map_or_else(|| "–".to_owned(), |cap| cap.to_string());
        let rows: Vec<String> = cell.rows.iter().map(u64::to_string).collect();
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td class="area-number">{cap}</td>
                <td class="area-number">{cell.assigned}</td>
                <td class="area-number">{cell.completed}</td>
                <td class="area-number">{cell.dropped_out}</td>
                <td class="area-number">{cell.over_quota}</td>
                <td class="area-long">{rows.join(" ")}</td>
            </tr>
        }
    };
    let rows = balance.cells.into_iter().map(row).collect_view();
    view! {
        <p class="muted small">{asked}</p>
        <TableBox label=words.label() testid="balance-cells" heads=heads()>{rows}</TableBox>
        <p data-testid="balance-outcome">{outcome}</p>
    }
}

/// The result as a whole, in words.
fn outcome(balance: &assignment::Balance) -> String {
    let words = &text().balance;
    let spread = words.spread(balance.largest_spread, balance.last_spread);
    let turned_away = balance
        .first_turned_away
        .map(|first| words.turned_away(text().counted.arrivals(balance.turned_away), first));
    spread + &turned_away.unwrap_or_default()
}
