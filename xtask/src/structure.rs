//! Rules that files keep: none is long unless [`long`] says why, none import each other in a circle, and
//! no words of the researcher's area stand in its code ([`sentences`]).
//!
//! A module and its own parts (`foo.rs` and `foo/`) may use each other; seen from beside it they are one. Tests are left out: they use
//! whatever they test with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use syn::visit::Visit;

use crate::layout;
use crate::process::output;

mod long;
mod paths;
mod sentences;

use paths::Paths;
use sentences::Sentences;

/// A module of a crate: the names from its root.
type Module = Vec<String>;

/// What breaks a rule among the Rust files that git knows, in words.
fn broken_rules(root: &Path) -> Result<Vec<String>> {
    let files = output(
        Command::new("git")
            .current_dir(root)
            .args(["ls-files", "*.rs"]),
    )
    .context("git names the files to look at")?;
    let mut crates: BTreeMap<PathBuf, BTreeMap<Module, String>> = BTreeMap::new();
    let mut long = BTreeSet::new();
    let mut sentences = Sentences::default();
    let there = |file: &&Path| root.join(file).is_file();
    for file in files.lines().map(Path::new).filter(there) {
        let text = fs::read_to_string(root.join(file))
            .with_context(|| format!("cannot read {}", file.display()))?;
        if long::is_long(&text) {
            long.insert(file.display().to_string());
        }
        sentences
            .look_into(file, &text)
            .with_context(|| file.display().to_string())?;
        if let Some((of, module)) = place(file) {
            // A program beside a library comes after it, and is nothing but its caller.
            crates.entry(of).or_default().entry(module).or_insert(text);
        }
    }
    let mut problems = long::wrong_in_list(&long, long::LONG_FILES);
    problems.extend(sentences.problems());
    for (name, modules) in &crates {
        let found = circles(modules).with_context(|| name.display().to_string())?;
        for circle in found {
            problems.push(format!(
                "{}: these files import each other in a circle: {}",
                name.display(),
                circle.join(" → ")
            ));
        }
    }
    Ok(problems)
}

/// The folder of the crate that a file is of, and its module.
fn place(file: &Path) -> Option<(PathBuf, Module)> {
    let names: Vec<&str> = file.iter().filter_map(|name| name.to_str()).collect();
    let src = names.iter().position(|name| *name == "src")?;
    let module: Vec<&str> = names[src + 1..].to_vec();
    let (last, folders) = module.split_last()?;
    let mut module: Module = folders.iter().map(|&name| name.to_owned()).collect();
    match last.strip_suffix(".rs")? {
        "lib" | "main" if module.is_empty() => {}
        _ if module.first().is_some_and(|first| first == "bin") => return None,
        name => module.push(name.to_owned()),
    }
    Some((names[..src].iter().collect(), module))
}

/// The circles among the modules of a crate, each in the order of its imports. Modules that lie in
/// the same one are compared, each with all of its parts as one: `foo.rs` and `foo/` may use each
/// other, but what one part of `foo` does not import, another part must not either.
fn circles(modules: &BTreeMap<Module, String>) -> Result<Vec<Vec<String>>> {
    let mut imports: Vec<(&Module, Module)> = Vec::new();
    let mut tests: BTreeSet<Module> = BTreeSet::new();
    for (module, text) in modules {
        let file =
            syn::parse_file(text).with_context(|| format!("{} is no Rust", shown(module)))?;
        let mut paths = Paths::default();
        paths.visit_file(&file);
        tests.extend(paths.tests.iter().map(|name| child(module, name)));
        let used = paths
            .found
            .iter()
            .filter_map(|path| target(module, path, modules));
        imports.extend(used.map(|used| (module, used)));
    }
    let is_test = |module: &Module| tests.iter().any(|test| module.starts_with(test));
    imports.retain(|(module, used)| !is_test(module) && !is_test(used));
    let mut levels: BTreeMap<&[String], Level> = BTreeMap::new();
    for (module, used) in &imports {
        let common = module.iter().zip(used).take_while(|(a, b)| a == b).count();
        // A module and its own parts.
        if common == module.len() || common == used.len() {
            continue;
        }
        let level = levels.entry(&module[..common]).or_default();
        level
            .entry(&module[common])
            .or_default()
            .insert(&used[common]);
    }
    let found = levels.into_iter().filter_map(|(within, level)| {
        let within = within.to_vec();
        let circle = circle(level)?;
        let names = circle.iter().map(|name| shown(&child(&within, name)));
        Some(names.collect())
    });
    Ok(found.collect())
}

/// Modules beside each other, and which of them each imports.
type Level<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

fn circle(mut imports: Level<'_>) -> Option<Vec<&str>> {
    // What imports nothing that is left is in no circle.
    loop {
        let left: BTreeSet<&str> = imports.keys().copied().collect();
        for used in imports.values_mut() {
            used.retain(|name| left.contains(name));
        }
        imports.retain(|_, used| !used.is_empty());
        if imports.len() == left.len() {
            break;
        }
    }
    let mut way = vec![*imports.keys().next()?];
    loop {
        let next = *imports.get(way.last()?)?.first()?;
        let begin = way.iter().position(|name| *name == next);
        way.push(next);
        if let Some(begin) = begin {
            return Some(way.split_off(begin));
        }
    }
}

fn child(module: &Module, name: &str) -> Module {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

fn shown(module: &Module) -> String {
    if module.is_empty() {
        return "the root".to_owned();
    }
    module.join("::")
}

/// The module that a path from `module` leads into.
fn target(module: &Module, path: &[String], modules: &BTreeMap<Module, String>) -> Option<Module> {
    let (first, rest) = path.split_first()?;
    let mut rest = rest;
    let mut at: Module = match first.as_str() {
        "crate" => Vec::new(),
        "self" => module.clone(),
        "super" => {
            let mut at = module.clone();
            at.pop();
            while let Some(("super", others)) = rest.split_first().map(|(n, r)| (n.as_str(), r)) {
                at.pop();
                rest = others;
            }
            at
        }
        _ => return None,
    };
    for name in rest {
        let next = child(&at, name);
        if !modules.contains_key(&next) {
            break;
        }
        at = next;
    }
    modules.contains_key(&at).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(files: &[(&str, &str)]) -> BTreeMap<Module, String> {
        let module = |path: &str| -> Module {
            let names = path.split("::").filter(|name| !name.is_empty());
            names.map(str::to_owned).collect()
        };
        files
            .iter()
            .map(|(path, text)| (module(path), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn all_files_keep_the_rules() {
        let broken = broken_rules(&layout::root()).unwrap();
        assert!(broken.is_empty(), "{}", broken.join("\n"));
    }

    #[test]
    fn a_circle_is_found_however_it_is_written() {
        for uses_a in [
            "use crate::a::X;",
            "use super::{a, c};",
            "fn f() -> super::a::X {}",
            "m!(let x = crate::a::X;);",
        ] {
            let found = circles(&files(&[
                ("", "mod a; mod b; mod c;"),
                ("a", "use crate::b::Y;"),
                ("b", uses_a),
                ("c", "use crate::a::X;"),
            ]));
            assert_eq!(found.unwrap(), [["a", "b", "a"]], "{uses_a}");
        }
    }

    #[test]
    fn a_module_and_its_parts_and_tests_may_use_each_other() {
        let found = circles(&files(&[
            ("", "mod a; mod b;"),
            ("a", "mod part; use part::P; #[cfg(test)] mod tests;"),
            ("a::part", "use super::A; use crate::b::B;"),
            ("a::tests", "use crate::b::B;"),
            (
                "b",
                "mod other; #[cfg(test)] mod tests { use crate::a::A; }",
            ),
            ("b::other", "use super::B;"),
        ]));
        assert_eq!(found.unwrap(), Vec::<Vec<String>>::new());
    }

    #[test]
    fn a_circle_through_the_parts_of_a_module_is_found() {
        let found = circles(&files(&[
            ("", "mod a;"),
            ("a", "mod b; mod c; mod d;"),
            ("a::b", "mod part;"),
            ("a::b::part", "use crate::a::c::C;"),
            ("a::c", "use super::b::B;"),
            ("a::d", "use super::{b::B, c::C};"),
        ]));
        assert_eq!(found.unwrap(), [["a::b", "a::c", "a::b"]]);
    }

    #[test]
    fn files_have_their_place() {
        let at = |path: &str| place(Path::new(path)).map(|(of, module)| (of, module.join("::")));
        let expected = |of: &str, module: &str| Some((PathBuf::from(of), module.to_owned()));
        assert_eq!(
            at("models/decode/src/plan/run.rs"),
            expected("models/decode", "plan::run")
        );
        assert_eq!(at("domain/src/lib.rs"), expected("domain", ""));
        assert_eq!(at("tests/src/bin/bench.rs"), None);
        assert_eq!(at("tests/tests/it/touch.rs"), None);
    }
}
