//! All files of a bundle as one: what its fingerprint is the SHA-256 of, and what a server keeps of it.

/// Bytes that say how long a file is.
const LENGTH: usize = size_of::<u64>();

/// The files of a bundle: its card, its weights and its held-out latent vectors, if it has them.
pub type BundleParts<'b> = (&'b [u8], Option<&'b [u8]>, Option<&'b [u8]>);

/// The files of a bundle, one after the other. Every file's length goes in before its bytes, so that bytes cannot move
/// from one file to the next unnoticed; one that is not there has none.
#[must_use]
pub fn packed(card: &[u8], weights: Option<&[u8]>, held_out: Option<&[u8]>) -> Vec<u8> {
    let files = [Some(card), weights, held_out].map(Option::unwrap_or_default);
    let mut all = Vec::with_capacity(files.iter().map(|file| LENGTH + file.len()).sum());
    for file in files {
        all.extend((file.len() as u64).to_le_bytes());
        all.extend(file);
    }
    all
}

/// The files that were packed; nothing where these are no packed files.
#[must_use]
pub fn unpacked(all: &[u8]) -> Option<BundleParts<'_>> {
    let (card, rest) = first(all)?;
    let (weights, rest) = first(rest)?;
    let (held_out, rest) = first(rest)?;
    let there = |file: &[u8]| !file.is_empty();
    rest.is_empty().then_some((
        card,
        Some(weights).filter(|file| there(file)),
        Some(held_out).filter(|file| there(file)),
    ))
}

/// The first file, and what comes after it.
fn first(all: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = all.split_first_chunk::<LENGTH>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_back_as_they_were_packed() {
        for files in [
            (&b"card"[..], Some(&b"weights"[..]), Some(&b"z"[..])),
            (b"card", None, Some(b"z")),
            (b"card", Some(b"w"), None),
        ] {
            let (card, weights, held_out) = files;
            let all = packed(card, weights, held_out);
            assert_eq!(unpacked(&all), Some(files));
            assert_eq!(unpacked(&all[..all.len() - 1]), None);
            assert_eq!(unpacked(&[&all[..], &[0]].concat()), None);
        }
        assert_eq!(unpacked(&[255; 8]), None);
    }
}
