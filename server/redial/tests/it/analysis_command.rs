//! `redial analyze --out`, `redial report` and `redial study preregister` as people run them.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::command::run;
use crate::people::{STUDY, run_study};

fn files(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
                names.push(name.to_owned());
            }
        }
    }
    names.sort();
    names
}

/// Where to leave what was written, to be looked at: `REDIAL_ANALYSIS_OUT=DIR`.
fn to_be_looked_at(from: &Path) {
    if let Some(to) = std::env::var_os("REDIAL_ANALYSIS_OUT") {
        let done = Command::new("cp")
            .arg("-r")
            .arg(from)
            .arg(PathBuf::from(to))
            .status();
        assert!(done.unwrap().success());
    }
}

#[test]
fn a_study_becomes_a_folder_a_report_and_nothing_half() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    run_study(here, 16);
    to_be_looked_at(&here.join("test.db"));

    run(here, &["analyze", STUDY, "--out", "analysis"]).succeeds();
    let out = here.join("analysis");
    to_be_looked_at(&out);
    let names = files(&out);
    for table in [
        "metrics",
        "results-curves",
        "pairs-curves",
        "labels-5-dials",
        "metrics-everyone",
    ] {
        for ending in ["md", "csv", "tex"] {
            let name = format!("tables/{table}.{ending}");
            assert!(names.contains(&name), "{name} is not in {names:?}");
        }
    }
    for figure in [
        "flow",
        "funnel",
        "box-plots-curves",
        "estimation-curves",
        "differences-curves",
        "ratings-curves",
        "first-and-last-questions-curves",
        "solved-and-skipped-curves",
        "distance-over-time-curves",
        "dials-over-time-curves",
        "mutual-information",
    ] {
        for ending in ["svg", "png", "pdf", "csv"] {
            let name = format!("figures/{figure}.{ending}");
            assert!(names.contains(&name), "{name} is not in {names:?}");
        }
    }
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    assert!(read("methods.md").contains("16 people started the study; 12 are included"));
    assert!(read("methods.md").contains("4 were left out: the session is not complete."));
    // By its title, not by the name of its folder.
    assert!(read("results.txt").starts_with("Curves\n16 sessions started"));
    assert!(read("report.html").contains("<h1>Curves</h1>"));
    let labels = read("tables/labels-5-dials.csv");
    assert!(labels.contains("“=waves”"), "{labels}");
    // Two coders fill the file in: they agree about one label of two.
    let to_code = read("labels-to-code.csv");
    let mut lines = to_code.lines();
    let head = lines.next().unwrap();
    assert_eq!(head, "condition,dial,label,given_by,coder_1,coder_2");
    let one = lines.next().unwrap().strip_suffix(",,").unwrap();
    let coded = format!("{head}\n{one},waves,waves\n{one},waves,height\n{one},height,height\n");
    std::fs::write(here.join("coded.csv"), coded).unwrap();
    // By hand: of 6 codes 3 are "waves"; observed disagreement 1/3, expected 2 · 9 / 30.
    run(here, &["study", "agreement", "coded.csv"]).says(&["= 0.444; 3 of 3"]);

    tables_say_what_the_numbers_say(&out);

    // Again: the same bytes, in the place of the old ones.
    let before = read("tables/results-curves.csv");
    run(here, &["analyze", STUDY, "--out", "analysis"]).succeeds();
    assert_eq!(read("tables/results-curves.csv"), before);
    assert_eq!(files(&out), names);

    // A file that somebody changed stays.
    std::fs::write(out.join("methods.md"), "my own words").unwrap();
    run(here, &["analyze", STUDY, "--out", "analysis"]).refuses(&["methods.md has been changed"]);
    assert_eq!(read("methods.md"), "my own words");

    // A full disk: nothing is left, and the message names a file and the reason.
    run(here, &["analyze", STUDY, "--out", "/dev/full/analysis"]).refuses(&["/dev/full"]);

    run(here, &["report", STUDY]).succeeds();
    let report = here.join(format!("{STUDY}-report.html"));
    to_be_looked_at(&report);
    let page = std::fs::read_to_string(&report).unwrap();
    for outside in [
        "<script",
        "src=\"http",
        "href=\"http",
        "url(http",
        "@import",
    ] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(
        page.matches("<figure").count(),
        page.matches("<figcaption").count()
    );
    run(here, &["report", STUDY]).succeeds();
    std::fs::write(&report, "mine").unwrap();
    run(here, &["report", STUDY]).refuses(&["is no report of 'curves'"]);
}

/// The tables' numbers are those of the report value, digit by digit.
fn tables_say_what_the_numbers_say(out: &Path) {
    let numbers = std::fs::read_to_string(out.join("numbers.json")).unwrap();
    let numbers: Value = serde_json::from_str(&numbers).unwrap();
    let comparisons = numbers["versions"][0]["included"]["comparisons"]
        .as_array()
        .unwrap();
    let mut table = csv::Reader::from_path(out.join("tables/results-curves.csv")).unwrap();
    let heads = table.headers().unwrap().clone();
    let mut seen = 0;
    for row in table.records() {
        let row = row.unwrap();
        let cell = |name: &str| {
            let at = heads.iter().position(|head| head == name).unwrap();
            row[at].parse::<f64>().unwrap()
        };
        let found = comparisons.iter().find(|c| {
            let label = row[0]
                .trim_end_matches(" °")
                .trim_end_matches(" / 1000")
                .to_owned();
            let metric: domain::study::Metric =
                serde_json::from_value(c["metric"].clone()).unwrap();
            metric.label() == label && c["name"] == "curves"
        });
        let found = found.unwrap();
        assert_eq!(cell("n"), found["n"].as_f64().unwrap());
        for condition in found["conditions"].as_array().unwrap() {
            let name = condition["condition"].as_str().unwrap().replace('-', "_");
            let of = |key: &str| condition["description"][key].as_f64().unwrap();
            assert_eq!(cell(&format!("{name}_mean")), of("mean"));
            assert_eq!(cell(&format!("{name}_sd")), of("sd_population"));
        }
        let anova = &found["omnibus"]["means"]["anova"];
        assert_eq!(cell("anova_statistic"), anova["f"].as_f64().unwrap());
        assert_eq!(cell("anova_p"), anova["p"].as_f64().unwrap());
        for pair in found["pairs"].as_array().unwrap() {
            let of = |key: &str| pair[key].as_str().unwrap().replace('-', "_");
            let name = format!("{}_vs_{}", of("first"), of("second"));
            let p = pair["declared"]["result"]["p"].as_f64().unwrap();
            assert_eq!(cell(&format!("{name}_p")), p);
            let corrected = pair["p_corrected"].as_f64().unwrap();
            assert_eq!(cell(&format!("{name}_p_corrected")), corrected);
        }
        seen += 1;
    }
    assert!(seen >= 5, "{seen} rows");
}

#[test]
fn the_deposit_has_the_study_as_it_is_hashed_and_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::create_dir(here.join(STUDY)).unwrap();
    let file = here.join(STUDY).join("study.json");
    std::fs::write(&file, crate::people::study().to_string()).unwrap();
    std::fs::write(here.join(STUDY).join("consent.md"), "# Consent\n").unwrap();
    let args = ["study", "preregister", STUDY, "--out", "deposit"];
    run(here, &args).succeeds();
    let out = here.join("deposit");
    for (form, wanted) in [
        (
            "osf-form.md",
            &[
                "## Hypotheses\n\n**[yours to write]**",
                "## Randomization\n\nStages come in a random order",
                "- Error AUC (`error_auc`)",
            ][..],
        ),
        (
            "aspredicted-form.md",
            &[
                "30 participants are to be included",
                "**[yours to write]**: there was no database at hand.",
            ],
        ),
    ] {
        let found = std::fs::read_to_string(out.join(form)).unwrap();
        for wanted in wanted {
            assert!(found.contains(wanted), "{form} lacks {wanted}: {found}");
        }
    }
    assert_eq!(
        files(&out),
        [
            "README.md",
            "analysis-plan.json",
            "analysis-plan.md",
            "aspredicted-form.md",
            "contents.json",
            "osf-form.md",
            "study.json",
            "study.sha256",
            "texts/en/consent.html",
            "versions.json"
        ]
    );
    assert_eq!(
        std::fs::read(out.join("study.json")).unwrap(),
        std::fs::read(&file).unwrap()
    );
    // The hash as another program works it out.
    let checked = Command::new("sha256sum")
        .args(["-c", "study.sha256"])
        .current_dir(&out)
        .status();
    assert!(checked.unwrap().success());
    let plan = std::fs::read_to_string(out.join("analysis-plan.md")).unwrap();
    for wanted in [
        "1. Completion rate",
        "paired t-tests",
        "after Holm",
        "to be included: 30",
        "curves-vae",
    ] {
        assert!(plan.contains(wanted), "{wanted}: {plan}");
    }
    let readme = std::fs::read_to_string(out.join("README.md")).unwrap();
    assert!(
        readme.contains("simulated power") && readme.contains("no database"),
        "{readme}"
    );

    let other = ["study", "preregister", "quickstart", "--out", "other"];
    run(here, &other).refuses(&["declares no analysis"]);
    assert!(!here.join("other").exists());
}
