//! The setup of shell commands on this machine.

use std::path::PathBuf;

use gemicro_event::redact::Redactor;
use gemicro_guard::policy::PolicyConfig;
use gemicro_guard::sandbox::{Launcher, Tier};

use crate::workshop::Toolchains;

/// Everything needed to run shell commands on this machine.
#[derive(Debug, Clone)]
pub struct ShellSetup {
    /// The gemicro binary, used as the launcher.
    pub launcher: Launcher,
    /// The sandbox level of this machine, as probed.
    pub tier: Tier,
    /// The user's additions to the command policy.
    pub policy: PolicyConfig,
    /// The user's home, which is hidden from commands.
    pub user_home: PathBuf,
    /// Other hidden paths: the state folder.
    pub hidden: Vec<PathBuf>,
    /// Parent of the commands' homes and temporary folders; each is removed after its command.
    pub scratch: PathBuf,
    /// The `PATH` of commands.
    pub path: String,
    /// The user's toolchains, readable although the home is hidden.
    pub toolchains: Toolchains,
    /// Removes secrets from output.
    pub redactor: Redactor,
}
