//! `cargo xtask docs`: the documentation as a site, made by mdBook from `docs/`. The server has it under `/docs`.

use crate::frontend::files_below;
use crate::process::{compiled_tool, note, run, step};
use crate::{compress, layout};
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Version of mdBook.
const MDBOOK: &str = "0.5.4";

/// Makes the site, and puts it into `dist/docs/`.
///
/// # Errors
/// When mdBook cannot be compiled, or finds something wrong.
pub fn docs() -> Result<()> {
    let files = build()?;
    let cache = layout::target().join("compressed");
    let compressor = compress::Compressor::new(cache, compress::BEST)?;
    let folder = layout::dist().join(layout::DOCS);
    crate::assets::write(&files, &folder, &compressor)?;
    note(&format!(
        "{} files; open {} or, on a server, /docs",
        files.len(),
        folder.join("index.html").display()
    ));
    Ok(())
}

/// Makes the site: its files by their path in it.
///
/// # Errors
/// As [`docs`].
pub fn build() -> Result<BTreeMap<String, Vec<u8>>> {
    let mdbook = compiled_tool(
        "mdbook",
        MDBOOK,
        &["--no-default-features", "--features", "search"],
    )?;
    step("making the documentation");
    let site = layout::target().join("docs");
    run(Command::new(mdbook)
        .arg("build")
        .arg(layout::root().join("docs"))
        .arg("--dest-dir")
        .arg(&site))
    .context("mdBook does not make the documentation")?;
    // What is no chapter is copied as it is: its own settings, too.
    let mut files = files_below(&site)?;
    files.retain(|name, _| !name.ends_with(".toml"));
    let chapters = files_below(&layout::root().join("docs"))?;
    let mut problems = unnamed(chapters.keys(), &files);
    problems.extend(wrong_links(&files));
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    Ok(files)
}

/// Chapters that the summary does not name: nothing is made of them.
fn unnamed<'a>(
    sources: impl Iterator<Item = &'a String>,
    site: &BTreeMap<String, Vec<u8>>,
) -> Vec<String> {
    let chapters = sources.filter_map(|name| Some((name, name.strip_suffix(".md")?)));
    chapters
        .filter(|(_, name)| *name != "SUMMARY" && !site.contains_key(&format!("{name}.html")))
        .map(|(name, _)| format!("docs/{name} is not in docs/SUMMARY.md"))
        .collect()
}

/// What is wrong with the links of a site: those to a file or a heading that it does not have.
fn wrong_links(files: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let pages: BTreeMap<&str, String> = files
        .iter()
        .filter(|(name, _)| name.ends_with(".html"))
        .map(|(name, content)| (name.as_str(), String::from_utf8_lossy(content).into_owned()))
        .collect();
    let headings: BTreeMap<&str, BTreeSet<&str>> = pages
        .iter()
        .map(|(name, html)| (*name, values(html, "id").collect()))
        .collect();
    let mut problems = Vec::new();
    for (page, html) in &pages {
        let links = values(html, "href").chain(values(html, "src"));
        for link in links.filter(|link| !link.contains(':') && !link.starts_with("//")) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let Some(file) = resolved(page, path) else {
                problems.push(format!(
                    "docs/{page}: {link} leads out of the documentation"
                ));
                continue;
            };
            let there = files.contains_key(&file);
            let known = headings
                .get(file.as_str())
                .is_none_or(|it| heading.is_empty() || it.contains(heading));
            if !there || !known {
                problems.push(format!("docs/{page}: {link} leads to nothing"));
            }
        }
    }
    problems
}

/// The values of an attribute in HTML, as far as they stand in double quotes.
fn values<'a>(html: &'a str, attribute: &str) -> impl Iterator<Item = &'a str> {
    let before = format!(" {attribute}=\"");
    let at: Vec<usize> = html
        .match_indices(&before)
        .map(|(at, _)| at + before.len())
        .collect();
    at.into_iter()
        .filter_map(|at| html.get(at..)?.split('"').next())
}

/// The file that a relative path in a page leads to; none where it leads out of the site.
fn resolved(page: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some(page.to_owned());
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    let file = parts.join("/");
    Some(if file.is_empty() || file.ends_with('/') {
        format!("{file}index.html")
    } else {
        file
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), text.as_bytes().to_vec());
        files.iter().map(owned).collect()
    }

    #[test]
    fn links_to_nothing_are_named() {
        let top = "<a href=\"a/b.html#here\"></a><a href=\"https://example.org/#x\"></a><img src=\"p.png\">";
        let below = "<h1 id=\"here\"></h1><a href=\"../index.html\"></a><a href=\"#here\"></a>";
        let whole = site(&[("index.html", top), ("a/b.html", below), ("p.png", "")]);
        assert_eq!(wrong_links(&whole), Vec::<String>::new());
        let broken = site(&[
            (
                "index.html",
                "<a href=\"none.html\"></a><a href=\"a/b.html#there\"></a>",
            ),
            (
                "a/b.html",
                "<h1 id=\"here\"></h1><a href=\"../../x.html\"></a>",
            ),
        ]);
        assert_eq!(
            wrong_links(&broken),
            [
                "docs/a/b.html: ../../x.html leads out of the documentation",
                "docs/index.html: none.html leads to nothing",
                "docs/index.html: a/b.html#there leads to nothing",
            ]
        );
        let sources = ["SUMMARY.md", "index.md", "forgotten.md", "p.png"].map(str::to_owned);
        assert_eq!(
            unnamed(sources.iter(), &whole),
            ["docs/forgotten.md is not in docs/SUMMARY.md"]
        );
    }
}
