//! Time from a latent vector to an instance, in Chromium: our decoder module beside other engines,
//! which get the same weights in single precision, and native.

pub mod graphs;
mod lab;
mod model;
mod report;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use models::Zoo;
use models::architecture::Architecture;
use serde_json::{Value, json};
use tempfile::TempDir;

use self::model::BenchModel;
use self::report::Results;
use super::engines::ENGINES;
use super::native;
use super::site::{Site, SiteFiles};
use crate::browser::Browser;
use crate::tools;

/// Models of the zoo that are measured, and how our time is to compare with
/// [`YARDSTICK`](super::engines::YARDSTICK)'s.
const MEASURED: [(&str, f64); 2] = [("dsprites-gt5", 0.5), ("mnist-ae5", 0.7)];
/// Decodes of each engine, each of another vector.
const RUNS: usize = 300;
/// Decodes of one engine before it is the next one's turn.
const TURN: usize = 10;
const WARM_UPS: usize = 5;
/// Outputs that differ by more are not the same decoder's.
const TOLERANCE: f64 = 1e-4;

/// Measures and prints tables; `folder` holds bundles to measure beside those of the zoo, or
/// instead of one of the same name.
///
/// # Errors
/// When an engine cannot decode a model, or its outputs differ from ours by more than
/// 1e-4. Never because of a time.
pub async fn run(folder: Option<&Path>) -> Result<()> {
    let mut zoo = Zoo::shipped()?;
    let more = folder.map(Zoo::read).transpose()?.unwrap_or_default();
    let mut names: Vec<String> = MEASURED.map(|(name, _)| name.to_owned()).into();
    for name in more.names() {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    zoo.extend(more);
    let labs = lab::bundles()?;
    let graphs = graphs::large()?;
    let small = graphs::small()?;
    let engines = engines_folder()?;
    let mut files = SiteFiles::default();
    files.put_folder(&engines, "")?;
    let mut models = Vec::new();
    let of_zoo = names.iter().filter_map(|name| {
        let found = zoo.get(name);
        if found.is_none() {
            println!("\n{name} is not in the zoo, and not measured");
        }
        found
    });
    for bundle in of_zoo.chain(&labs) {
        models.push(match &bundle.card().architecture {
            Architecture::Graph(_) => {
                println!(
                    "\n{} is a graph that no other engine can be given, and not measured",
                    bundle.name()
                );
                continue;
            }
            _ => BenchModel::of_layers(bundle, RUNS)?,
        });
    }
    for graph in graphs.iter().chain(&small) {
        models.push(BenchModel::of_graph(graph, RUNS)?);
    }
    for model in &models {
        model.put(&mut files)?;
    }
    native::run()?;
    report::print_first_load(&engines)?;
    let site = Site::serve(files).await?;
    let mut complaints = Vec::new();
    let mut lines = Vec::new();
    for (at, model) in models.iter().enumerate() {
        // A window of its own, so that no engine still holds another model's memory.
        let profile = TempDir::new()?;
        let browser = Browser::open(profile.path()).await?;
        browser.goto(&site.url("page/index.html")).await?;
        let results = measure(&browser, model).await?;
        browser.close().await?;
        complaints.extend(results.complaints(model.name(), TOLERANCE));
        if at >= models.len() - small.len() {
            lines.push((model.name().to_owned(), results));
            continue;
        }
        let goal = MEASURED.iter().find(|(name, _)| *name == model.name());
        report::print(model, &results, goal.map(|(_, goal)| *goal));
    }
    report::print_small(&lines);
    ensure!(complaints.is_empty(), "{}", complaints.join("; "));
    Ok(())
}

/// In many short calls: the browser's driver waits for none longer than a minute.
async fn measure(browser: &Browser, model: &BenchModel<'_>) -> Result<Results> {
    let call = async |call: &str, arguments: Vec<Value>| {
        let script = format!("const page = await import('/page/measure.js'); return {call};");
        browser.look_async(&script, arguments).await
    };
    let engines: Vec<&str> = model.engines().iter().map(|engine| engine.folder).collect();
    let prepared = vec![json!(model.name()), json!(engines)];
    call("page.prepare(...args)", prepared).await?;
    for _ in 0..WARM_UPS {
        call("page.warmUp()", vec![]).await?;
    }
    for turn in 0..RUNS / TURN {
        call("page.turn(...args)", vec![json!(turn), json!(TURN)]).await?;
    }
    for turn in 0..RUNS / TURN {
        call("page.compare(...args)", vec![json!(turn), json!(TURN)]).await?;
    }
    let results = call("page.outcome()", vec![]).await?;
    Results::read(results, model.engines(), RUNS)
}

/// Where `cargo xtask bench decode` puts engines and page: `REDIAL_ENGINES`, else
/// `target/engines/`.
fn engines_folder() -> Result<PathBuf> {
    let folder = std::env::var_os("REDIAL_ENGINES")
        .map_or_else(|| tools::target().join("engines"), PathBuf::from);
    for engine in &ENGINES {
        let there = folder.join(engine.folder).is_dir();
        ensure!(
            there,
            "{} has no {}; `cargo xtask bench decode` puts it there",
            folder.display(),
            engine.folder
        );
    }
    Ok(folder)
}
