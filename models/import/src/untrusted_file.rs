//! Reading files that somebody else wrote: only whole, ordinary files of a size that fits.

use std::path::Path;

use models::ordinary_file::{self, FileFault, Links};

/// Largest file that is read: what a protobuf message can be.
pub const MAX_BYTES: u64 = 2 << 30;

/// The bytes of a file. With `follow`, of what a symbolic link leads to; else a link is
/// refused.
///
/// # Errors
/// Says why it is not read.
pub fn read(path: &Path, follow: bool) -> Result<Vec<u8>, String> {
    let links = if follow {
        Links::Followed
    } else {
        Links::Refused
    };
    ordinary_file::read(path, links, MAX_BYTES).map_err(|fault| {
        let why = match fault {
            FileFault::TooLarge { .. } => ", and participants have to download a decoder",
            _ => "",
        };
        format!("{}: {fault}{why}", path.display())
    })
}
