//! The people in each cell.

use api::research::CellCounts;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::pausing::Paused;
use crate::table_box::{Head, TableBox};
use crate::text::text;

/// The column heads of the table of cells.
fn heads() -> [Head; 8] {
    let words = &text().study;
    [
        (words.head_cell(), false),
        (words.head_wanted(), true),
        (words.head_count(), true),
        (words.head_under_way(), true),
        (words.head_open(), true),
        (words.head_left(), true),
        (words.head_excluded(), true),
        (words.head_over_quota(), true),
    ]
}

/// The people in each cell, as `redial study cells` prints them, and pausing single cells.
#[component]
pub fn Cells(
    /// The study.
    study: String,
    /// Its cells.
    cells: Vec<CellCounts>,
    /// Whether single cells can be paused.
    pauses: bool,
    /// The cell that somebody wants to pause, or to let people into.
    asked: RwSignal<Option<Paused>>,
) -> impl IntoView {
    let number = |number: Option<u64>| number.map_or_else(|| "–".to_owned(), |it| it.to_string());
    let row = move |cell: CellCounts| {
        let name = if cell.cell.is_empty() {
            text().study.everybody().to_owned()
        } else {
            cell.cell.clone()
        };
        let open = if cell.paused {
            text().study.paused().to_owned()
        } else {
            number(cell.open)
        };
        let paused = Paused {
            study: study.clone(),
            cell: Some((cell.cell, name.clone())),
            paused: cell.paused,
            under_way: cell.under_way,
        };
        let action = pauses.then(|| {
            let verb = paused.verb();
            let ask = Callback::new(move |()| asked.set(Some(paused.clone())));
            let of = text().study.with_cell(&name);
            view! {
                <td><Press testid="pause-cell" class="button quiet" on_press=ask>{format!("{verb}…")}<span class="visually-hidden">{of}</span></Press></td>
            }
        });
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td class="area-number">{number(cell.cap)}</td>
                <td class="area-number">{cell.counted}</td>
                <td class="area-number">{cell.under_way}</td>
                <td class="area-number">{open}</td>
                <td class="area-number">{cell.left}</td>
                <td class="area-number">{cell.excluded}</td>
                <td class="area-number">{cell.over_quota}</td>
                {action}
            </tr>
        }
    };
    (!cells.is_empty()).then(|| {
        let heads = heads().into_iter().chain(pauses.then(|| (text().study.head_action(), false)));
        let heads: Vec<(String, bool)> = heads.map(|(words, number)| (words.to_owned(), number)).collect();
        view! {
            <TableBox label=text().study.cells() testid="cells" heads>{cells.into_iter().map(row).collect_view()}</TableBox>
        }
    })
}
