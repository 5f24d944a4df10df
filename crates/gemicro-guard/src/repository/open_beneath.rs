//! Opens files and creates folders where an agent could have put something: inside a given folder, and never through a
//! link.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};

/// Opens a regular file for reading. A link anywhere in the path, a pipe or a device is an error; none of them can
/// block this call.
pub(super) fn open_file(folder: &Path, name: &str) -> std::io::Result<File> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(CWD, folder, flags, Mode::empty())?;
    let file = rustix::fs::openat2(
        &folder,
        name,
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC,
        Mode::empty(),
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS,
    )?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode);
    if kind != FileType::RegularFile {
        return Err(std::io::Error::other(format!("{kind:?}")));
    }
    Ok(file.into())
}

/// Creates a folder and its missing parents. A link or a file in the path is an error.
pub(super) fn make_folders(top: &Path, path: &str) -> std::io::Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = rustix::fs::openat(CWD, top, flags, Mode::empty())?;
    for part in path.split('/') {
        match rustix::fs::mkdirat(&folder, part, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        folder = rustix::fs::openat2(&folder, part, flags, Mode::empty(), resolve)?;
    }
    Ok(())
}

/// Reads a file, at most `most_bytes` of it.
pub(super) fn read_small(folder: &Path, name: &str, most_bytes: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(folder, name)?
        .take(most_bytes)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
