//! Files of the system that only root reads. An agent that runs as root sees of them what every other user sees: nothing.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Folders of the system with settings, and how deep they are looked through. Programs are no secrets.
const FOLDERS: [(&str, usize); 3] = [("/etc", 8), ("/usr/local/etc", 8), ("/opt", 2)];
/// What everybody may do with a file, and with a folder, that is no secret.
const READ: u32 = 0o004;
const READ_AND_ENTER: u32 = 0o005;

/// What must not be seen where this process is root: password hashes, private keys of the host, and their like.
pub(super) fn hidden_from_agents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    // Everybody else is refused by the modes themselves.
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
