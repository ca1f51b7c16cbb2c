//! The files of a study: where they may lie, how large they may be, and how their text is read.
//!
//! A folder of studies may come from anywhere: a colleague, a repository, a shared disk. Nothing in
//! it is read that is no ordinary file, lies elsewhere, or is larger than a study can use.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use domain::common::problem::text_fault;
use models::ordinary_file::{self, Links};

/// Most bytes of a study file.
pub const MOST_STUDY_BYTES: u64 = 4 << 20;

/// Most bytes of a file that a study names: a text, a picture, a list of codes.
pub const MOST_FILE_BYTES: u64 = 16 << 20;

/// Most bytes of all files of one study together, each counted as often as it is shown.
pub const MOST_BYTES_OF_ALL: u64 = 64 << 20;

/// Why a file is not read: what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StudyFileFault {
    /// There is none.
    #[error("there is no such file beside the study")]
    Missing,
    /// A folder, a device, a pipe or a socket.
    #[error("it is no ordinary file; put a file there")]
    NoFile,
    /// A symbolic link to another folder.
    #[error("it is a link to a file outside the study's folder; put the file itself there")]
    Elsewhere,
    /// It is longer than a file of its kind can be.
    #[error("it has more than {} MiB, the most for such a file", .0 >> 20)]
    TooLarge(u64),
    /// All that the study names is more than one study can have.
    #[error("with it, the files of the study have more than {} MiB, the most for all of them together", MOST_BYTES_OF_ALL >> 20)]
    TooMuch,
    /// The system cannot read it.
    #[error("it cannot be read: {0}")]
    Io(String),
    /// It is no text, or holds characters that no text of a study has.
    #[error("{0}")]
    Text(String),
}

impl From<ordinary_file::FileFault> for StudyFileFault {
    fn from(fault: ordinary_file::FileFault) -> Self {
        use ordinary_file::FileFault as Of;
        match fault {
            Of::Missing => Self::Missing,
            Of::Link => Self::Elsewhere,
            Of::NoFile => Self::NoFile,
            Of::TooLarge { most, .. } => Self::TooLarge(most),
            Of::Io(error) => Self::Io(error.to_string()),
        }
    }
}

/// The files beside a study.
pub struct StudyFiles<'a> {
    source: Source<'a>,
    read: Cell<u64>,
}

enum Source<'a> {
    Folder(PathBuf),
    Named(&'a dyn Fn(&str) -> Option<Vec<u8>>),
}

impl<'a> StudyFiles<'a> {
    /// The files of a folder; only those right in it.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self::of(Source::Folder(folder.to_owned()))
    }

    /// Files that are not on a disk, by name.
    #[must_use]
    pub fn named(file: &'a dyn Fn(&str) -> Option<Vec<u8>>) -> Self {
        Self::of(Source::Named(file))
    }

    fn of(source: Source<'a>) -> Self {
        let read = Cell::new(0);
        Self { source, read }
    }

    /// Whether a file could be read, as far as can be said without reading it.
    ///
    /// # Errors
    /// The fault, which says what would be right.
    pub fn look_at(&self, name: &str) -> Result<(), StudyFileFault> {
        match &self.source {
            Source::Folder(folder) => {
                let path = plain_path(folder, name)?;
                ordinary_file::open(&path, Links::WithinFolder, MOST_FILE_BYTES)?;
                Ok(())
            }
            Source::Named(file) => file(name).map(|_| ()).ok_or(StudyFileFault::Missing),
        }
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// As [`look_at`](Self::look_at), and when all files of the study are too much.
    pub fn bytes(&self, name: &str) -> Result<Vec<u8>, StudyFileFault> {
        let bytes = match &self.source {
            Source::Folder(folder) => {
                let path = plain_path(folder, name)?;
                ordinary_file::read(&path, Links::WithinFolder, MOST_FILE_BYTES)?
            }
            Source::Named(file) => file(name).ok_or(StudyFileFault::Missing)?,
        };
        let all = self.read.get().saturating_add(bytes.len() as u64);
        self.read.set(all);
        if all > MOST_BYTES_OF_ALL {
            return Err(StudyFileFault::TooMuch);
        }
        Ok(bytes)
    }

    /// The text of a file.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes), and what [`text`] says.
    pub fn text(&self, name: &str) -> Result<String, StudyFileFault> {
        text(&self.bytes(name)?)
    }
}

/// The bytes of a study file.
///
/// # Errors
/// When it is no ordinary file of its folder, too large, or cannot be read.
pub fn study_file(path: &Path) -> Result<Vec<u8>, StudyFileFault> {
    Ok(ordinary_file::read(
        path,
        Links::WithinFolder,
        MOST_STUDY_BYTES,
    )?)
}

/// The text in a file as editors, spreadsheets and other systems write it: UTF-8 with or without a
/// byte order mark, or UTF-16 with one. Line ends stay as they are.
///
/// # Errors
/// When it is in another encoding, or holds characters that [`text_fault`] refuses; with the line.
pub fn text(bytes: &[u8]) -> Result<String, StudyFileFault> {
    let text = match bytes {
        [0xEF, 0xBB, 0xBF, text @ ..] => utf8(text),
        [0xFF, 0xFE, text @ ..] => utf16(text, u16::from_le_bytes),
        [0xFE, 0xFF, text @ ..] => utf16(text, u16::from_be_bytes),
        text => utf8(text),
    };
    let text = text.map_err(|line| {
        StudyFileFault::Text(format!(
            "line {line} is not in UTF-8; save the file with the encoding UTF-8"
        ))
    })?;
    match text_fault(&text) {
        None => Ok(text),
        Some(fault) => Err(StudyFileFault::Text(format!(
            "line {} holds {fault}; take it out",
            line_of(&text.as_bytes()[..fault.at])
        ))),
    }
}

/// The text, or the line where it is not UTF-8.
fn utf8(bytes: &[u8]) -> Result<String, usize> {
    let text = std::str::from_utf8(bytes);
    text.map(str::to_owned)
        .map_err(|error| line_of(&bytes[..error.valid_up_to()]))
}

/// The text, or the line where it is not UTF-16.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, usize> {
    let mut text = String::with_capacity(bytes.len() / 2);
    let pairs = bytes.chunks_exact(2);
    let whole = pairs.remainder().is_empty();
    for c in char::decode_utf16(pairs.map(|pair| unit([pair[0], pair[1]]))) {
        text.push(c.map_err(|_| line_of(text.as_bytes()))?);
    }
    if whole {
        Ok(text)
    } else {
        Err(line_of(text.as_bytes()))
    }
}

/// The line that follows some bytes, from 1; it ends with `\n`, `\r\n` or `\r`.
fn line_of(before: &[u8]) -> usize {
    let ends = |(index, byte): &(usize, &u8)| {
        **byte == b'\n' || **byte == b'\r' && before.get(index + 1) != Some(&b'\n')
    };
    before.iter().enumerate().filter(ends).count() + 1
}

/// The path of a file right in a folder: a name with a folder in it names none.
fn plain_path(folder: &Path, name: &str) -> Result<PathBuf, StudyFileFault> {
    match Path::new(name).file_name() {
        Some(plain) if plain == name => Ok(folder.join(name)),
        _ => Err(StudyFileFault::Missing),
    }
}
