//! The file and the list of texts, and what nothing shows.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

#[test]
fn file_and_list_have_the_same_texts() {
    let file = serde_json::from_str(FILE).unwrap();
    let wrong = frontend::text::listed::wrong_in(&file, LISTED);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The files of a folder and of those within, without white space.
fn sources(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| {
        if path.is_dir() {
            return sources(&path);
        }
        let code = fs::read_to_string(path).unwrap();
        vec![code.split_whitespace().collect()]
    };
    paths.flat_map(read).collect()
}

#[test]
fn every_text_is_shown_somewhere() {
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    for (group, texts) in LISTED {
        for (key, ..) in *texts {
            let (read, shown) = (format!("text().{group}"), format!(".{key}("));
            let shows = |code: &String| code.contains(&read) && code.contains(&shown);
            assert!(sources.iter().any(shows), "nothing shows {group}.{key}");
        }
    }
}
