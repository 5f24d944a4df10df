//! Finds the workflow of a project, reads it with its prompts, and checks it.
//!
//! [`load`] does all of it. Files have size limits, and links must not lead out of the folder they belong to.
//! `gemicro_pipeline::workflow` reports the errors in a workflow.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use gemicro_pipeline::workflow::{BuiltInWorkflow, Workflow, WorkflowError, default_files, parse};

use crate::command_error::CommandError;

/// The folder of a project's workflow.
pub(crate) const FOLDER: &str = ".gemicro";
/// The file in it.
const FILE: &str = "workflow.yaml";
/// The folder of prompts, beside the file.
const PROMPTS: &str = "prompts";

/// Maximum size of the workflow file and of a prompt, in bytes.
const MOST_WORKFLOW: u64 = 256 * 1024;
const MOST_PROMPT: u64 = 64 * 1024;

/// A workflow file, not yet read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkflowSource {
    origin: WorkflowOrigin,
    /// Its name on the screen.
    pub(crate) shown: String,
}

/// Where a workflow is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum WorkflowOrigin {
    File(PathBuf),
    BuiltIn(BuiltInWorkflow),
}

/// Why no workflow could be loaded.
#[derive(Debug)]
pub(crate) enum NotLoaded {
    /// A file cannot be read.
    Unreadable { path: PathBuf, why: String },
    /// It was read, and is invalid.
    Wrong {
        /// Its name on the screen.
        shown: String,
        error: WorkflowError,
    },
}

/// The path of a workflow that is named on the command line; the name of a built-in one stays as it is.
pub(crate) fn from_here(named: &Path) -> std::io::Result<PathBuf> {
    match built_in(named).filter(|_| !named.exists()) {
        Some(_) => Ok(named.to_owned()),
        None => std::path::absolute(named),
    }
}

fn built_in(named: &Path) -> Option<BuiltInWorkflow> {
    named.to_str().and_then(BuiltInWorkflow::from_name)
}

/// The named workflow, otherwise that of the project around a folder, otherwise the built-in one.
pub(crate) fn load(explicit: Option<&Path>, directory: &Path) -> Result<Workflow, NotLoaded> {
    read(&find(explicit, directory)?)
}

/// Finds the file, without reading it.
pub(crate) fn find(explicit: Option<&Path>, directory: &Path) -> Result<WorkflowSource, NotLoaded> {
    if let Some(named) = explicit {
        let path = directory.join(named);
        // A file of that name comes first.
        return Ok(match built_in(named).filter(|_| !path.exists()) {
            Some(built_in) => WorkflowSource {
                origin: WorkflowOrigin::BuiltIn(built_in),
                shown: format!("the built-in workflow {}", named.display()),
            },
            None => WorkflowSource {
                origin: WorkflowOrigin::File(path),
                shown: named.display().to_string(),
            },
        });
    }
    let is_top = |folder: &&Path| folder.join(".git").exists();
    let top = directory.ancestors().find(is_top).unwrap_or(directory);
    let inside = directory.ancestors().take_while(|folder| folder.starts_with(top));
    for folder in inside {
        let path = folder.join(FOLDER).join(FILE);
        if fs::symlink_metadata(&path).is_err() {
            continue;
        }
        stays_in(&path, top)?;
        let shown = path
            .strip_prefix(directory)
            .unwrap_or(&path)
            .display()
            .to_string();
        return Ok(WorkflowSource {
            origin: WorkflowOrigin::File(path),
            shown,
        });
    }
    Ok(WorkflowSource {
        origin: WorkflowOrigin::BuiltIn(BuiltInWorkflow::Default),
        shown: "the built-in workflow".to_owned(),
    })
}

/// Reads and checks the workflow. Prompts that are not beside the file are the built-in ones.
pub(crate) fn read(found: &WorkflowSource) -> Result<Workflow, NotLoaded> {
    let path = match &found.origin {
        WorkflowOrigin::BuiltIn(built_in) => return Ok(built_in.workflow()),
        WorkflowOrigin::File(path) => path,
    };
    let text = read_bounded(path, MOST_WORKFLOW)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let unreadable = RefCell::new(None);
    let prompt = |name: &str| {
        let read = prompt(folder, name);
        read.unwrap_or_else(|error| {
            unreadable.borrow_mut().get_or_insert(error);
            None
        })
    };
    let parsed = parse(&text, &prompt);
    if let Some(error) = unreadable.into_inner() {
        return Err(error);
    }
    parsed.map_err(|error| NotLoaded::Wrong {
        shown: found.shown.clone(),
        error,
    })
}

impl From<NotLoaded> for CommandError {
    fn from(not_loaded: NotLoaded) -> Self {
        match not_loaded {
            NotLoaded::Unreadable { path, why } => Self::usage(
                format!("{} cannot be read: {why}", path.display()),
                "choose another file, or create one with `gemicro init`",
            ),
            NotLoaded::Wrong { shown, error } => {
                let problems = error.problems();
                let lines: Vec<String> = problems
                    .iter()
                    .map(|problem| format!("\n  {shown}:{problem}"))
                    .collect();
                let count = match problems.len() {
                    1 => "1 problem".to_owned(),
                    count => format!("{count} problems"),
                };
                Self::usage(
                    format!("{shown} is not a valid workflow, {count}:{}", lines.concat()),
                    "fix the file (see docs/workflows.md), then run `gemicro workflow check`",
                )
            }
        }
    }
}

/// The text of a prompt beside the workflow, otherwise of the built-in one.
fn prompt(folder: &Path, name: &str) -> Result<Option<String>, NotLoaded> {
    let path = folder.join(PROMPTS).join(name);
    if fs::symlink_metadata(&path).is_ok() {
        stays_in(&path, folder)?;
        return read_bounded(&path, MOST_PROMPT).map(Some);
    }
    let built_in = format!("{PROMPTS}/{name}");
    let found = default_files().iter().find(|(path, _)| *path == built_in);
    Ok(found.map(|(_, text)| (*text).to_owned()))
}

/// Refuses a path that leads out of a folder through a link.
fn stays_in(path: &Path, folder: &Path) -> Result<(), NotLoaded> {
    let unreadable = |why: String| NotLoaded::Unreadable {
        path: path.to_owned(),
        why,
    };
    let real = |path: &Path| path.canonicalize().map_err(|error| unreadable(error.to_string()));
    if real(path)?.starts_with(real(folder)?) {
        return Ok(());
    }
    Err(unreadable(format!("a link points outside {}", folder.display())))
}

/// The text of a file of at most `most` bytes.
fn read_bounded(path: &Path, most: u64) -> Result<String, NotLoaded> {
    let unreadable = |why: String| NotLoaded::Unreadable {
        path: path.to_owned(),
        why,
    };
    // Opening a pipe would block.
    let about = fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if !about.is_file() {
        return Err(unreadable("it is not a file".to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(error.to_string()))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > most) {
        return Err(unreadable(format!("it has more than {} KiB", most >> 10)));
    }
    String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text".to_owned()))
}
