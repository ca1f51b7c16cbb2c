//! Files and folders of people's data: nobody but their owner can read them, whatever the umask is.
//! A file of ours that is there already is narrowed when it is opened.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Result, Write as _};
use std::path::Path;

/// How a file is opened that is its owner's alone if it is made thereby.
#[must_use]
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Opens a file to be written from its beginning; what was in it is gone.
///
/// # Errors
/// When it cannot be made or written.
pub fn create(path: &Path) -> Result<File> {
    let file = options()
        .write(true)
        .create(true)
        .truncate(true)
        .open(path)?;
    narrow(path);
    Ok(file)
}

/// Opens a file to be written at its end.
///
/// # Errors
/// When it cannot be made or written.
pub fn append(path: &Path) -> Result<File> {
    let file = options().create(true).append(true).open(path)?;
    narrow(path);
    Ok(file)
}

/// Writes a whole file.
///
/// # Errors
/// When it cannot be made or written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    create(path)?.write_all(bytes)
}

/// Makes a folder and those that lead to it, as far as they are missing. Those that are there are
/// left as they are: others may have something in them.
///
/// # Errors
/// When one cannot be made.
pub fn create_folder(path: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Takes from a file or folder of ours what others may do with it. Where that is not allowed, since it
/// is somebody else's, it is said and left.
pub fn narrow(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let Ok(metadata) = path.metadata() else {
            return;
        };
        let mut permissions = metadata.permissions();
        if permissions.mode() & 0o077 == 0 {
            return;
        }
        permissions.set_mode(permissions.mode() & 0o700);
        if let Err(error) = std::fs::set_permissions(path, permissions) {
            tracing::warn!(path = %path.display(), %error,
                "others can read this file, and that cannot be changed by this user");
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_is_there_is_narrowed_and_keeps_what_its_owner_may_do() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/within/file");
        create_folder(file.parent().unwrap()).unwrap();
        assert_eq!(mode(&folder.path().join("new")), 0o700);
        for (wide, narrowed) in [(0o666, 0o600), (0o640, 0o600), (0o600, 0o600)] {
            write(&file, b"data").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(wide)).unwrap();
            append(&file).unwrap();
            assert_eq!(mode(&file), narrowed);
            assert_eq!(std::fs::read(&file).unwrap(), b"data");
        }
    }
}
