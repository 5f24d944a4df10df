//! What `gemicro merge` takes.

use std::path::PathBuf;

use clap::Args;

use crate::args::DataFormat;

/// Arguments of `gemicro merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Pipelines, batches (their pipelines, in task order) or branches [default: every finished pipeline of this repository that is not merged yet]
    #[arg(value_name = "RUN|BATCH|BRANCH")]
    pub(crate) names: Vec<String>,
    /// The local branch to merge into [default: the main branch]
    #[arg(long, value_name = "BRANCH")]
    pub(crate) into: Option<String>,
    /// The repository, or a folder in it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// The workflow file with the checks [default: the project's file]
    #[arg(long, value_name = "FILE")]
    pub(crate) workflow: Option<PathBuf>,
    /// Push the target branch at the end, to origin or the only remote
    #[arg(long)]
    pub(crate) push: bool,
    /// Output format; jsonl prints every event
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
    /// Print what would be merged, then stop
    #[arg(long)]
    pub(crate) dry_run: bool,
}
