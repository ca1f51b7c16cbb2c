//! A list of what a long page has, each entry leading to its place.

use api::research::{AnalysedVersion, AnalysisView};
use frontend::runtime::page;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, MouseEvent};

use crate::text::text;

/// Longest words of an entry, in characters.
const LONGEST: usize = 72;

/// An entry: where it leads, its words, and whether it is one of a section's parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    id: String,
    words: String,
    part: bool,
}

/// The place of something of a version of the study. Each version has the same tables.
pub fn place(version: &str, name: &str) -> String {
    let short: String = version.chars().take(12).collect();
    format!("{name}-{short}")
}

/// The contents of an analysis.
pub fn entries(found: &AnalysisView) -> Vec<Entry> {
    let words = &text().analysis;
    let entry = |id: String, words: &str, part| Entry {
        id,
        words: short(words),
        part,
    };
    let mut entries = vec![entry("sessions".to_owned(), words.sessions(), false)];
    let several = found.versions.len() > 1;
    let shared = shared(&captions(found));
    for version in &found.versions {
        let AnalysedVersion {
            study_sha256: sha256,
            tables,
            figures,
            ..
        } = version;
        if several {
            let version = words.version(sha256.chars().take(12).collect::<String>());
            entries.push(entry(place(sha256, "version"), &version, false));
        }
        let of = |name: &str| place(sha256, name);
        entries.push(entry(of("people"), words.who_counts(), false));
        entries.push(entry(of("methods"), words.methods(), false));
        entries.push(entry(of("tables"), words.tables(), false));
        let tables = tables.iter();
        let own = |caption: &str| caption.get(shared..).unwrap_or(caption).to_owned();
        entries.extend(tables.map(|it| entry(of(&it.name), &own(&it.caption), true)));
        entries.push(entry(of("figures"), words.figures(), false));
        let figures = figures.iter();
        entries.extend(figures.map(|it| entry(of(&it.name), &own(&it.caption), true)));
    }
    entries.push(entry("text".to_owned(), words.as_text(), false));
    entries
}

fn captions(found: &AnalysisView) -> Vec<&str> {
    let versions = found.versions.iter();
    let captions = versions.flat_map(|version| {
        let tables = version.tables.iter().map(|it| &*it.caption);
        tables.chain(version.figures.iter().map(|it| &*it.caption))
    });
    captions.collect()
}

/// How many bytes of sentences all captions begin with: they tell none from another. Something of each is left.
fn shared(captions: &[&str]) -> usize {
    let [first, others @ ..] = captions else {
        return 0;
    };
    if others.is_empty() {
        return 0;
    }
    let ends = first.match_indices(". ").map(|(at, end)| at + end.len());
    let all_have = |end: &usize| {
        let head = &first[..*end];
        captions
            .iter()
            .all(|it| it.len() > *end && it.starts_with(head))
    };
    ends.take_while(all_have).last().unwrap_or(0)
}

/// The first sentence of a caption; of a long one its beginning.
fn short(caption: &str) -> String {
    let end = caption.find([';', ':']).unwrap_or(caption.len());
    let end = caption.find(". ").unwrap_or(end).min(end);
    let first = caption[..end].trim_end_matches('.');
    if first.chars().count() <= LONGEST {
        return first.to_owned();
    }
    let cut: String = first.chars().take(LONGEST).collect();
    let whole = cut
        .rsplit_once(' ')
        .map_or(cut.as_str(), |(whole, _)| whole);
    format!("{whole}…")
}

/// The list: beside the page where there is room, folded above it elsewhere.
#[component]
pub fn Contents(
    /// The entries of the page.
    entries: Vec<Entry>,
) -> impl IntoView {
    let list = NodeRef::<leptos::html::Details>::new();
    let beside = page::window()
        .and_then(|window| window.match_media("(min-width: 64rem)").ok().flatten())
        .is_some_and(|query| query.matches());
    let item = |entry: Entry| {
        let Entry { id, words, part } = entry;
        let address = format!("#{id}");
        let follow = move |event: MouseEvent| {
            if event.button() != 0 || event.ctrl_key() || event.meta_key() || event.shift_key() {
                return;
            }
            event.prevent_default();
            // Folded it would hide what it leads to.
            if let (false, Some(list)) = (beside, list.get_untracked()) {
                list.set_open(false);
            }
            go_to(&id);
        };
        view! { <li class:part=part><a href=address on:click=follow>{words}</a></li> }
    };
    let items = entries.into_iter().map(item).collect_view();
    view! {
        <nav class="area-contents" aria-label=text().analysis.contents()>
            <details node_ref=list open=beside>
                <summary>{text().analysis.contents()}</summary>
                <ol data-testid="contents">{items}</ol>
            </details>
        </nav>
    }
}

/// Brings a place into view. The focus goes with it, so that the keyboard goes on there.
fn go_to(id: &str) {
    let document = page::window().and_then(|window| window.document());
    let place = document.and_then(|document| document.get_element_by_id(id));
    let Some(place) = place.and_then(|it| it.dyn_into::<HtmlElement>().ok()) else {
        return;
    };
    place.scroll_into_view();
    place.set_tab_index(-1);
    // An element that is on the page takes the focus.
    let _ = place.focus();
}

#[cfg(test)]
mod tests {
    use api::research::{ShownFigure, ShownTable};

    use super::*;

    fn version(sha256: &str) -> AnalysedVersion {
        AnalysedVersion {
            study_sha256: sha256.to_owned(),
            folder: String::new(),
            declared: true,
            interim: false,
            people: Vec::new(),
            methods: Vec::new(),
            tables: vec![ShownTable {
                name: "metrics".to_owned(),
                caption: "Metrics of 20 people: means. More.".to_owned(),
                heads: Vec::new(),
                rows: Vec::new(),
                notes: Vec::new(),
            }],
            figures: vec![ShownFigure {
                name: "times".to_owned(),
                caption: "Times".to_owned(),
            }],
        }
    }

    #[test]
    fn every_entry_has_a_place_of_its_own() {
        let mut found = AnalysisView {
            title: String::new(),
            simulated: false,
            counts: Vec::new(),
            problems: Vec::new(),
            has_typed_words: false,
            text: String::new(),
            versions: vec![version("aaaaaaaaaaaaaa")],
        };
        let words: Vec<String> = entries(&found).into_iter().map(|it| it.words).collect();
        assert_eq!(
            words,
            [
                "Sessions",
                "Who counts",
                "Methods",
                "Tables",
                "Metrics of 20 people",
                "Figures",
                "Times",
                "All results as text",
            ]
        );
        found.versions.push(version("bbbbbbbbbbbbbb"));
        let all = entries(&found);
        let mut ids: Vec<&str> = all.iter().map(|it| it.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all.len());
    }

    #[test]
    fn what_all_captions_say_is_left_out() {
        let simulated = |words: &str| format!("Simulated people, no real ones. {words}");
        let mut one = version("aaaaaaaaaaaaaa");
        for table in &mut one.tables {
            table.caption = simulated(&table.caption);
        }
        for figure in &mut one.figures {
            figure.caption = simulated(&figure.caption);
        }
        let found = AnalysisView {
            title: String::new(),
            simulated: true,
            counts: Vec::new(),
            problems: Vec::new(),
            has_typed_words: false,
            text: String::new(),
            versions: vec![one],
        };
        let parts = entries(&found).into_iter().filter(|it| it.part);
        let words: Vec<String> = parts.map(|it| it.words).collect();
        assert_eq!(words, ["Metrics of 20 people", "Times"]);
        assert_eq!(shared(&["A. B. C", "A. B. D", "A. B. C"]), 6);
        // Of one caption, or of what is the same to its end, something is left.
        assert_eq!((shared(&["A. B"]), shared(&["A. ", "A. "])), (0, 0));
        assert_eq!((shared(&[]), shared(&["A. B", "C. B"])), (0, 0));
    }

    #[test]
    fn long_captions_are_cut_between_words() {
        let long = short(&"words ".repeat(30));
        assert!(long.ends_with("words…") && long.chars().count() <= LONGEST);
        assert_eq!(short("Time in s. Of all"), "Time in s");
        assert_eq!(short(""), "");
    }
}
