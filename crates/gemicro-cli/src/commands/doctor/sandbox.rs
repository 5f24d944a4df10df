//! Checks how well agents can be sandboxed here, by starting a test process.

use std::fs;
use std::path::{Path, PathBuf};

use gemicro_engine::hold_new;
use gemicro_event::StreamId;
use gemicro_guard::sandbox::{Launcher, SandboxProbe, Tier, probe};

use super::finding::{DoctorFinding, attention, good};

/// The only bubblewrap that is started.
const BUBBLEWRAP: &str = "/usr/bin/bwrap";

/// A temporary folder, removed when the doctor ends.
pub(super) struct Scratch {
    pub(super) path: PathBuf,
    /// The lock that shows that it is in use.
    _held: fs::File,
}

impl Scratch {
    /// A new one in this folder, which is created if it is missing.
    pub(super) fn new(folder: &Path) -> std::io::Result<Self> {
        let path = folder.join(format!("gemicro-doctor-{}", StreamId::random()));
        let held = hold_new(&path)?;
        // Sandboxes need the canonical path.
        let path = fs::canonicalize(path)?;
        Ok(Self { path, _held: held })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::debug!(%error, folder = %self.path.display(), "a folder of the doctor stays");
        }
    }
}

/// Tries the sandbox tiers; returns the best one, and a finding about it.
pub(super) fn look(launcher: &Launcher, scratch: &Scratch) -> (Tier, DoctorFinding) {
    match probe(launcher, &scratch.path.join("probe")) {
        Ok(probe) => (probe.tier, finding(&probe, Path::new(BUBBLEWRAP).exists())),
        Err(error) => {
            let message = format!("it could not be tested: {error}");
            (
                Tier::None,
                attention("sandbox", message, "make the state folder writable"),
            )
        }
    }
}

fn finding(probe: &SandboxProbe, has_bubblewrap: bool) -> DoctorFinding {
    let abi = match probe.landlock_abi {
        0 => "no Landlock".to_owned(),
        abi => format!("Landlock ABI {abi}"),
    };
    let fix = if !cfg!(target_os = "linux") {
        "run agents on Linux"
    } else if has_bubblewrap {
        "bubblewrap is installed but may not create namespaces: allow unprivileged user namespaces \
         (sysctl kernel.apparmor_restrict_unprivileged_userns=0, or kernel.unprivileged_userns_clone=1) \
         or the container's security options"
    } else {
        "install bubblewrap as /usr/bin/bwrap: sudo apt install bubblewrap"
    };
    match probe.tier {
        Tier::Full => good("sandbox", format!("tier full: bubblewrap, seccomp, {abi}")),
        Tier::Landlock => attention(
            "sandbox",
            format!(
                "Landlock only, without bubblewrap: seccomp, {abi}; agents cannot work in folders with a .git"
            ),
            fix,
        ),
        Tier::Seatbelt => attention("sandbox", "Seatbelt (experimental)".to_owned(), fix),
        Tier::None => attention(
            "sandbox",
            format!("none ({abi}); agents run only with --sandbox danger-full-access"),
            fix,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::finding::FindingLevel;

    #[test]
    fn every_tier_is_said_and_only_the_best_needs_nothing() {
        let found = |tier, landlock_abi, has_bubblewrap| {
            let probe = SandboxProbe {
                tier,
                landlock_abi,
                bubblewrap: tier == Tier::Full,
                landlock: tier != Tier::None,
            };
            finding(&probe, has_bubblewrap)
        };
        let full = found(Tier::Full, 6, true);
        assert_eq!((full.standing, full.fix), (FindingLevel::Good, None));
        assert_eq!(full.found, "tier full: bubblewrap, seccomp, Landlock ABI 6");
        for (tier, has_bubblewrap, start, fix) in [
            (Tier::Landlock, false, "Landlock only, ", "install bubblewrap"),
            (Tier::Landlock, true, "Landlock only, ", "user namespaces"),
            (Tier::None, false, "none (", "install bubblewrap"),
            (Tier::None, true, "none (", "user namespaces"),
        ] {
            let found = found(tier, 0, has_bubblewrap);
            assert_eq!(found.standing, FindingLevel::Attention);
            assert!(found.found.starts_with(start), "{}", found.found);
            assert!(found.found.contains("no Landlock"), "{}", found.found);
            assert!(found.fix.is_some_and(|text| text.contains(fix)), "{tier}");
        }
    }
}
