//! Analysis, trust and plan in the researcher's area: each number on the pages is that of `redial export` and of
//! `redial analyze --json`, and leads to its sessions.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use fantoccini::key::Key;
use serde_json::Value;
use tempfile::TempDir;
use tests::area::{self, address, said, says};
use tests::browser::{Browser, Hand};
use tests::export::Export;
use tests::journey;
use tests::pages::{Complete, StudyPage};
use tests::scene::in_browser;
use tests::server::Server;
use tests::tools;
use tests::wait;

const STUDY: &str = "chi21-synthetic";

/// How many simulated people take the study.
fn people() -> usize {
    if tools::long() { 90 } else { 18 }
}

#[tokio::test]
async fn each_number_on_a_page_is_that_of_a_command() -> Result<()> {
    in_browser(
        "research-results",
        if tools::long() { 3_600 } else { 1_200 },
        taken(),
        walk,
    )
    .await
}

/// A server whose study simulated people have taken.
async fn taken() -> Result<Server> {
    let mut server = Server::start().await?;
    // One program at a time writes to a database.
    server.stop().await?;
    let people = people().to_string();
    said(&server, &["simulate", STUDY, "--participants", &people])?;
    server.restart().await?;
    Ok(server)
}

/// How many real people take it, each in a browser: with `--long` one.
fn participants() -> usize {
    usize::from(tools::long())
}

async fn take(server: &Server, browser: &Browser) -> Result<()> {
    for _ in 0..participants() {
        let profile = TempDir::new()?;
        let theirs = Browser::open_beside(browser, profile.path()).await?;
        let taken = async {
            StudyPage::begin(&theirs, server.address(), STUDY).await?;
            let rest = Duration::from_secs(2);
            journey::finish(&theirs, rest, async |_, _| Ok(())).await?;
            Complete(&theirs).code().await
        };
        let taken = taken.await.map(drop);
        theirs.finish("research-results-participant", taken).await?;
    }
    Ok(())
}

async fn walk(server: &Server, browser: &Browser) -> Result<()> {
    take(server, browser).await?;
    area::sign_in(server, browser, STUDY).await?;
    let page = Page { server, browser };
    page.study().await?;
    page.people("participant", &[], participants()).await?;
    page.people("simulated", &["--simulated"], people()).await?;
    page.people_apart().await?;
    page.analysis().await?;
    page.trust().await?;
    page.plan().await?;
    if tools::long() {
        page.every_other_page().await?;
    }
    Ok(())
}

struct Page<'a> {
    server: &'a Server,
    browser: &'a Browser,
}

/// A row of a table on a page: the name that it has for programs, and its cells as they are read and, where they are
/// rounded, with all digits.
#[derive(Debug, serde::Deserialize)]
struct Row {
    name: Option<String>,
    cells: Vec<Cell>,
}

#[derive(Debug, serde::Deserialize)]
struct Cell {
    text: String,
    exact: Option<String>,
}

/// The rows of the table in an element, by its name for tests. Words that nobody sees are left out.
const ROWS: &str = "const seen = cell => {
        const copy = cell.cloneNode(true);
        copy.querySelectorAll('.visually-hidden').forEach(it => it.remove());
        return copy.textContent.trim();
    };
    const rows = document.querySelectorAll(`[data-testid='${arguments[0]}'] tbody tr`);
    return [...rows].map(row => ({
        name: row.dataset.count ?? row.dataset.signal ?? row.dataset.session ?? null,
        cells: [...row.children].map(cell => ({ text: seen(cell), exact: cell.dataset.exact ?? null })),
    }))";

/// A number as a CSV file has it.
fn exact(number: &Value) -> Option<String> {
    Some((number.as_f64()? + 0.0).to_string())
}

/// A value of an export as its CSV file, and so the table of sessions, has it.
fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn at<'a>(value: &'a Value, pointer: &str) -> Result<&'a Value> {
    value
        .pointer(pointer)
        .with_context(|| format!("no {pointer}"))
}

fn list<'a>(value: &'a Value, pointer: &str) -> Result<&'a Vec<Value>> {
    at(value, pointer)?
        .as_array()
        .with_context(|| format!("{pointer} is no list"))
}

fn word<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

impl Page<'_> {
    async fn rows(&self, test_id: &str) -> Result<Vec<Row>> {
        let found = self.browser.look(ROWS, vec![test_id.into()]).await?;
        Ok(serde_json::from_value(found)?)
    }

    /// Waits for a table with so many rows at least.
    async fn table(&self, test_id: &str, least: usize) -> Result<Vec<Row>> {
        let limit = Duration::from_secs(180);
        wait::until(&format!("the table {test_id}"), limit, async || {
            let rows = self.rows(test_id).await?;
            Ok((rows.len() >= least).then_some(rows))
        })
        .await
    }

    async fn goto(&self, page: &str) -> Result<()> {
        let page = format!("/studies/{STUDY}{page}");
        self.browser.goto(&address(self.server, &page)).await
    }

    fn json(&self, arguments: &[&str]) -> Result<Value> {
        Ok(serde_json::from_str(&said(self.server, arguments)?)?)
    }

    /// The cells are those of `redial study cells`: simulated people are in none.
    async fn study(&self) -> Result<()> {
        self.goto("").await?;
        let cells = self.json(&["study", "cells", STUDY, "--json"])?;
        let cells = cells
            .as_array()
            .or_else(|| cells["cells"].as_array())
            .context("no cells")?
            .clone();
        let rows = self.table("cells", cells.len()).await?;
        ensure!(rows.len() == cells.len(), "{} cells", rows.len());
        for (row, cell) in rows.iter().zip(&cells) {
            let name = word(cell, "cell");
            ensure!(row.cells[0].text == name, "{row:?} is not {name}");
            let fields = [
                "cap",
                "counted",
                "under_way",
                "open",
                "left",
                "excluded",
                "over_quota",
            ];
            for (cell_of_page, field) in row.cells[1..].iter().zip(fields) {
                let expected = text_of(&cell[field]);
                ensure!(
                    cell_of_page.text == expected,
                    "{name}, {field}: {} is not {expected}",
                    cell_of_page.text
                );
            }
        }
        area::look(self.browser, "study-with-results").await
    }

    /// Every cell of every row is that of the export.
    async fn people(&self, purpose: &str, export: &[&str], people: usize) -> Result<()> {
        if people == 0 {
            return Ok(());
        }
        let export = Export::with(self.server, STUDY, export)?;
        let sessions = export.table("sessions")?;
        ensure!(sessions.len() == people, "{} sessions", sessions.len());
        let columns = [
            "ordinal",
            "standing",
            "phase",
            "cell",
            "questions_planned",
            "questions_ended",
            "questions_solved",
            "questions_right",
            "events",
            "last_event_at_ms",
            "marked",
            "attention_checks",
            "direct_share",
        ];
        let query = format!(
            "?columns={}&sort=ordinal&filter=purpose%3D{purpose}&rows=200",
            columns.join(",")
        );
        self.goto(&format!("/people{query}")).await?;
        let rows = self.table("sessions", people).await?;
        let mut compared = 0;
        for (row, session) in rows.iter().zip(&sessions) {
            ensure!(
                row.name.as_deref() == session["session"].as_str(),
                "{row:?}"
            );
            // Before the columns stand the box to choose it and the link to its replay.
            for (cell, column) in row.cells[2..].iter().zip(columns) {
                let expected = text_of(&session[column]);
                ensure!(
                    cell.text == expected,
                    "{column}: {cell:?} is not {expected}"
                );
                compared += 1;
            }
        }
        ensure!(compared == people * columns.len(), "{compared} cells");
        println!("table of sessions, {purpose}: {compared} cells compared");
        Ok(())
    }

    /// Simulated people are never among real ones.
    async fn people_apart(&self) -> Result<()> {
        self.goto("").await?;
        self.browser.click("to-analysis").await?;
        says(self.browser, "whose", "People, no simulated ones").await?;
        let rows = self.table("counts", 5).await?;
        let of = |name: &str| {
            let mut rows = rows.iter();
            let row = rows.find(|it| it.name.as_deref() == Some(name));
            row.map(|row| row.cells[1].text.clone())
        };
        let started = participants().to_string();
        ensure!(of("started") == Some(started), "{rows:?}");
        ensure!(of("of_the_other_kind") == Some(people().to_string()));
        self.browser.click("of-simulated").await?;
        says(
            self.browser,
            "whose",
            "nothing here says anything about real",
        )
        .await
    }

    async fn analysis(&self) -> Result<()> {
        let numbers = self.json(&["analyze", STUDY, "--json", "--simulated"])?;
        let version = at(&numbers, "/versions/0")?;
        self.table("people", 4).await?;
        self.counts(&numbers, version).await?;
        self.metrics(version).await?;
        self.pairs(version).await?;
        self.cells_are_rounded().await?;
        self.figures(version).await?;
        area::look(self.browser, "analysis").await?;
        self.numbers_lead_to_sessions(version).await
    }

    async fn counts(&self, numbers: &Value, version: &Value) -> Result<()> {
        let mut expected = Vec::new();
        for name in [
            "started",
            "complete",
            "damaged",
            "no_data",
            "of_the_other_kind",
        ] {
            expected.push((name.to_owned(), text_of(at(numbers, &format!("/{name}"))?)));
        }
        let found = |rows: Vec<Row>| -> Vec<(String, String)> {
            let rows = rows.into_iter();
            rows.map(|row| {
                let number = row.cells[1].text.clone();
                (row.name.unwrap_or_default(), number)
            })
            .collect()
        };
        let of_page = found(self.rows("counts").await?);
        ensure!(of_page == expected, "{of_page:?} is not {expected:?}");
        let mut expected: Vec<(&str, String)> = Vec::new();
        let steps = list(version, "/funnel")?;
        for (place, step) in steps.iter().enumerate() {
            let name = match place {
                0 => "version_started",
                last if last + 1 == steps.len() => "included",
                _ => "step",
            };
            expected.push((name, text_of(&step["people"])));
        }
        for excluded in list(version, "/excluded")? {
            if excluded["people"] != 0 {
                expected.push(("left_out", text_of(&excluded["people"])));
            }
        }
        for cell in list(version, "/attrition/cells")? {
            expected.push(("kept", text_of(&cell[1])));
            expected.push(("lost", text_of(&cell[2])));
        }
        let expected: Vec<(String, String)> = expected
            .into_iter()
            .map(|(name, number)| (name.to_owned(), number))
            .collect();
        let of_page = found(self.rows("people").await?);
        ensure!(of_page == expected, "{of_page:?} is not {expected:?}");
        Ok(())
    }

    /// Mean and standard deviation of each condition, metric by metric.
    async fn metrics(&self, version: &Value) -> Result<()> {
        let rows = self.rows("table-metrics").await?;
        // Of a group the first row has the name.
        let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut comparison = String::new();
        for (place, row) in rows.iter().enumerate() {
            if !row.cells[0].text.is_empty() {
                comparison.clone_from(&row.cells[0].text);
            }
            places.insert((comparison.clone(), row.cells[1].text.clone()), place);
        }
        let mut compared = vec![0; rows.len()];
        for of_metric in list(version, "/included/comparisons")? {
            for condition in list(of_metric, "/conditions")? {
                let of = (
                    word(of_metric, "name").to_owned(),
                    word(condition, "condition").to_owned(),
                );
                let found = &condition["description"];
                let (Some(mean), Some(sd)) =
                    (exact(&found["mean"]), exact(&found["sd_population"]))
                else {
                    continue;
                };
                let place = *places.get(&of).with_context(|| format!("no row {of:?}"))?;
                let wanted = format!("{mean}; {sd}");
                let cells = rows[place].cells.iter();
                let there = cells
                    .filter(|it| it.exact.as_deref() == Some(&wanted))
                    .count();
                // Variants of other metrics are in the numbers alone.
                compared[place] += usize::from(there > 0);
            }
        }
        for (row, compared) in rows.iter().zip(&compared) {
            let means = row.cells.iter().filter(|it| it.text.contains('±')).count();
            ensure!(means > 0 && *compared >= means, "{compared} of {row:?}");
        }
        println!("metrics: {} means compared", compared.iter().sum::<usize>());
        Ok(())
    }

    /// Every two conditions, with all numbers of the test that counts.
    async fn pairs(&self, version: &Value) -> Result<()> {
        let mut compared = 0;
        for comparison in list(version, "/plan/comparisons")? {
            let name = word(comparison, "name");
            let rows = self.rows(&format!("table-pairs-{name}")).await?;
            let of_comparison = list(version, "/included/comparisons")?;
            let of_comparison = of_comparison.iter().filter(|it| word(it, "name") == name);
            for row in &rows {
                let shown: Vec<&str> = row
                    .cells
                    .iter()
                    .flat_map(|it| it.exact.as_deref().unwrap_or("").split("; "))
                    .collect();
                let (first, second) = (row.cells[1].text.as_str(), row.cells[2].text.as_str());
                let fits = |pair: &&Value| {
                    let declared = &pair["declared"];
                    let numbers = [
                        &declared["estimate"],
                        &declared["result"]["statistic"],
                        &declared["result"]["standard_error"],
                        &declared["result"]["interval"]["low"],
                        &declared["result"]["interval"]["high"],
                        &declared["result"]["p"],
                        &pair["p_corrected"],
                    ];
                    let mut numbers = numbers.into_iter().filter_map(exact);
                    word(pair, "first") == first
                        && word(pair, "second") == second
                        && numbers.all(|it| shown.contains(&it.as_str()))
                };
                let mut pairs = of_comparison
                    .clone()
                    .flat_map(|it| it["pairs"].as_array())
                    .flatten();
                ensure!(pairs.any(|it| fits(&it)), "{name}: {row:?}");
                compared += 1;
            }
        }
        ensure!(compared > 0, "there are no pairs");
        println!("pairs: {compared} rows compared");
        Ok(())
    }

    /// What is read is what has all digits, rounded.
    async fn cells_are_rounded(&self) -> Result<()> {
        let script = "const all = document.querySelectorAll('[data-testid^=table-]');
            return [...all].map(it => it.dataset.testid)";
        let names = self.browser.look(script, vec![]).await?;
        let names: Vec<String> = serde_json::from_value(names)?;
        let mut compared = 0;
        for name in &names {
            for row in self.rows(name).await? {
                for cell in row.cells.iter().filter(|it| it.text.contains('±')) {
                    let exact = cell.exact.as_deref().unwrap_or_default();
                    let (read, all) = (cell.text.split(" ± "), exact.split("; "));
                    for (read, all) in read.zip(all) {
                        let decimals = read.split_once('.').map_or(0, |(_, it)| it.len());
                        let read: f64 = read.replace('−', "-").parse()?;
                        let all: f64 = all.parse()?;
                        let half = 0.5 * 10_f64.powi(-i32::try_from(decimals)?) + 1e-9;
                        let close = |divisor: f64| (read - all / divisor).abs() <= half;
                        ensure!(close(1.0) || close(1_000.0), "{name}: {cell:?}");
                        compared += 1;
                    }
                }
            }
        }
        ensure!(compared > 0, "there are no means");
        println!(
            "{} tables: {compared} rounded numbers compared",
            names.len()
        );
        Ok(())
    }

    /// Each figure is drawn, says what it shows, and its dots lead to sessions.
    async fn figures(&self, version: &Value) -> Result<()> {
        let script = "return [...document.querySelectorAll('[data-figure]')].map(it => ({
            name: it.dataset.figure,
            drawn: it.querySelectorAll('svg.wide, svg.narrow').length,
            title: it.querySelector('svg title')?.textContent ?? '',
            caption: it.querySelector('figcaption').textContent,
            dots: it.querySelectorAll('svg.wide a circle').length,
        }))";
        let drawn = wait::until("the figures", Duration::from_secs(120), async || {
            let found = self.browser.look(script, vec![]).await?;
            let all = found.as_array().cloned().unwrap_or_default();
            let ready = !all.is_empty() && all.iter().all(|it| it["drawn"] == 2);
            Ok(ready.then_some(all))
        })
        .await?;
        for figure in &drawn {
            let name = word(figure, "name");
            ensure!(word(figure, "title") == word(figure, "caption"), "{name}");
        }
        // Each value of each shown metric has a dot; metrics that no figure shows have none.
        let dots: u64 = drawn.iter().filter_map(|it| it["dots"].as_u64()).sum();
        let planned = list(version, "/included/comparisons")?.iter();
        let planned = planned.filter(|it| it["planned"] == true);
        let values: usize = planned
            .flat_map(|it| it["conditions"].as_array())
            .flatten()
            .filter_map(|it| it["values"].as_array())
            .map(Vec::len)
            .sum();
        ensure!(
            dots as usize >= values && values > 0,
            "{dots} dots, {values} values"
        );
        println!("{} figures, {dots} dots that lead to sessions", drawn.len());
        Ok(())
    }

    async fn numbers_lead_to_sessions(&self, version: &Value) -> Result<()> {
        let included = text_of(at(version, "/included/people")?);
        // By keyboard.
        let focus = "document.querySelector('[data-count=included] a').focus()";
        self.browser.look(focus, vec![]).await?;
        self.browser.keys(&[Key::Enter.into()]).await?;
        says(self.browser, "summary", &format!("{included} of ")).await?;
        self.browser.back().await?;
        self.table("people", 4).await?;
        let dot = "[data-figure^=box-plots] svg.wide a";
        wait::until("a dot", Duration::from_secs(60), async || {
            let script = "return document.querySelectorAll(arguments[0]).length";
            let dots = self.browser.look(script, vec![dot.into()]).await?;
            Ok((dots.as_u64() > Some(0)).then_some(()))
        })
        .await?;
        let press = "const dot = document.querySelector(arguments[0]);
            dot.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
            return dot.getAttribute('href')";
        let to = self.browser.look(press, vec![dot.into()]).await?;
        self.browser.await_screen("replay").await?;
        let (address, _) = self.browser.address().await?;
        ensure!(
            to.as_str().is_some_and(|to| address.ends_with(to)),
            "{address} is not {to}"
        );
        Ok(())
    }

    async fn trust(&self) -> Result<()> {
        self.goto("/trust?of=simulated").await?;
        let signs = self.json(&["study", "automation", STUDY, "--simulated", "--json"])?;
        let signals = list(&signs, "/signals")?;
        let rows = self.table("signals", signals.len()).await?;
        for (row, signal) in rows.iter().zip(signals) {
            ensure!(row.name.as_deref() == signal["name"].as_str(), "{row:?}");
            let sessions = text_of(&signal["sessions"]);
            let flagged = text_of(&signal["flagged"]);
            let numbers = (&row.cells[1].text, &row.cells[8].text);
            ensure!(numbers == (&sessions, &flagged), "{row:?} is not {signal}");
            for (cell, quantile) in row.cells[2..7]
                .iter()
                .zip(signal["quantiles"].as_array().into_iter().flatten())
            {
                let (read, all): (f64, f64) = (
                    cell.text.parse()?,
                    quantile.as_f64().context("no quantile")?,
                );
                ensure!(
                    (read - all).abs() <= 1e-3 * all.abs(),
                    "{cell:?} is not {all}"
                );
            }
        }
        self.browser.click("verify").await?;
        says(self.browser, "verdict", "No number contradicts its inputs").await?;
        area::look(self.browser, "trust").await
    }

    async fn plan(&self) -> Result<()> {
        self.goto("/plan").await?;
        for (field, value) in [
            ("difference", "0.1"),
            ("sd", "0.2"),
            ("within", "0.2"),
            ("people", "10,20"),
        ] {
            self.browser.write(Hand::Keyboard, field, value).await?;
        }
        self.browser.click("work-out").await?;
        let rows = self.table("powers", 2).await?;
        for row in rows {
            let people = row.cells[0].text.clone();
            let numbers = ["--difference", "0.1", "--sd", "0.2", "--within", "0.2"];
            let mut arguments = vec!["study", "power", STUDY, "--json", "--people", &people];
            arguments.extend(numbers);
            let command = self.json(&arguments)?;
            let power = at(&command, "/powers/0/power")?.as_f64();
            let power = format!("{:.3}", power.context("no power")?);
            ensure!(row.cells[1].text == power, "{row:?} is not {power}");
        }
        area::look(self.browser, "plan").await
    }

    /// The pages that have no number of an analysis, as they look with so many people.
    async fn every_other_page(&self) -> Result<()> {
        let logs = Export::with(self.server, STUDY, &["--simulated"])?.events()?;
        let sessions: Vec<&str> = logs.keys().map(|it| it.0.as_str()).take(3).collect();
        let within_s = logs
            .values()
            .next()
            .map_or(0.0, |log| log[log.len() / 2].at_ms as f64 / 1e3);
        for (page, screen) in [
            ("/people?filter=purpose%3Dsimulated", "people"),
            ("/decisions", "decisions"),
            ("/match", "match"),
            ("/exports", "exports"),
            ("/questions?of=simulated", "questions"),
            (
                &format!("/beside?sessions={}", sessions.join(",")),
                "beside",
            ),
            (&format!("/replay/{}?t={within_s}s", sessions[0]), "replay"),
        ] {
            self.opened(&format!("/studies/{STUDY}{page}"), screen)
                .await?;
        }
        for (page, screen) in [
            ("", "studies"),
            ("/account", "account"),
            ("/audit", "audit"),
        ] {
            self.opened(page, screen).await?;
        }
        Ok(())
    }

    async fn opened(&self, page: &str, screen: &str) -> Result<()> {
        self.browser.goto(&address(self.server, page)).await?;
        self.browser.await_screen(screen).await?;
        // What it asks for has come.
        tokio::time::sleep(Duration::from_secs(5)).await;
        area::look(self.browser, &format!("{screen}-of-all")).await
    }
}
