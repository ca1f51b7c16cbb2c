//! Reading files that somebody else wrote: only whole, regular files of a size that fits.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Largest file that is read: what a protobuf message can be.
pub const MAX_BYTES: u64 = 2 << 30;

/// The bytes of a file. With `follow`, of what a symbolic link leads to; else a link is
/// refused.
///
/// # Errors
/// Says what is there instead of a regular file, that it is too large, or what the system
/// said.
pub fn read(path: &Path, follow: bool) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let what = |problem: &str| Err(format!("{} is {problem}", path.display()));
    let kind = if follow {
        std::fs::metadata(path)
    } else {
        std::fs::symlink_metadata(path)
    }
    .map_err(failed)?;
    if kind.is_symlink() {
        return what("a symbolic link; put the file itself there");
    }
    // Opening a pipe waits for somebody to write to it.
    if !kind.is_file() {
        return what("no regular file");
    }
    if kind.len() > MAX_BYTES {
        return what(&format!(
            "{} bytes long; at most {MAX_BYTES} are read, and participants have to download a decoder",
            kind.len()
        ));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    Ok(bytes)
}
