//! Finds what the programs on a search path depend on: the targets of links, and the installations that they belong to.

use std::collections::BTreeSet;
use std::env::split_paths;
use std::path::{Path, PathBuf};

/// Maximum number of links in a chain, as in the kernel.
const MAX_LINKS: usize = 40;
/// Maximum number of links followed for a whole search path.
const MOST_LINKS: usize = 5000;

/// System folders whose links stay within the system.
const SYSTEM: [&str; 5] = ["/usr/bin", "/usr/sbin", "/bin", "/sbin", "/lib"];
/// System folders that every command may read.
const OPEN: [&str; 8] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/etc", "/nix"];

/// Names of program folders in an installation.
const PROGRAMS: [&str; 4] = ["bin", "sbin", "libexec", "shims"];
/// Names next to a program folder that identify an installation.
const BESIDE: [&str; 6] = ["lib", "lib64", "libexec", "versions", "conda-meta", "pyvenv.cfg"];

/// Folders in the home that hold too much to be made readable as a whole.
const BROAD: [&str; 10] = [
    ".cache",
    ".cargo",
    ".config",
    ".local",
    ".local/lib",
    ".local/share",
    "Desktop",
    "Documents",
    "Downloads",
    "Library",
];
/// Folders in the home in which nothing is made readable.
const SECRET: [&str; 11] = [
    ".aws",
    ".azure",
    ".claude",
    ".codex",
    ".config/gcloud",
    ".docker",
    ".gemini",
    ".gnupg",
    ".kube",
    ".password-store",
    ".ssh",
];
/// Names that no installation contains. A folder with one of them is a project, or holds secrets.
const TELLTALE: [&str; 8] = [
    ".env",
    ".git",
    ".git-credentials",
    ".netrc",
    ".npmrc",
    "auth.json",
    "credentials",
    "credentials.toml",
];

/// The folders to make readable.
pub(super) struct Installations<'a> {
    home: &'a Path,
    folders: BTreeSet<PathBuf>,
    n_links: usize,
}

impl<'a> Installations<'a> {
    /// No folders yet, for a user with this home.
    pub(super) fn below(home: &'a Path) -> Self {
        Self {
            home,
            folders: BTreeSet::new(),
            n_links: 0,
        }
    }

    /// Adds every folder of a search path with the dependencies of its programs.
    pub(super) fn add_search_path(&mut self, search_path: &str) {
        for folder in split_paths(search_path).filter(|folder| folder.is_absolute()) {
            let Ok(real) = folder.canonicalize() else { continue };
            if SYSTEM.iter().any(|system| folder.starts_with(system)) || self.home.starts_with(&real) {
                continue;
            }
            self.add(&real);
            self.add_root(&real);
            for entry in std::fs::read_dir(&real).into_iter().flatten().flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_symlink()) && self.n_links < MOST_LINKS {
                    self.n_links += 1;
                    self.follow(entry.path());
                }
            }
        }
    }

    pub(super) fn into_folders(self) -> Vec<PathBuf> {
        self.folders.into_iter().collect()
    }

    /// Adds the folders on the way from a link to its final target.
    fn follow(&mut self, mut link: PathBuf) {
        for _ in 0..MAX_LINKS {
            let (Ok(target), Some(folder)) = (std::fs::read_link(&link), link.parent()) else {
                return;
            };
            link = folder.join(target);
            let Some(folder) = link.parent() else { return };
            // To resolve a link to a folder, the folder that contains the link must be readable.
            for part in folder.ancestors().filter(|part| part.is_symlink()) {
                if let Some(real) = part.parent().and_then(|around| around.canonicalize().ok()) {
                    self.add(&real);
                }
            }
            let Ok(real) = folder.canonicalize() else { return };
            if let Some(packages) = real
                .ancestors()
                .filter(|part| part.ends_with("node_modules"))
                .last()
            {
                self.add(packages);
            }
            self.add(&real);
            self.add_root(&real);
        }
    }

    /// Adds the installation that a program folder belongs to, if it is one.
    fn add_root(&mut self, programs: &Path) {
        let is_programs = programs
            .file_name()
            .is_some_and(|name| PROGRAMS.iter().any(|known| name == *known));
        let root = programs.parent().filter(|_| is_programs);
        let is_installed = |root: &&Path| BESIDE.iter().any(|name| root.join(name).exists());
        if let Some(root) = root.filter(is_installed)
            && !TELLTALE.iter().any(|name| root.join(name).exists())
        {
            self.add(root);
        }
    }

    /// Adds a folder, unless it must stay hidden.
    fn add(&mut self, folder: &Path) {
        let is_open = OPEN.iter().any(|system| folder.starts_with(system));
        let is_broad = BROAD.iter().any(|name| folder == self.home.join(name));
        let is_secret = SECRET.iter().any(|name| folder.starts_with(self.home.join(name)));
        if !is_open && !is_broad && !is_secret && !self.home.starts_with(folder) {
            self.folders.insert(folder.to_owned());
        }
    }
}
