//! Long files, and the list that says why some are.

use std::collections::BTreeSet;

/// Lines that a file may have.
const LINES: usize = 300;
/// The files that have more, a line for each: its path, a colon, and why it is not divided.
pub const LONG_FILES: &str = include_str!("long_files.txt");

/// Whether a file has more lines than one may have.
pub fn is_long(text: &str) -> bool {
    text.lines().count() > LINES
}

/// Long files that the list does not name, and what it names that is not long.
pub fn wrong_in_list(long: &BTreeSet<String>, list: &str) -> Vec<String> {
    let listed: BTreeSet<&str> = list
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(file, _)| file)
        .collect();
    let missing = long.iter().filter(|file| !listed.contains(file.as_str()));
    let missing = missing.map(|file| {
        format!(
            "{file}: more than {LINES} lines; divide it, or say why not in xtask/src/structure/long_files.txt"
        )
    });
    let extra = listed.iter().filter(|file| !long.contains(**file));
    let extra = extra.map(|file| {
        format!("{file}: it has no more than {LINES} lines; take it out of xtask/src/structure/long_files.txt")
    });
    missing.chain(extra).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_long_files_is_complete_and_has_no_others() {
        let long = BTreeSet::from(["a.rs".to_owned(), "b.rs".to_owned()]);
        let none: [&str; 0] = [];
        assert_eq!(wrong_in_list(&long, "a.rs: x\nb.rs: y\n"), none);
        let wrong = wrong_in_list(&long, "b.rs: y\nc.rs: z\n");
        assert!(wrong[0].starts_with("a.rs: more than 300 lines"));
        assert!(wrong[1].starts_with("c.rs: it has no more than 300 lines"));
        assert_eq!(wrong.len(), 2);
    }
}
