//! Finds system files that only root may read, to hide them from an agent that runs as root.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// System folders with settings, and the maximum depth searched in them. Programs are not secrets.
const FOLDERS: [(&str, usize); 3] = [("/etc", 8), ("/usr/local/etc", 8), ("/opt", 2)];
/// Permissions for everyone on a file and on a folder that are not secret.
const READ: u32 = 0o004;
const READ_AND_ENTER: u32 = 0o005;

/// Paths to hide if this process is root: password hashes, private keys of the host, and so on.
pub(super) fn hidden_from_agents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    // For other users the modes themselves prevent access.
    if rustix::process::geteuid().is_root() {
        for (folder, levels) in FOLDERS {
            collect(Path::new(folder), levels, &mut found);
        }
    }
    found
}

fn collect(folder: &Path, levels: usize, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(about) = entry.metadata() else { continue };
        let mode = about.permissions().mode();
        if about.is_dir() {
            match mode & READ_AND_ENTER == READ_AND_ENTER {
                true if levels > 1 => collect(&entry.path(), levels - 1, found),
                true => {}
                false => found.push(entry.path()),
            }
        } else if about.is_file() && mode & READ == 0 {
            found.push(entry.path());
        }
    }
}
