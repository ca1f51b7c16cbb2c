//! The lines that were found: how many of each kind, and who.

use api::research::{MOST_ROWS, MatchLine, PlatformMatch};
use domain::recruitment::matching::{MatchKind, ToDo};
use domain::session::event::SessionId;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use crate::deciding::Deciding;
use crate::links::Link;
use crate::route::{Route, sessions_with};
use crate::table_box::{Head, TableBox};
use crate::text::text;
use crate::words::{money, sentence};

/// Lines on a page, and the most that can be chosen at once.
const AT_ONCE: usize = MOST_ROWS as usize;

/// Which lines are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shows {
    which: Which,
    /// Which page of them, from 0.
    page: usize,
}

/// Which lines are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Which {
    /// Those with something to be done.
    #[default]
    ToDo,
    /// All.
    All,
    /// Those of a kind with what is to be done.
    Of(MatchKind, ToDo),
}

impl Which {
    fn takes(self, line: &MatchLine) -> bool {
        match self {
            Self::ToDo => line.to_do != ToDo::Nothing,
            Self::All => true,
            Self::Of(kind, to_do) => line.kind == kind && line.to_do == to_do,
        }
    }
}

/// A kind in words.
fn kind_in_words(kind: MatchKind) -> &'static str {
    let words = &text().matching;
    match kind {
        MatchKind::Agrees => words.agrees(),
        MatchKind::Differs => words.differs(),
        MatchKind::OnlyThere => words.only_there(),
        MatchKind::OnlyHere => words.only_here(),
    }
}

/// The column heads of the table of kinds.
fn count_heads() -> [Head; 3] {
    let words = &text().matching;
    [
        (words.head_kind(), false),
        (words.head_to_do(), false),
        (words.head_number(), true),
    ]
}

/// How many there are of each kind; a press shows them alone.
#[component]
pub fn Counts(found: PlatformMatch, shows: RwSignal<Shows>) -> impl IntoView {
    let chip = move |which: Which, words: String| {
        let pressed = move || (shows.get().which == which).to_string();
        let show = move |_| shows.set(Shows { which, page: 0 });
        view! {
            <button type="button" class="area-chip" aria-pressed=pressed on:click=show>{words}</button>
        }
    };
    let rows = found.counts.into_iter().map(|count| {
        let which = Which::Of(count.kind, count.to_do);
        view! {
            <tr data-kind=count.kind.name() data-to-do=count.to_do.name()>
                <td>{kind_in_words(count.kind)}</td>
                <td>{chip(which, sentence(count.to_do.words()))}</td>
                <td class="area-number">{count.number}</td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <TableBox label=text().matching.kinds() testid="kinds" heads=count_heads()>{rows}</TableBox>
        <div class="area-filters" role="group" aria-label=text().matching.which()>
            {chip(Which::ToDo, text().matching.with_to_do().to_owned())}
            {chip(Which::All, text().matching.all().to_owned())}
        </div>
    }
}

/// The column heads of the table of lines.
fn line_heads() -> [Head; 10] {
    let words = &text().matching;
    [
        (words.head_choose(), false),
        (words.head_row(), true),
        (words.head_participant(), false),
        (words.head_submission(), false),
        (words.head_there(), false),
        (words.head_session(), false),
        (words.head_here(), false),
        (words.head_due(), true),
        (words.head_to_do(), false),
        (words.head_why(), false),
    ]
}

/// The lines of a page.
#[component]
pub fn Lines(
    deciding: Deciding,
    found: PlatformMatch,
    shows: RwSignal<Shows>,
    choosing: bool,
) -> impl IntoView {
    let lines = StoredValue::new(found.lines);
    let shown = Memo::new(move |_| {
        let Shows { which, page } = shows.get();
        lines.with_value(|lines| {
            let mut places = Vec::new();
            for (place, line) in lines.iter().enumerate() {
                if which.takes(line) {
                    places.push(place);
                }
            }
            let number = places.len();
            let of_page = places.into_iter().skip(page * AT_ONCE).take(AT_ONCE);
            (of_page.collect::<Vec<_>>(), number)
        })
    });
    // Lines that are not shown are not decided on.
    Effect::new(move |_| {
        shown.track();
        deciding.chosen.set(Vec::new());
    });
    let choosable = move || {
        shown.with(|(places, _)| {
            lines.with_value(|lines| {
                let of_page = places.iter().filter_map(|place| lines.get(*place));
                of_page
                    .filter_map(can_be_chosen)
                    .collect::<Vec<SessionId>>()
            })
        })
    };
    let choose_all = Callback::new(move |()| deciding.chosen.set(choosable()));
    let none_to_choose = Signal::derive(move || choosable().is_empty());
    let choose = choosing.then(|| {
        let number = move || deciding.chosen.with(Vec::len) as u64;
        view! {
            <p class="actions">
                <span class="tabular" data-testid="chosen">{move || text().matching.chosen(number())}</span>
                <Press testid="choose-all" class="button" disabled=none_to_choose on_press=choose_all>{text().matching.choose_all()}</Press>
            </p>
        }
    });
    let rows = move || {
        let (places, _) = shown.get();
        let of_page = places.into_iter();
        let lines = of_page.filter_map(|place| lines.with_value(|all| all.get(place).cloned()));
        lines
            .map(|line| view! { <Line deciding line choosing/> })
            .collect_view()
    };
    let pages = move || {
        let (here, number) = (shows.get().page, shown.with(|(_, number)| *number));
        let last = number.saturating_sub(1) / AT_ONCE;
        let go = move |page: usize| Callback::new(move |()| shows.update(|it| it.page = page));
        (last > 0).then(|| {
            view! {
                <p class="actions">
                    <Press testid="page-before" class="button" disabled=Signal::stored(here == 0) on_press=go(here.saturating_sub(1))>{text().matching.before()}</Press>
                    <span class="tabular">{text().matching.page(here + 1, last + 1)}</span>
                    <Press testid="page-next" class="button" disabled=Signal::stored(here >= last) on_press=go(here + 1)>{text().matching.next()}</Press>
                </p>
            }
        })
    };
    let nobody = move || {
        let none = shown.with(|(_, number)| *number == 0);
        none.then(|| view! { <p class="muted" data-testid="nobody">{text().matching.nobody()}</p> })
    };
    view! {
        {choose}
        {nobody}
        <TableBox label=text().matching.who() testid="lines" heads=line_heads()>{rows}</TableBox>
        {pages}
    }
}

/// The session of a line, if something can be decided about it.
fn can_be_chosen(line: &MatchLine) -> Option<SessionId> {
    // Of what was erased there is no row in the table of sessions, from which decisions are made.
    line.session.clone().filter(|_| !line.erased)
}

#[component]
fn Line(deciding: Deciding, line: MatchLine, choosing: bool) -> impl IntoView {
    let area = deciding.area;
    let study = deciding.study.get_value();
    let choose = can_be_chosen(&line).filter(|_| choosing).map(|id| {
        let label = text().matching.choose(&id);
        let known = id.clone();
        let on = move || deciding.chosen.with(|it| it.contains(&known));
        let switch = move |_| {
            deciding.chosen.update(|chosen| {
                if chosen.contains(&id) {
                    chosen.retain(|it| *it != id);
                } else {
                    chosen.push(id.clone());
                }
            });
        };
        view! {
            <input
                type="checkbox"
                class="area-choose"
                autocomplete="off"
                data-testid="choose"
                aria-label=label
                prop:checked=on
                on:change=switch
            />
        }
    });
    let name = line.session.as_ref().map(ToString::to_string);
    let erased = line.erased;
    let session = line.session.map(|id| {
        if erased {
            return view! { <span>{text().matching.erased(id.claim_number())}</span> }.into_any();
        }
        let row = sessions_with(&study, &format!("session={id}"));
        let replay = Route::replay(&study, &id.0, None);
        view! {
            <Link area to=row testid="to-session">{id.claim_number()}</Link>
            " "
            <Link area to=replay testid="to-replay">{text().matching.watch()}</Link>
        }
        .into_any()
    });
    let due = line.due.map(|due| {
        let currency = line.currency.as_deref().unwrap_or_default();
        money(u64::from(due.hundredths()), currency)
    });
    let here = [line.here.map(|here| here.replace('_', " ")), line.approval];
    let here: Vec<String> = here.into_iter().flatten().collect();
    view! {
        <tr
            data-row=line.row.map(|row| row.to_string())
            data-session=name
            data-to-do=line.to_do.name()
        >
            <td>{choose}</td>
            <td class="area-number">{line.row}</td>
            <td>{line.participant}</td>
            <td>{line.submission}</td>
            <td>{line.there}</td>
            <td>{session}</td>
            <td>{here.join(", ")}</td>
            <td class="area-number">{due}</td>
            <td><strong>{sentence(line.to_do.words())}</strong></td>
            <td>{sentence(&line.why)}</td>
        </tr>
    }
}
