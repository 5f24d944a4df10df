//! The user's toolchains, which commands may read although the home is hidden: programs and public code, no settings
//! and no credentials.

use std::path::{Path, PathBuf};

use gemicro_guard::sandbox::Profile;

/// Where toolchains of the user lie.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Toolchains {
    /// Folders that can be read.
    readable: Vec<PathBuf>,
    /// Variables that tell tools where they are.
    environment: Vec<(String, String)>,
    /// Folders that tools look for below the home, and where they really are.
    linked: Vec<(&'static str, PathBuf)>,
}

impl Toolchains {
    /// Those of a user: what is on the search path, rustup's toolchains, and the crates that cargo has
    /// unpacked.
    #[must_use]
    pub fn of(user_home: &Path, search_path: &str, variable: impl Fn(&str) -> Option<String>) -> Self {
        let mut found = Self::default();
        let user_home = &std::fs::canonicalize(user_home).unwrap_or_else(|_| user_home.to_owned());
        let home_of = |name: &str, usual: &str| {
            let named = variable(name).map(PathBuf::from);
            let folder = named.unwrap_or_else(|| user_home.join(usual));
            std::fs::canonicalize(folder)
                .ok()
                .filter(|folder| folder.is_dir() && !user_home.starts_with(folder))
        };
        for folder in std::env::split_paths(search_path) {
            // A folder that holds the home, or the home itself, would open all of it; the system's own are open.
            let is_system = ["/usr", "/bin", "/sbin"]
                .iter()
                .any(|system| folder.starts_with(system));
            let real = std::fs::canonicalize(&folder).ok();
            let real = real.filter(|real| !user_home.starts_with(real));
            found
                .readable
                .extend(real.filter(|_| folder.is_absolute() && !is_system));
        }
        if let Some(rustup) = home_of("RUSTUP_HOME", ".rustup") {
            found
                .environment
                .push(("RUSTUP_HOME".to_owned(), rustup.display().to_string()));
            found.readable.push(rustup);
        }
        if let Some(cargo) = home_of("CARGO_HOME", ".cargo") {
            for name in ["registry", "git"] {
                let folder = cargo.join(name);
                if folder.is_dir() {
                    found.readable.push(folder.clone());
                    found.linked.push((name, folder));
                }
            }
            found
                .environment
                .push(("CARGO_NET_OFFLINE".to_owned(), "true".to_owned()));
        }
        found.readable.sort();
        found.readable.dedup();
        found
    }

    /// Opens them in a sandbox. What tools look for in the home is linked there.
    #[must_use]
    pub fn opened(&self, mut profile: Profile) -> Profile {
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

    /// Links what tools look for into the homes of a sandbox.
    pub fn link(&self, profile: &Profile) {
        for home in [profile.home.clone(), profile.shell_skeleton()] {
            let cargo = home.join(".cargo");
            if self.linked.is_empty() || !is_own(&home) || !is_own(&cargo) {
                continue;
            }
            for (name, folder) in &self.linked {
                // One that is there stays: it is this, or what a command put there for itself.
                let _ = std::os::unix::fs::symlink(folder, cargo.join(name));
            }
        }
    }
}

/// Makes a folder. One that commands had before may be a link to anywhere.
fn is_own(folder: &Path) -> bool {
    let made = std::fs::create_dir_all(folder);
    made.is_ok() && folder.symlink_metadata().is_ok_and(|found| found.is_dir())
}
