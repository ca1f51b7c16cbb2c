//! Archives in the format of POSIX (ustar), the same bytes for the same content on every machine.

use anyhow::{Context, Result, ensure};
use flate2::{Compression, GzBuilder};
use std::collections::BTreeMap;
use std::io::Write as _;

/// Archives consist of blocks of so many bytes.
const BLOCK: usize = 512;

/// What stands in an archive under a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A file.
    File {
        /// Its content.
        bytes: Vec<u8>,
        /// Whether it is a program.
        executable: bool,
    },
    /// An empty folder.
    Folder {
        /// Who may do what in it.
        mode: u32,
        /// The number of the user and of the group whose it is.
        owner: u32,
    },
}

impl Entry {
    /// A file that is read.
    pub fn text(bytes: impl Into<Vec<u8>>) -> Self {
        Self::File {
            bytes: bytes.into(),
            executable: false,
        }
    }
}

/// An archive of entries by path, with `/` between its parts; all were changed last at `time`, in seconds since 1970.
/// Files are root's, as whoever unpacks them without being root sees them as their own.
///
/// # Errors
/// When a path or a file is too long for the format.
pub fn archive(entries: &BTreeMap<String, Entry>, time: u64) -> Result<Vec<u8>> {
    let mut archive = Vec::new();
    for (path, entry) in entries {
        let header = header(path, entry, time).with_context(|| path.clone())?;
        archive.extend(header);
        if let Entry::File { bytes, .. } = entry {
            archive.extend(bytes);
            archive.resize(archive.len().next_multiple_of(BLOCK), 0);
        }
    }
    // Two empty blocks end it.
    archive.resize(archive.len() + 2 * BLOCK, 0);
    Ok(archive)
}

/// The archive as gzip compresses it best, without a time and a name of its own.
///
/// # Errors
/// None that is known: it writes to memory.
pub fn compressed(archive: &[u8]) -> Result<Vec<u8>> {
    let mut gzip = GzBuilder::new().write(Vec::new(), Compression::best());
    gzip.write_all(archive)?;
    Ok(gzip.finish()?)
}

/// The block before an entry: its fields, each of which begins at a fixed place.
fn header(path: &str, entry: &Entry, time: u64) -> Result<[u8; BLOCK]> {
    let (path, mode, owner, size, kind) = match entry {
        Entry::File { bytes, executable } => {
            let mode = if *executable { 0o755 } else { 0o644 };
            (path.to_owned(), mode, 0, bytes.len(), b'0')
        }
        Entry::Folder { mode, owner } => (format!("{path}/"), *mode, *owner, 0, b'5'),
    };
    ensure!(path.len() <= 100, "the path is longer than 100 bytes");
    let mut block = [0; BLOCK];
    put(&mut block, 0, path.as_bytes());
    octal(&mut block, 100, 8, u64::from(mode))?;
    octal(&mut block, 108, 8, u64::from(owner))?;
    octal(&mut block, 116, 8, u64::from(owner))?;
    octal(&mut block, 124, 12, u64::try_from(size)?)?;
    octal(&mut block, 136, 12, time)?;
    block[156] = kind;
    put(&mut block, 257, b"ustar\x0000");
    // The sum of all bytes, as it is with blanks in its own place.
    put(&mut block, 148, b"        ");
    let sum = block.iter().map(|&byte| u64::from(byte)).sum();
    octal(&mut block, 148, 7, sum)?;
    Ok(block)
}

fn put(block: &mut [u8; BLOCK], at: usize, bytes: &[u8]) {
    block[at..at + bytes.len()].copy_from_slice(bytes);
}

/// A number in octal digits, and a zero byte behind them.
fn octal(block: &mut [u8; BLOCK], at: usize, width: usize, number: u64) -> Result<()> {
    let digits = format!("{number:0>width$o}\0", width = width - 1);
    ensure!(digits.len() == width, "{number} is too large");
    put(block, at, digits.as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> BTreeMap<String, Entry> {
        let program = Entry::File {
            bytes: vec![7; 513],
            executable: true,
        };
        let folder = Entry::Folder {
            mode: 0o700,
            owner: 10_001,
        };
        BTreeMap::from([
            ("redial/redial".to_owned(), program),
            ("redial/README.md".to_owned(), Entry::text("read me")),
            ("lab".to_owned(), folder),
        ])
    }

    // Elsewhere tar prints its lists in another way.
    #[cfg(target_os = "linux")]
    #[test]
    fn tar_lists_what_is_in_it() {
        use crate::process::output;
        use std::process::Command;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.tar.gz");
        let archive = archive(&example(), 1_000_000_000).unwrap();
        std::fs::write(&file, compressed(&archive).unwrap()).unwrap();
        let listed = Command::new("tar")
            .args(["--numeric-owner", "-tvzf"])
            .arg(&file)
            .env("TZ", "UTC")
            .output();
        let Ok(listed) = listed else {
            return; // No tar on this machine.
        };
        // date -u -d @1000000000
        let said = String::from_utf8(listed.stdout).unwrap();
        let lines: Vec<String> = said
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(
            lines,
            [
                "drwx------ 10001/10001 0 2001-09-09 01:46 lab/",
                "-rw-r--r-- 0/0 7 2001-09-09 01:46 redial/README.md",
                "-rwxr-xr-x 0/0 513 2001-09-09 01:46 redial/redial",
            ]
        );
        output(
            Command::new("tar")
                .arg("-xzf")
                .arg(&file)
                .current_dir(folder.path()),
        )
        .unwrap();
        let program = std::fs::read(folder.path().join("redial/redial")).unwrap();
        assert_eq!(program, [7; 513]);
    }

    #[test]
    fn the_same_content_is_the_same_bytes() {
        let packed = || compressed(&archive(&example(), 5).unwrap()).unwrap();
        assert_eq!(packed(), packed());
        assert_ne!(
            archive(&example(), 5).unwrap(),
            archive(&example(), 6).unwrap()
        );
    }

    #[test]
    fn what_the_format_cannot_say_is_refused() {
        let long = BTreeMap::from([("a".repeat(101), Entry::text(""))]);
        assert!(archive(&long, 0).is_err());
        let late = BTreeMap::from([("a".to_owned(), Entry::text(""))]);
        assert!(archive(&late, 0o100_000_000_000).is_err());
        assert_eq!(archive(&BTreeMap::new(), 0).unwrap(), [0; 1024]);
    }
}
