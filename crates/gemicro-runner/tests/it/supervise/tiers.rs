//! The sandbox tiers of this machine.

use std::path::Path;
use std::sync::OnceLock;

use gemicro_guard::sandbox::{Launcher, Tier, probe};
use gemicro_runner::CliSandboxMode;

pub(crate) fn launcher() -> Launcher {
    Launcher {
        program: env!("CARGO_BIN_EXE_runner-helper").into(),
        arguments: vec!["launch".into()],
    }
}

/// The tiers of this machine.
#[expect(clippy::print_stderr, reason = "a skipped tier must not pass unnoticed")]
pub(crate) fn tiers() -> &'static [Tier] {
    static TIERS: OnceLock<Vec<Tier>> = OnceLock::new();
    TIERS.get_or_init(|| {
        let scratch = tempfile::tempdir().unwrap();
        let found = probe(&launcher(), scratch.path()).unwrap();
        let has = [(Tier::Full, found.bubblewrap), (Tier::Landlock, found.landlock)];
        for (tier, _) in has.iter().filter(|(_, has)| !has) {
            let has_program = Path::new("/usr/bin/bwrap").exists();
            assert!(has_program, "bubblewrap is missing: run `cargo xtask setup`");
            let in_ci = std::env::var("CI").is_ok_and(|value| value == "true");
            assert!(!in_ci, "tier {tier} is missing: {found:?}");
            eprintln!("SKIPPED: no tier {tier} on this machine: {found:?}");
        }
        has.iter()
            .filter(|(_, has)| *has)
            .map(|(tier, _)| *tier)
            .collect()
    })
}

/// The tiers of this machine, and none.
pub(crate) fn all_tiers() -> Vec<(Tier, CliSandboxMode)> {
    let walls = tiers().iter().map(|tier| (*tier, CliSandboxMode::WorkspaceWrite));
    walls
        .chain([(Tier::None, CliSandboxMode::DangerFullAccess)])
        .collect()
}
