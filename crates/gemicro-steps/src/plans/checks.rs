//! Checks shared by several requests: folders, branches, and names of models.

use std::path::Path;

use gemicro_core::llm::{GEMINI, LlmConfig};
use gemicro_core::models::{ModelTable, check_gemini_model, check_model_name};
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::{RepositoryError, Slug};

/// The full name of a branch for agents.
pub(crate) fn task_branch(named: &str) -> Result<String, Failure> {
    if !named.starts_with("task/") {
        let message = format!("an agent works on branches that begin with task/: use task/{named}");
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    let slug: Slug = named
        .parse()
        .map_err(|error: RepositoryError| Failure::new(ErrorKind::InvalidInput, error.to_string()))?;
    Ok(slug.branch())
}

/// The settings with the model's current name; adds a notice if the name was replaced.
///
/// # Errors
/// `invalid_input` for a name that looks like a key, or that belongs to another provider.
pub(crate) fn current(llm: &LlmConfig, notices: &mut Vec<String>) -> Result<LlmConfig, Failure> {
    check_model_name(&llm.model)?;
    if llm.backend != GEMINI {
        return Ok(llm.clone());
    }
    check_gemini_model(&llm.model)?;
    let resolved = ModelTable::embedded().resolve(&llm.model);
    notices.extend(resolved.notice);
    Ok(LlmConfig {
        model: resolved.id,
        ..llm.clone()
    })
}

/// A folder to work in, with every link resolved: the sandbox opens exactly this one.
///
/// # Errors
/// `not_found` or `invalid_input` if it is not a folder.
pub fn folder(path: &Path) -> Result<String, Failure> {
    let named = path.display();
    let full = std::fs::canonicalize(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Failure::new(ErrorKind::NotFound, format!("the folder {named} does not exist"))
        }
        _ => Failure::new(ErrorKind::InvalidInput, format!("{named}: {error}")),
    })?;
    if !full.is_dir() {
        let message = format!("{named} is not a folder");
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    full.into_os_string().into_string().map_err(|_| {
        let message = format!("the path {named} is not valid Unicode");
        Failure::new(ErrorKind::InvalidInput, message)
    })
}
