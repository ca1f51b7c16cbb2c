//! Blobs in a folder.

use server::storage::{self, Blob, BlobPlace, DatabaseAddress, StorageError};
use tempfile::TempDir;

use super::NOW_MS;
use crate::conformance;

/// A database with its blobs in a folder beside it.
fn address(folder: &TempDir) -> DatabaseAddress {
    DatabaseAddress {
        url: storage::url_of(&folder.path().join("test.db")),
        blobs: BlobPlace::Folder(folder.path().join("blobs")),
    }
}

#[tokio::test]
async fn a_database_with_blobs_in_a_folder_does_what_every_database_has_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let at = address(&folder);
    conformance::check(|| async { storage::open(at.clone()).await.unwrap() }).await;
}

#[tokio::test]
async fn blobs_of_a_folder_are_files_that_only_their_owner_reads() {
    let folder = tempfile::tempdir().unwrap();
    let storage = storage::open(address(&folder)).await.unwrap();
    let blobs = storage.blobs();
    let blob = Blob::of(*b"sound");
    let name = blob.sha256().to_owned();
    let within = folder.path().join("blobs").join(&name[..2]);
    let file = within.join(&name);
    blobs.put(&blob, NOW_MS).await.unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), b"sound");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&within), mode(&file)), (0o700, 0o600));
    }
    // Damaged, it is told, and written anew when it is stored again.
    std::fs::write(&file, b"noise").unwrap();
    let told = blobs.get(&name).await;
    assert!(
        matches!(told, Err(StorageError::Corrupt { .. })),
        "{told:?}"
    );
    blobs.put(&blob, NOW_MS).await.unwrap();
    assert!(blobs.get(&name).await.unwrap().is_some());
    // What a crash has left is no blob, and goes once it is old.
    let left = within.join(".unfinished-x");
    std::fs::write(&left, b"so").unwrap();
    std::fs::write(within.join("notes.txt"), b"ours").unwrap();
    assert_eq!(blobs.list(1).await.unwrap(), [""; 0]);
    assert!(left.exists());
    assert_eq!(blobs.list(u64::MAX).await.unwrap(), [name]);
    assert!(!left.exists() && within.join("notes.txt").exists());
    storage.close().await;
}

#[tokio::test]
async fn what_was_stored_in_the_database_before_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let blob = Blob::of(*b"before");
    let inside = storage::open(&address(&folder).url).await.unwrap();
    inside.blobs().put(&blob, NOW_MS).await.unwrap();
    inside.close().await;
    let outside = storage::open(address(&folder)).await.unwrap();
    let blobs = outside.blobs();
    let found = blobs.get(blob.sha256()).await.unwrap();
    assert_eq!(found.as_deref(), Some(&b"before"[..]));
    let all = blobs.list(NOW_MS + 1).await.unwrap();
    assert_eq!(all, [blob.sha256()]);
    blobs.delete(&all, u64::MAX).await.unwrap();
    assert!(!blobs.has(blob.sha256()).await.unwrap());
    outside.close().await;
}
