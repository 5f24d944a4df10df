//! The library that is loaded into gemicro to disturb its writes and its clock: built with the system's C compiler,
//! which SQLite needs anyway.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::world::FaultWorld;
use crate::process;

/// What the library does to a process.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Interposition {
    Kill(u64),
    Torn(u64),
    Commit(u64),
    Full(u64),
    Clock { at: u64, shift_seconds: i64 },
    Count,
}

/// Builds the library into a folder and returns its path.
pub(crate) fn build(root: &Path, folder: &Path) -> Result<PathBuf> {
    let library = folder.join("interpose.so");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(root.join("xtask/src/faults/interpose.c"))
        .arg("-ldl");
    process::run(&mut compiler).context("the library that disturbs writes cannot be built")?;
    Ok(library)
}

impl Interposition {
    /// Loads the library into a command.
    pub(crate) fn apply(self, world: &FaultWorld, command: &mut Command) {
        let (action, at) = match self {
            Self::Kill(at) => ("kill", at),
            Self::Torn(at) => ("torn", at),
            Self::Commit(at) => ("commit", at),
            Self::Full(at) => ("full", at),
            Self::Clock { at, shift_seconds } => {
                command.env("FAULTS_SHIFT", shift_seconds.to_string());
                ("clock", at)
            }
            Self::Count => ("count", 0),
        };
        command
            .env("LD_PRELOAD", world.library())
            .env("FAULTS_FOLDER", world.store_folder())
            .env("FAULTS_COUNT", world.path("counts"))
            .env("FAULTS_DO", action)
            .env("FAULTS_AT", at.to_string());
    }

    /// The numbers of writes and commits of a process that was counted.
    pub(crate) fn counts(world: &FaultWorld) -> Result<(u64, u64)> {
        let text = std::fs::read_to_string(world.path("counts")).context("the writes were not counted")?;
        let mut numbers = text.split_whitespace().map_while(|word| word.parse().ok());
        match (numbers.next(), numbers.next()) {
            (Some(n_writes), Some(n_syncs)) => Ok((n_writes, n_syncs)),
            _ => anyhow::bail!("the counts are not numbers: {text}"),
        }
    }
}
