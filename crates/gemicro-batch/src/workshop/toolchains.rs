//! The user's toolchains, which commands may read although the home is hidden. They contain programs and public code,
//! no settings and no credentials.

mod installations;
mod version_managers;

use std::path::{Path, PathBuf};

use gemicro_guard::sandbox::Profile;

use installations::Installations;
use version_managers::{MANAGERS, MISE, SETTINGS, TOOLS};

/// Whether this environment variable locates a toolchain.
#[must_use]
pub fn is_toolchain_variable(name: &str) -> bool {
    version_managers::is_variable(name)
}

/// The user's toolchains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Toolchains {
    /// Readable folders and files.
    readable: Vec<PathBuf>,
    /// Environment variables that locate the tools.
    environment: Vec<(String, String)>,
    /// Paths that tools look for in the home, and their real locations.
    linked: Vec<(PathBuf, PathBuf)>,
}

impl Toolchains {
    /// Finds a user's toolchains: everything on the search path and its dependencies, version managers with all they
    /// installed, and the crates that cargo has unpacked.
    #[must_use]
    pub fn of(user_home: &Path, search_path: &str, variable: impl Fn(&str) -> Option<String>) -> Self {
        let mut found = Self::default();
        let user_home = &std::fs::canonicalize(user_home).unwrap_or_else(|_| user_home.to_owned());
        let folder_of = |name: &str, usual: &str| {
            let named = variable(name).map(PathBuf::from);
            let folder = named.unwrap_or_else(|| user_home.join(usual));
            std::fs::canonicalize(folder)
                .ok()
                .filter(|folder| folder.is_dir() && !user_home.starts_with(folder))
        };
        let mut installations = Installations::below(user_home);
        installations.add_search_path(search_path);
        found.readable = installations.into_folders();
        for (name, usual) in MANAGERS {
            let Some(root) = folder_of(name, usual) else {
                continue;
            };
            found.tell(name, &root);
            found.readable.push(root);
            if *name == MISE {
                // mise asks before it trusts a project's settings, but cannot here. Its commands run anyway.
                found.tell("MISE_TRUSTED_CONFIG_PATHS", Path::new("/"));
            }
        }
        for (name, file) in SETTINGS {
            let real = std::fs::canonicalize(user_home.join(file)).ok();
            let is_shown = |real: &PathBuf| variable(name).is_none() && version_managers::is_public(real);
            if let Some(real) = real.filter(is_shown) {
                found.readable.push(real.clone());
                found.linked.push((PathBuf::from(file), real));
            }
        }
        for name in TOOLS {
            // Only if the variable is set.
            if let Some(folder) = variable(name).and_then(|_| folder_of(name, "")) {
                found.tell(name, &folder);
                found.readable.push(folder);
            }
        }
        if let Some(cargo) = folder_of("CARGO_HOME", ".cargo") {
            for name in ["registry", "git"] {
                let folder = cargo.join(name);
                if folder.is_dir() {
                    found.readable.push(folder.clone());
                    found.linked.push((Path::new(".cargo").join(name), folder));
                }
            }
            found
                .environment
                .push(("CARGO_NET_OFFLINE".to_owned(), "true".to_owned()));
        }
        found.without_nested()
    }

    /// Adds folders that the user configured.
    #[must_use]
    pub fn with(mut self, folders: &[PathBuf]) -> Self {
        // Missing folders are ignored: the setting applies to all projects.
        let real = folders
            .iter()
            .filter_map(|folder| std::fs::canonicalize(folder).ok());
        self.readable.extend(real);
        self.without_nested()
    }

    /// Makes them readable in a sandbox, and links them into its home.
    #[must_use]
    pub fn open_in(&self, mut profile: Profile) -> Profile {
        profile.readable.extend(self.readable.iter().cloned());
        let has = |name: &str| profile.environment.iter().any(|(known, _)| known == name);
        let new: Vec<_> = self
            .environment
            .iter()
            .filter(|(name, _)| !has(name))
            .cloned()
            .collect();
        profile.environment.extend(new);
        self.link(&profile);
        profile
    }

    /// Links the paths that tools look for into the homes of a sandbox.
    pub fn link(&self, profile: &Profile) {
        for home in [profile.home.clone(), profile.shell_skeleton()] {
            for (name, real) in &self.linked {
                let mut folders: Vec<&Path> = name.ancestors().skip(1).collect();
                folders.reverse();
                if folders.into_iter().all(|folder| is_own(&home.join(folder))) {
                    // An existing entry is kept: it is this link, or one that a command made for itself.
                    let _ = std::os::unix::fs::symlink(real, home.join(name));
                }
            }
        }
    }

    fn tell(&mut self, name: &str, folder: &Path) {
        self.environment
            .push((name.to_owned(), folder.display().to_string()));
    }

    /// Removes duplicates and folders inside other ones.
    fn without_nested(mut self) -> Self {
        self.readable.sort();
        self.readable.dedup();
        let all = self.readable.clone();
        let is_inside = |path: &PathBuf| all.iter().any(|other| other != path && path.starts_with(other));
        self.readable.retain(|path| !is_inside(path));
        self
    }
}

/// Creates a folder and checks that it is real: commands may have replaced it with a link.
fn is_own(folder: &Path) -> bool {
    let made = std::fs::create_dir_all(folder);
    made.is_ok() && folder.symlink_metadata().is_ok_and(|found| found.is_dir())
}
