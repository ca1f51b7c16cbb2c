use super::*;

fn written(target: &Path, text: &str) -> Result<(), FolderError> {
    let mut folder = NewFolder::replacing(target, "redial x")?;
    folder.write("tables/a.csv", text.as_bytes())?;
    folder.publish_listed("redial x")
}

#[test]
fn it_replaces_its_own_and_nothing_else() {
    let here = tempfile::tempdir().unwrap();
    let target = here.path().join("out");
    let read = || std::fs::read_to_string(target.join("tables/a.csv")).unwrap();
    written(&target, "1").unwrap();
    written(&target, "2").unwrap();
    assert_eq!(read(), "2");
    // Nothing is left beside it.
    assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 1);

    std::fs::write(target.join("notes.txt"), "mine").unwrap();
    let why = written(&target, "3").unwrap_err().to_string();
    assert!(why.contains("notes.txt was put there"), "{why}");
    std::fs::remove_file(target.join("notes.txt")).unwrap();
    std::fs::write(target.join("tables/a.csv"), "edited").unwrap();
    let why = written(&target, "3").unwrap_err().to_string();
    assert!(why.contains("tables/a.csv has been changed"), "{why}");
    assert_eq!(read(), "edited");
    let why = NewFolder::replacing(&target, "redial y")
        .unwrap_err()
        .to_string();
    assert!(why.contains("written by 'redial x'"), "{why}");
    assert!(matches!(
        NewFolder::new(&target),
        Err(FolderError::NotEmpty(_))
    ));
}

#[test]
fn a_folder_that_is_not_published_leaves_nothing() {
    let here = tempfile::tempdir().unwrap();
    let target = here.path().join("out");
    let mut folder = NewFolder::new(&target).unwrap();
    folder.write("a", b"x").unwrap();
    drop(folder);
    assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 0);
    // A file in the way is named.
    std::fs::write(&target, "a file").unwrap();
    let why = NewFolder::new(&target).unwrap_err().to_string();
    assert!(why.contains("out"), "{why}");
    let below = target.join("deeper");
    let why = NewFolder::new(&below).unwrap_err().to_string();
    assert!(why.contains("out"), "{why}");
}
