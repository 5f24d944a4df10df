//! What shell commands need from this machine.

use std::path::PathBuf;

use gemicro_event::redact::Redactor;
use gemicro_guard::policy::PolicyConfig;
use gemicro_guard::sandbox::{Launcher, Tier};

use crate::workshop::Toolchains;

/// Where and how shell commands run here.
#[derive(Debug, Clone)]
pub struct ShellSetup {
    /// Our own binary as the launcher.
    pub launcher: Launcher,
    /// The walls of this machine, as probed.
    pub tier: Tier,
    /// The user's additions to the command policy.
    pub policy: PolicyConfig,
    /// The user's home, which commands do not see.
    pub user_home: PathBuf,
    /// What else they must not see: the state folder.
    pub hidden: Vec<PathBuf>,
    /// A folder of ours for their homes and temporary files; each is removed after its command.
    pub scratch: PathBuf,
    /// Where programs are looked for.
    pub path: String,
    /// The user's toolchains, which can be read although the home is hidden.
    pub toolchains: Toolchains,
    /// Knows the secrets that must not be kept.
    pub redactor: Redactor,
}
