//! Files that somebody else wrote: read whole, if they are ordinary files of a size that fits. A device
//! has no end, and opening a pipe waits for somebody to write to it.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// What becomes of symbolic links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They are followed, wherever they lead: somebody named the file.
    Followed,
    /// They are followed within the file's own folder, where some systems put files by links.
    WithinFolder,
    /// They are refused.
    Refused,
}

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    /// There is none.
    #[error("there is no such file")]
    Missing,
    /// It is a link that is not followed.
    #[error("it is a symbolic link; put the file itself there")]
    Link,
    /// It is a folder, a device, a pipe or a socket.
    #[error("it is no ordinary file")]
    NoFile,
    /// It is longer than it may be.
    #[error("it has {found} bytes; at most {most} are read")]
    TooLarge {
        /// Its length in bytes.
        found: u64,
        /// The greatest length.
        most: u64,
    },
    /// The system cannot read it.
    #[error("it cannot be read: {0}")]
    Io(std::io::Error),
}

impl From<std::io::Error> for FileFault {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Io(error),
        }
    }
}

/// Opens a file to read it, if it is an ordinary one of at most so many bytes.
///
/// # Errors
/// Why it is not read.
pub fn open(path: &Path, links: Links, most: u64) -> Result<File, FileFault> {
    let is_link = std::fs::symlink_metadata(path)?.is_symlink();
    let real = match links {
        Links::Refused if is_link => return Err(FileFault::Link),
        Links::WithinFolder if is_link => {
            let real = path.canonicalize()?;
            let whole = std::path::absolute(path)?;
            let folder = whole.parent().unwrap_or(Path::new("/")).canonicalize()?;
            if !real.starts_with(folder) {
                return Err(FileFault::Link);
            }
            real
        }
        _ => path.to_owned(),
    };
    // Looked at before it is opened: opening a device can do something.
    let fits = |facts: std::fs::Metadata| match facts.len() {
        _ if !facts.is_file() => Err(FileFault::NoFile),
        found if found > most => Err(FileFault::TooLarge { found, most }),
        _ => Ok(()),
    };
    fits(std::fs::metadata(&real)?)?;
    let file = File::open(&real)?;
    fits(file.metadata()?)?;
    Ok(file)
}

/// The bytes of a file that [`open`] opens.
///
/// # Errors
/// Why it is not read.
pub fn read(path: &Path, links: Links, most: u64) -> Result<Vec<u8>, FileFault> {
    let mut bytes = Vec::new();
    // It may grow while it is read.
    let file = open(path, links, most)?.take(most.saturating_add(1));
    let found = { file }.read_to_end(&mut bytes)? as u64;
    if found > most {
        return Err(FileFault::TooLarge { found, most });
    }
    Ok(bytes)
}
