//! `gemicro init`: writes the built-in workflow and its prompts into a project, to be edited there.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use gemicro_core::ask::AgentName;
use gemicro_event::ErrorKind;
use gemicro_pipeline::workflow::BuiltInWorkflow;

use crate::command_error::CommandError;
use crate::commands::doctor::ready_agents;
use crate::config::Endpoints;
use crate::output;
use crate::session::Context;
use crate::workflow_file::FOLDER;

/// The project's settings file.
const SETTINGS: &str = "gemicro.toml";

/// Arguments of `gemicro init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The project [default: this folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Write the light workflow, for small changes: plan, code, checks, one review
    #[arg(long)]
    light: bool,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

/// What happens to one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileFate {
    Written,
    Replaced,
    Kept,
}

/// Writes the missing files, or all of them.
pub(crate) fn run(ctx: &Context, args: &InitArgs) -> Result<(), CommandError> {
    let given = args.dir.as_deref().unwrap_or(Path::new(""));
    let project = ctx.environment.folder.join(given);
    if !project.is_dir() {
        return Err(CommandError::new_failure(
            ErrorKind::NotFound,
            format!("there is no folder {}", project.display()),
            "choose the project's folder with --dir",
        ));
    }
    let folder = project.join(FOLDER);
    let agent = agent_to_write(ctx, &project)?;
    let prompts = folder.join("prompts");
    // Everything is checked before anything is written.
    refuse_links(&[&folder, &prompts])?;
    let mut files = Vec::new();
    let built_in = match args.light {
        true => BuiltInWorkflow::Light,
        false => BuiltInWorkflow::Default,
    };
    for (name, text) in built_in.files() {
        let path = folder.join(name);
        refuse_links(&[&path])?;
        let fate = match (path.exists(), args.force) {
            (false, _) => FileFate::Written,
            (true, true) => FileFate::Replaced,
            (true, false) => FileFate::Kept,
        };
        files.push((given.join(FOLDER).join(name), path, text, fate));
    }
    fs::create_dir_all(&prompts).map_err(|error| {
        CommandError::new_failure(
            ErrorKind::StorageError,
            format!("{} could not be created: {error}", prompts.display()),
            "check free space and permissions",
        )
    })?;
    for (shown, path, text, fate) in &files {
        let word = match fate {
            FileFate::Written => "Wrote",
            FileFate::Replaced => "Replaced",
            FileFate::Kept => "Kept",
        };
        if *fate != FileFate::Kept {
            output::replace(path, text.as_bytes())?;
        }
        output::say(&format!("{word} {}", shown.display()));
    }
    if let Some(agent) = agent {
        let text = format!("# The agent of `gemicro ask`, `run` and `chat`.\nagent = \"{agent}\"\n");
        output::replace(&project.join(SETTINGS), text.as_bytes())?;
        let shown = given.join(SETTINGS);
        output::say(&format!(
            "Wrote {}: {agent} is the only agent that is ready",
            shown.display()
        ));
    }
    if files.iter().any(|(.., fate)| *fate == FileFate::Kept) {
        output::say("Existing files were kept; `gemicro init --force` replaces them.");
    }
    output::say("Next: put your tests under `checks` in workflow.yaml, then run `gemicro workflow check`.");
    Ok(())
}

/// The agent for a new settings file: the only one that is ready. A project that has such a file keeps it.
fn agent_to_write(ctx: &Context, project: &Path) -> Result<Option<AgentName>, CommandError> {
    let file = project.join(SETTINGS);
    if fs::symlink_metadata(&file).is_ok() {
        return Ok(None);
    }
    let endpoints = Endpoints::resolve(&ctx.layers()?)?;
    Ok(match ready_agents(&ctx.environment, &endpoints)?.as_slice() {
        [only] => Some(*only),
        _ => None,
    })
}

/// Refuses to write through a link, which could lead anywhere.
fn refuse_links(paths: &[&Path]) -> Result<(), CommandError> {
    for path in paths {
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            return Err(CommandError::usage(
                format!(
                    "{} is a link; gemicro does not write through links",
                    path.display()
                ),
                "remove the link, or choose another project with --dir",
            ));
        }
    }
    Ok(())
}
