//! Opens a report safely: it must be a plain file inside the project.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::OFlags;

use crate::coverage::bounds::MAX_REPORT_BYTES;
use crate::coverage::error::CoverageError;

#[derive(Debug)]
pub(in crate::coverage) struct OpenedReport {
    pub(in crate::coverage) file: File,
    /// Path relative to the project's folder.
    pub(in crate::coverage) path: String,
    /// Its folder, relative to the project's folder.
    pub(in crate::coverage) folder: String,
    pub(in crate::coverage) written_at: SystemTime,
}

/// Opens a report inside the project; `root` must be canonical. A link may lead to another place inside the project.
/// Pipes and devices do not block.
///
/// # Errors
/// When it does not exist, is outside the project, is not a plain file or is too large.
pub(in crate::coverage) fn open(root: &Path, name: &str) -> Result<OpenedReport, CoverageError> {
    let outside = || CoverageError::Outside {
        path: name.to_owned(),
        root: root.display().to_string(),
    };
    let unreadable = |source: Error| match source.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => CoverageError::NotFound {
            path: name.to_owned(),
        },
        _ => CoverageError::Unreadable {
            path: name.to_owned(),
            source,
        },
    };
    if name.contains('\0') {
        return Err(unreadable(ErrorKind::NotFound.into()));
    }
    let named = root.join(name);
    // For paths outside the project, the error must not reveal whether they exist.
    if climbs_out(root, &named) {
        return Err(outside());
    }
    let real = std::fs::canonicalize(&named).map_err(unreadable)?;
    if !real.starts_with(root) {
        return Err(outside());
    }
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(&real)
        .map_err(unreadable)?;
    // A folder in the path may have become a link meanwhile, so ask the kernel where the open file is.
    let itself = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    if std::fs::read_link(itself).is_ok_and(|opened| !opened.starts_with(root)) {
        return Err(outside());
    }
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(unreadable(Error::other("it is not a plain file")));
    }
    if metadata.len() > MAX_REPORT_BYTES {
        return Err(CoverageError::too_many_bytes(name));
    }
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let relative = real.strip_prefix(root).unwrap_or(&real);
    Ok(OpenedReport {
        path: text(relative),
        folder: relative.parent().map(text).unwrap_or_default(),
        written_at: metadata.modified().map_err(unreadable)?,
        file,
    })
}

/// Whether a path leaves the folder lexically, through `..`.
fn climbs_out(root: &Path, named: &Path) -> bool {
    use std::path::Component;

    let mut depth = 0_usize;
    let Ok(below) = named.strip_prefix(root) else {
        return true;
    };
    for part in below.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir if depth == 0 => return true,
            Component::ParentDir => depth -= 1,
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    false
}
