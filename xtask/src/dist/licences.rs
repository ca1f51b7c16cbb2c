//! The licences of what is compiled into the program and the browser app, with their texts: most ask that they go along.

use crate::layout::TARGET;
use crate::process::{cargo, output};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What files with licences and notices begin with.
const BEGINNINGS: [&str; 6] = [
    "license",
    "licence",
    "copying",
    "copyright",
    "notice",
    "unlicense",
];

/// What is in a release and is no crate.
const OTHERS: &str = "\
Rust's standard library: MIT OR Apache-2.0 (both texts are below)
SQLite, inside libsqlite3-sys: public domain
The C library, in programs for Linux (GNU C library): LGPL-2.1-or-later. To link the program with another version
    of it, build the program from its source: `cargo xtask dist`.
The pages under /docs have styles, scripts and fonts of mdBook: MPL-2.0; Open Sans: Apache-2.0; Source Code Pro:
    OFL-1.1; their licences lie beside the fonts.
";

/// A crate: its name and its version.
type Crate = (String, String);

/// A crate with what it says of its licence.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Package {
    /// Names of licences, as SPDX writes them.
    licence: String,
    /// Who wrote it, as far as its manifest says.
    authors: String,
    /// Its files that tell the licence or give notice of something.
    texts: Vec<String>,
}

/// The list for a program of a platform, as text.
///
/// # Errors
/// When cargo does not say what is compiled, or a file cannot be read.
pub fn list(platform: &str) -> Result<String> {
    let program = compiled(&["--package=redial", "--target", platform])?;
    let app = compiled(&[
        "--package=participant",
        "--package=experimenter",
        "--package=researcher",
        "--package=decoder",
        "--features=decoder/candle",
        "--target",
        TARGET,
    ])?;
    let wanted: BTreeSet<Crate> = program.into_iter().chain(app).collect();
    let packages = packages(&wanted)?;
    Ok(written(&packages))
}

/// The crates from elsewhere whose code comes into what is built; macros and build scripts do not.
fn compiled(what: &[&str]) -> Result<BTreeSet<Crate>> {
    let tree = output(
        cargo()
            .args(["tree", "--locked", "--edges", "normal,no-proc-macro"])
            .args(["--prefix", "none", "--format", "{p}"])
            .args(what),
    )
    .context("cargo does not say which crates are compiled")?;
    Ok(tree.lines().filter_map(from_elsewhere).collect())
}

/// The crate in a line of `cargo tree`; none for one of ours, behind whose version stands its folder.
fn from_elsewhere(line: &str) -> Option<Crate> {
    let line = line.strip_suffix(" (*)").unwrap_or(line);
    let (name, version) = line.split_once(" v")?;
    let is_ours = version.contains(' ');
    (!is_ours).then(|| (name.to_owned(), version.to_owned()))
}

fn packages(wanted: &BTreeSet<Crate>) -> Result<BTreeMap<Crate, Package>> {
    let metadata = output(cargo().args(["metadata", "--locked", "--format-version=1"]))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let mut packages = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let text = |field: &str| package[field].as_str().map(str::to_owned);
        let (Some(name), Some(version), Some(manifest)) =
            (text("name"), text("version"), text("manifest_path"))
        else {
            continue;
        };
        let found = (name, version);
        if !wanted.contains(&found) {
            continue;
        }
        let folder = Path::new(&manifest).parent().unwrap_or(Path::new("."));
        let named = text("license_file").map(|file| folder.join(file));
        let authors = package["authors"].as_array().into_iter().flatten();
        let authors: Vec<&str> = authors.filter_map(Value::as_str).collect();
        let package = Package {
            authors: authors.join(", "),
            licence: text("license").unwrap_or_else(|| "see its text".to_owned()),
            texts: texts(folder, named).with_context(|| found.0.clone())?,
        };
        packages.insert(found, package);
    }
    Ok(packages)
}

/// The texts in a crate's folder, in the order of their names, and one that its manifest names.
fn texts(folder: &Path, named: Option<PathBuf>) -> Result<Vec<String>> {
    let mut files: BTreeSet<PathBuf> = named.into_iter().filter(|file| file.is_file()).collect();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if entry.file_type()?.is_file() && BEGINNINGS.iter().any(|it| name.starts_with(it)) {
            files.insert(entry.path());
        }
    }
    let read = |file: &PathBuf| -> Result<String> {
        let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
        Ok(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"))
    };
    files.iter().map(read).collect()
}

/// The list: every crate with its licence and the numbers of its texts, then the texts, each once.
fn written(packages: &BTreeMap<Crate, Package>) -> String {
    let mut texts: Vec<&str> = Vec::new();
    // By their words: the same licence is wrapped in many ways.
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut list = format!(
        "Redial is under the MIT licence (LICENSE). Into the program and the browser app comes work of others.\n\n\
         {OTHERS}\nCrates, with the numbers of their texts below:\n\n"
    );
    for ((name, version), package) in packages {
        let mut own = BTreeSet::new();
        for text in &package.texts {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let number = *numbers.entry(words).or_insert_with(|| {
                texts.push(text);
                texts.len()
            });
            own.insert(number);
        }
        let own: Vec<String> = own.iter().map(ToString::to_string).collect();
        list += &format!("{name} {version}: {}", package.licence);
        if !own.is_empty() {
            list += &format!(" [{}]", own.join(", "));
        } else if !package.authors.is_empty() {
            list += &format!(", by {}", package.authors);
        }
        list.push('\n');
    }
    for (at, text) in texts.iter().enumerate() {
        let line = "-".repeat(80);
        list += &format!("\n{line}\n[{}]\n\n{}\n", at + 1, text.trim_matches('\n'));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_tree_name_crates_and_ours_are_left_out() {
        let named = |name: &str, version: &str| Some((name.to_owned(), version.to_owned()));
        assert_eq!(from_elsewhere("serde v1.0.229"), named("serde", "1.0.229"));
        assert_eq!(
            from_elsewhere("libsqlite3-sys v0.37.0+a (*)"),
            named("libsqlite3-sys", "0.37.0+a")
        );
        assert_eq!(from_elsewhere("api v0.1.0 (/home/ada/redial/api)"), None);
        assert_eq!(
            from_elsewhere("api v0.1.0 (/home/ada/redial/api) (*)"),
            None
        );
        assert_eq!(from_elsewhere(""), None);
    }

    #[test]
    fn a_text_that_two_crates_share_stands_there_once() {
        let package = |texts: &[&str]| Package {
            licence: "MIT".to_owned(),
            authors: "Ada, Bo".to_owned(),
            texts: texts.iter().map(|&text| text.to_owned()).collect(),
        };
        let packages = BTreeMap::from([
            (
                ("a".to_owned(), "1.0.0".to_owned()),
                package(&["By A.\nFor all."]),
            ),
            (
                ("b".to_owned(), "2.0.0".to_owned()),
                package(&["By B.", "By A. For\n all.\n"]),
            ),
            (("c".to_owned(), "3.0.0".to_owned()), package(&[])),
        ]);
        let list = written(&packages);
        assert!(
            list.contains("\na 1.0.0: MIT [1]\nb 2.0.0: MIT [1, 2]\nc 3.0.0: MIT, by Ada, Bo\n")
        );
        assert!(list.contains("\n[1]\n\nBy A.\nFor all.\n"));
        assert!(list.contains("\n[2]\n\nBy B.\n"));
        assert!(!list.contains("[3]"));
    }

    #[test]
    fn files_with_licences_are_found_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("LICENSE-MIT", "mit\r\n"),
            ("COPYING", "copying"),
            ("README.md", "no"),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        std::fs::create_dir(folder.path().join("licenses")).unwrap();
        let named = Some(folder.path().join("missing"));
        assert_eq!(texts(folder.path(), named).unwrap(), ["copying", "mit\n"]);
    }
}
