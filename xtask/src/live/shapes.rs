//! Makes a few real calls per backend and compares their shapes with the simulator's.
//!
//! Needs an API key or a server, and costs a little money.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::bench::{BenchSimulator, release_binary};
use crate::process;

/// Starts the simulator and compares.
pub(crate) fn run(root: &Path) -> Result<()> {
    let simulator = BenchSimulator::start(&release_binary(root)?, "research")?;
    process::run(
        Command::new("python3")
            .arg(root.join("xtask/live/shapes.py"))
            .arg(&simulator.url)
            .current_dir(root),
    )
}
