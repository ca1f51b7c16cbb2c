//! What every store of blobs has to do.

use server::storage::{Blob, BlobStore};

pub const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// When blobs are stored in tests, where time is what we say.
pub const NOW_MS: u64 = 1_900_000_000_000;

/// Who says what time it is when a blob is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// We do.
    Ours,
    /// The store does, and it is about this time.
    Its(u64),
}

/// What every store does; `other` is the same store as another server has it. Blobs begin with `name`.
pub async fn contract(store: &dyn BlobStore, other: &dyn BlobStore, clock: Clock, name: &str) {
    let blob = |what: &str| Blob::of(format!("{name} {what}").into_bytes());
    let (first, second) = (blob("first"), blob("second"));
    let large = Blob::of(name.repeat(400_000).into_bytes());
    assert!(!other.has(first.sha256()).await.unwrap());
    assert_eq!(other.get(first.sha256()).await.unwrap(), None);
    assert_eq!(other.get("../x").await.unwrap(), None);
    for blob in [&first, &second, &first, &large] {
        store.put(blob, NOW_MS).await.unwrap();
        assert!(other.has(blob.sha256()).await.unwrap());
        let found = other.get(blob.sha256()).await.unwrap();
        assert!(found.as_deref() == Some(&**blob.bytes()));
    }

    let is_listed = async |blob: &Blob, before_ms: u64| {
        let listed = other.list(before_ms).await.unwrap();
        listed.iter().any(|sha256| sha256 == blob.sha256())
    };
    let (before_ms, after_ms) = match clock {
        Clock::Ours => (NOW_MS, NOW_MS + 1),
        Clock::Its(now_ms) => (now_ms - DAY_MS, now_ms + DAY_MS),
    };
    assert!(!is_listed(&first, before_ms).await);
    assert!(is_listed(&first, after_ms).await && is_listed(&large, after_ms).await);

    let both = [&first, &second].map(|blob| blob.sha256().to_owned());
    other.delete(&both, before_ms).await.unwrap();
    assert!(store.has(second.sha256()).await.unwrap(), "stored since");
    if clock == Clock::Ours {
        store.put(&first, NOW_MS + DAY_MS).await.unwrap();
        assert!(!is_listed(&first, NOW_MS + DAY_MS).await, "stored anew");
        other.delete(&both, NOW_MS + DAY_MS).await.unwrap();
        assert!(store.has(first.sha256()).await.unwrap(), "stored since");
        assert!(!store.has(second.sha256()).await.unwrap());
    }
    other.delete(&both, u64::MAX).await.unwrap();
    assert_eq!(store.get(first.sha256()).await.unwrap(), None);
    assert!(store.has(large.sha256()).await.unwrap());
    store.put(&second, NOW_MS).await.unwrap();
    assert!(other.has(second.sha256()).await.unwrap(), "it comes back");
}
