//! `cargo xtask live`: a few real calls per backend, their shapes held against the simulator's.
//!
//! Needs a key or a server and costs a little; never part of the gate.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::bench::{BenchSimulator, release_binary};
use crate::process;

/// Starts the simulator and compares.
pub(crate) fn run(root: &Path) -> Result<()> {
    if std::env::var_os("CI").is_some() {
        bail!("`live` spends money and needs a key: it is never run in CI");
    }
    let simulator = BenchSimulator::start(&release_binary(root)?, "research")?;
    process::run(
        Command::new("python3")
            .arg(root.join("xtask/live/shapes.py"))
            .arg(&simulator.url)
            .current_dir(root),
    )
}
