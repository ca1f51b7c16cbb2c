//! The analysis of a study, as `redial report` has it: who counts, tables, figures, and the words for a paper.

use api::research::{AnalysedVersion, AnalysisView, PeopleCount, ResultOf, Right};
use api::routes;
use frontend::runtime::page;
use frontend::ui::parts::{Heading, Press};
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::results::{Awaited, HowFar, TableOf, Whose, path_of, path_with};
use crate::route::{Route, sessions_with};
use crate::table_box::{Head, TableBox};
use crate::text::text;

mod contents;
mod figure;

use contents::{Contents, entries, place};
use figure::FigureOf;

/// The state that the parts of the page share.
#[derive(Clone, Copy)]
pub struct Shown {
    area: Area,
    study: StoredValue<String>,
    of: ResultOf,
    /// Whether typed words are shown.
    words: RwSignal<bool>,
    awaited: Awaited<AnalysisView>,
}

impl Shown {
    fn study(&self) -> String {
        self.study.get_value()
    }

    /// When the logs were read that what is shown was made of. A file of the same is asked for with it.
    fn read_at(&self) -> Option<u64> {
        self.awaited.read_at()
    }

    /// The address of a file of the analysis, by its name.
    fn file(&self, name: &str) -> String {
        let read_at = self.read_at().map(|it| it.to_string());
        let words = self.words.get_untracked().to_string();
        let mut parameters = vec![
            ("name", name),
            ("of", self.of.name()),
            ("identifying", &words),
        ];
        if let Some(read_at) = &read_at {
            parameters.push(("since_unix_ms", read_at));
        }
        let path = routes::research_analysis_file(&self.study());
        page::address(&path_with(&path, &parameters))
    }
}

/// The page of a study's analysis.
#[component]
pub fn AnalysisPage(area: Area, study: String, of: ResultOf) -> impl IntoView {
    let words = RwSignal::new(false);
    let path = {
        let path = path_of(&routes::research_analysis(&study), of);
        Signal::derive(move || {
            let words = if words.get() { "&identifying=true" } else { "" };
            Some(format!("{path}{words}"))
        })
    };
    let awaited = Awaited::<AnalysisView>::new(area, path);
    let shown = Shown {
        area,
        study: StoredValue::new(study.clone()),
        of,
        words,
        awaited,
    };
    let may_identify = area.may(Right::Identify, &study);
    let body = move || {
        awaited.found.get().map(|found| {
            let typed = (found.has_typed_words && may_identify && !words.get_untracked()).then(|| {
                let show = Callback::new(move |()| words.set(true));
                view! {
                    <p class="actions">
                        <Press testid="show-words" class="button" on_press=show>{text().analysis.show_words()}</Press>
                        <span class="muted small">{text().analysis.show_words_noted()}</span>
                    </p>
                }
            });
            view! { {typed} <div class="area-with-contents"><Study shown found/></div> }
        })
    };
    let name_of_study = study.clone();
    view! {
        <div data-screen="analysis" class="area-page">
            <p class="small"><Link area to=Route::Study(study.clone())>{name_of_study}</Link></p>
            <Heading words=text().analysis.heading()/>
            <Whose area shown=of to=|study, of| Route::Analysis { study, of } study=study.clone()/>
            <HowFar of=awaited.status again=awaited.again/>
            {body}
        </div>
    }
}

#[component]
fn Study(shown: Shown, found: AnalysisView) -> impl IntoView {
    let contents = entries(&found);
    let problems = found.problems.into_iter();
    let problems: Vec<_> = problems.map(|it| view! { <li>{it}</li> }).collect();
    let problems = (!problems.is_empty()).then(|| {
        view! {
            <section class="card">
                <h2>{text().analysis.problems()}</h2>
                <p>{text().analysis.problems_why()}</p>
                <ul class="problem">{problems}</ul>
            </section>
        }
    });
    let several = found.versions.len() > 1;
    let none = found
        .versions
        .is_empty()
        .then(|| view! { <p>{text().analysis.none_yet()}</p> });
    let versions = found.versions.into_iter();
    let versions = versions.map(|version| view! { <Version shown version several/> });
    let files = [
        ("numbers.json", text().analysis.file_numbers()),
        ("report.html", text().analysis.file_report()),
        ("results.txt", text().analysis.file_text()),
    ];
    let files = files.map(|(name, words)| {
        let address = shown.file(name);
        view! { <a class="button quiet" href=address download="" data-testid=format!("file-{name}")>{words}</a> }
    });
    view! {
        <Contents entries=contents/>
        <div class="area-page">
        {problems}
        <section class="card" id="sessions">
            <h2>{text().analysis.sessions()}</h2>
            <Counts shown label=text().analysis.sessions_label().to_owned() counts=found.counts testid="counts"/>
            <p class="actions">{files.into_iter().collect_view()}</p>
        </section>
        {none}
        {versions.collect_view()}
        <details id="text">
            <summary>{text().analysis.as_printed()}</summary>
            <pre class="area-text" tabindex="0">{found.text}</pre>
        </details>
        </div>
    }
}

#[component]
fn Version(shown: Shown, version: AnalysedVersion, several: bool) -> impl IntoView {
    let short: String = version.study_sha256.chars().take(12).collect();
    // Of several versions each has the same tables.
    let of_version = |name: &str| {
        if several {
            text().analysis.of_version(name, &short)
        } else {
            name.to_owned()
        }
    };
    let heading = several.then(|| {
        let words = text().analysis.study_version(&short);
        let id = place(&version.study_sha256, "version");
        view! { <h2 id=id>{words}</h2> <p class="muted small">{text().analysis.versions_apart()}</p> }
    });
    let exploratory = (!version.declared).then(|| {
        view! { <p class="note" data-testid="exploratory">{text().analysis.exploratory()}</p> }
    });
    let interim = version.interim.then(|| {
        view! { <p class="note" data-testid="interim">{text().analysis.interim()}</p> }
    });
    let methods = version.methods.into_iter();
    let methods = methods.map(|paragraph| view! { <p>{paragraph}</p> });
    let folder = StoredValue::new(version.folder);
    let study = shown.study();
    let of = |name: &str| place(&version.study_sha256, name);
    let tables = version.tables.into_iter().map(|table| {
        let name = format!("{}tables/{}.csv", folder.get_value(), table.name);
        let address = shown.file(&name);
        let id = of(&table.name);
        view! {
            <div class="area-figure" id=id>
                <TableOf area=shown.area study=study.clone() label=of_version(&table.name) table/>
                <p class="actions"><a class="button quiet" href=address download="" data-testid="csv">{text().analysis.save_csv()}</a></p>
            </div>
        }
    });
    let sha256 = version.study_sha256.clone();
    let figures = version.figures.into_iter().map(|figure| {
        let id = place(&sha256, &figure.name);
        view! { <div id=id><FigureOf shown folder version=sha256.clone() figure/></div> }
    });
    view! {
        {heading}
        {exploratory}
        {interim}
        <section class="card" id=of("people")>
            <h2>{text().analysis.who_counts()}</h2>
            <p class="muted small">{text().analysis.each_leads()}</p>
            <Counts shown label=of_version(text().analysis.who_counts()) counts=version.people testid="people"/>
        </section>
        <section class="card" id=of("methods")>
            <h2>{text().analysis.methods()}</h2>
            <div class="area-form" data-testid="methods">{methods.collect_view()}</div>
            <p class="muted small">{text().analysis.study_sha256()}<code class="area-token">{version.study_sha256.clone()}</code></p>
        </section>
        <section class="card" id=of("tables")>
            <h2>{text().analysis.tables()}</h2>
            <p class="muted small">{text().analysis.rounded()}</p>
            {tables.collect_view()}
        </section>
        <section class="card" id=of("figures")>
            <h2>{text().analysis.figures()}</h2>
            {figures.collect_view()}
        </section>
    }
}

/// The column heads of the table of numbers of people.
fn count_heads() -> [Head; 2] {
    let words = &text().analysis;
    [(words.head_who(), false), (words.head_number(), true)]
}

/// Numbers of people; each leads to the sessions that it counts.
#[component]
fn Counts(
    shown: Shown,
    label: String,
    counts: Vec<PeopleCount>,
    testid: &'static str,
) -> impl IntoView {
    let row = |count: PeopleCount| {
        let number = count.people.to_string();
        let cell = match count.filter {
            None => number.into_any(),
            Some(filter) => {
                let to = sessions_with(&shown.study(), &filter);
                let about = text().analysis.sessions_of(&count.words);
                view! {
                    <Link area=shown.area to testid="to-counted">{number} <span class="visually-hidden">{about}</span></Link>
                }
                .into_any()
            }
        };
        view! {
            <tr data-count=count.name>
                <th scope="row" class="area-long">{count.words}</th>
                <td class="area-number">{cell}</td>
            </tr>
        }
    };
    let rows = counts.into_iter().map(row).collect_view();
    view! { <TableBox label testid heads=count_heads()>{rows}</TableBox> }
}
