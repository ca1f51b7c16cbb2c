//! Files in folders of studies: some as programs write them, and some that nobody should read.

use std::path::Path;
use std::process::Command;

use super::super::StudyEntry;
use super::super::files::{MOST_FILE_BYTES, MOST_STUDY_BYTES, text};
use crate::zoo::Models;

const STUDY: &str = r#"{ "format": 2, "id": "door", "title": "Türe", "participant_codes": "codes.csv",
    "parts": [
        { "kind": "consent", "file": "consent.md", "investigator": "I", "contact": "C",
          "duration_minutes": 1 },
        { "kind": "stage", "id": "play",
          "task": { "kind": "exploration", "model": "sinelines-gt5" } }
    ] }"#;

/// The study with other files beside it.
fn read(files: &[(&str, &[u8])]) -> Result<StudyEntry, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("door");
    std::fs::create_dir(&folder).unwrap();
    let all: [(&str, &[u8]); 3] = [
        ("study.json", STUDY.as_bytes()),
        ("consent.md", b"# Welcome"),
        ("codes.csv", b"A1\nA2\n"),
    ];
    for (name, bytes) in all.iter().chain(files) {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    read_in(&folder)
}

fn read_in(folder: &Path) -> Result<StudyEntry, Vec<String>> {
    let entry = StudyEntry::read(&folder.join("study.json"), &Models::load(None).unwrap());
    entry.map_err(|faults| faults.iter().map(ToString::to_string).collect())
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(bytes).collect()
}

fn with_mark(text: &str) -> Vec<u8> {
    [b"\xEF\xBB\xBF", text.as_bytes()].concat()
}

/// As Notepad (UTF-8 with a mark, "Unicode"), Excel ("CSV UTF-8", quoted, empty columns, old Macs'
/// line ends) and others write them.
#[test]
fn files_are_read_as_other_programs_write_them() {
    let plain = read(&[]).unwrap();
    let studies = [
        with_mark(STUDY),
        utf16(STUDY, u16::to_le_bytes),
        utf16(STUDY, u16::to_be_bytes),
    ];
    for study in studies {
        let entry = read(&[("study.json", &study)]).unwrap();
        assert_eq!(
            (entry.study, entry.json),
            (plain.study.clone(), plain.json.clone())
        );
    }
    for consent in [with_mark("# Welcome"), utf16("# Welcome", u16::to_le_bytes)] {
        let entry = read(&[("consent.md", &consent)]).unwrap();
        let html = entry.info("en").consent.unwrap().text_html;
        assert_eq!(html, "<h1>Welcome</h1>\n");
    }
    let lists: [&[u8]; 6] = [
        b"A1\r\nA2\r\n\r\n",
        b"A1\rA2\r",
        b"\xEF\xBB\xBFA1\r\nA2\r\n;;\r\n",
        b"\"A1\"\n\"A2\",\n",
        b"  A1 \n\tA2\n",
        &utf16("A1\r\nA2", u16::to_le_bytes),
    ];
    for list in lists {
        let entry = read(&[("codes.csv", list)]).unwrap();
        assert_eq!(entry.codes, plain.codes, "{list:?}");
    }
    assert_eq!(plain.codes.unwrap().len(), 2);
}

#[test]
fn what_is_no_text_or_no_list_of_codes_is_named_with_its_line() {
    let refused = |file: &str, bytes: &[u8]| {
        let problems = read(&[(file, bytes)]).unwrap_err();
        problems.join("\n")
    };
    // «für» as Notepad writes it with "ANSI".
    assert_eq!(
        refused("consent.md", b"one\r\nf\xFCr"),
        "consent.md: line 2 is not in UTF-8; save the file with the encoding UTF-8"
    );
    assert_eq!(
        refused("consent.md", "one\n\ntwo \u{202E}three".as_bytes()),
        "consent.md: line 3 holds U+202E, which turns the direction of what is written around it; take it out"
    );
    assert_eq!(
        refused("codes.csv", b"A1\nA2\nA1\n=x\nA3;A4\n"),
        "codes.csv: line 3: found the code of line 1 again; each code once, for one person\n\
         codes.csv: line 4: this is no code of a participant: it does not begin with a letter or digit\n\
         codes.csv: line 5: found more than one entry; one code a line is wanted"
    );
    assert_eq!(
        refused("codes.csv", b"\n \n"),
        "codes.csv: found no code, so nobody could start; a code a line is wanted"
    );
    assert_eq!(
        text(b"\xFF\xFEA")
            .unwrap_err()
            .to_string()
            .split(' ')
            .nth(1),
        Some("1")
    );
    let titled = STUDY.replace("Türe", "a\\u202eb");
    assert_eq!(
        refused("study.json", titled.as_bytes()),
        "line 1: title: found U+202E, which turns the direction of what is written around it; a text without it"
    );
}

#[cfg(unix)]
#[test]
fn nothing_is_read_that_is_no_ordinary_file_of_the_study() {
    use std::os::unix::fs::symlink;

    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("door");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("study.json"), STUDY).unwrap();
    std::fs::write(folder.join("codes.csv"), "A1").unwrap();
    std::fs::write(folder.join("real.md"), "# Welcome").unwrap();
    std::fs::write(outer.path().join("secret"), "# Secret").unwrap();
    let consent = folder.join("consent.md");
    let with = |put: &dyn Fn()| {
        put();
        let read = read_in(&folder);
        let metadata = std::fs::symlink_metadata(&consent).unwrap();
        if metadata.is_dir() {
            std::fs::remove_dir(&consent).unwrap();
        } else {
            std::fs::remove_file(&consent).unwrap();
        }
        read.map(|_| ()).map_err(|problems| problems.join("\n"))
    };
    let refused = |why: &str| Err(format!("line 3: parts[0].file: found 'consent.md'; {why}"));
    let elsewhere = "it is a link to a file outside the study's folder; put the file itself there";
    let no_file = "it is no ordinary file; put a file there";

    assert_eq!(with(&|| symlink("real.md", &consent).unwrap()), Ok(()));
    let out = || symlink("../secret", &consent).unwrap();
    assert_eq!(with(&out), refused(elsewhere));
    let zero = || symlink("/dev/zero", &consent).unwrap();
    assert_eq!(with(&zero), refused(elsewhere));
    assert_eq!(
        with(&|| std::fs::create_dir(&consent).unwrap()),
        refused(no_file)
    );
    let pipe = || {
        let made = Command::new("mkfifo").arg(&consent).status().unwrap();
        assert!(made.success());
    };
    assert_eq!(with(&pipe), refused(no_file));
    let large = || {
        let file = std::fs::File::create(&consent).unwrap();
        file.set_len(MOST_FILE_BYTES + 1).unwrap();
    };
    assert_eq!(
        with(&large),
        refused("it has more than 16 MiB, the most for such a file")
    );

    std::fs::remove_file(folder.join("study.json")).unwrap();
    symlink("/dev/zero", folder.join("study.json")).unwrap();
    assert_eq!(read_in(&folder).unwrap_err(), [elsewhere]);
    std::fs::remove_file(folder.join("study.json")).unwrap();
    let file = std::fs::File::create(folder.join("study.json")).unwrap();
    file.set_len(MOST_STUDY_BYTES + 1).unwrap();
    assert_eq!(
        read_in(&folder).unwrap_err(),
        ["it has more than 4 MiB, the most for such a file"]
    );
}

/// Pictures are counted as often as they are shown: each time they are part of a page.
#[test]
fn the_files_of_a_study_have_a_bound_together() {
    let picture = vec![0; 10 << 20];
    let shown = |times: usize| {
        let consent = "![A](a.png)\n".repeat(times);
        read(&[("a.png", &picture), ("consent.md", consent.as_bytes())]).map(|_| ())
    };
    assert_eq!(shown(6), Ok(()));
    assert_eq!(
        shown(7).unwrap_err(),
        [
            "consent.md: a.png: with it, the files of the study have more than 64 MiB, the most for all of them together"
        ]
    );
}
