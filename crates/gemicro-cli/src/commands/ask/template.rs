//! The options of `--template`. Reads only files that the user names.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gemicro_core::ask::{FormLanguage, InjectedText, PromptForm, SandboxMode, TemplateKind, TemplateParts};
use gemicro_event::ErrorKind;

use crate::command_error::CommandError;

/// Maximum size of a file: no agent accepts more.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// The form of a prompt and its parts.
#[derive(Debug, Args)]
#[command(next_help_heading = "Template")]
pub(crate) struct TemplateArgs {
    /// Wrap the prompt in a template; consult and review default to --sandbox read-only
    #[arg(long, value_enum, value_name = "KIND")]
    pub(super) template: Option<TemplateName>,

    /// The language of the template [default: en]
    #[arg(long, value_enum, value_name = "CODE", requires = "template")]
    language: Option<LanguageName>,

    /// Background for the agent; @FILE reads it from a file
    #[arg(long, value_name = "TEXT", requires = "template")]
    background: Option<String>,

    /// The file with the contract of this change
    #[arg(long, value_name = "FILE", requires = "template")]
    contract: Option<PathBuf>,

    /// The file with the project's engineering principles
    #[arg(long, value_name = "FILE", requires = "template")]
    codex: Option<PathBuf>,

    /// The file with the project's context
    #[arg(long, value_name = "FILE", requires = "template")]
    context: Option<PathBuf>,

    /// Another question or task after PROMPT; repeatable
    #[arg(long = "task", value_name = "TEXT", requires = "template")]
    tasks: Vec<String>,

    /// What the answer should contain; repeatable
    #[arg(long = "expect", value_name = "TEXT", requires = "template")]
    expected: Vec<String>,
}

/// A form, as it is named on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TemplateName {
    /// Ask for advice
    Consult,
    /// Ask for a review of existing work
    Review,
    /// Ask for changes
    Execute,
}

/// A language, as it is named on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LanguageName {
    /// English
    En,
    /// Chinese
    Zh,
}

impl TemplateArgs {
    /// The agent's default sandbox mode.
    pub(super) fn default_sandbox(&self) -> Option<SandboxMode> {
        Some(self.chosen_form()?.default_sandbox())
    }

    /// The prompt in its template, or unchanged without one.
    pub(super) fn prompt(&self, words: String) -> Result<String, CommandError> {
        let Some(template) = self.chosen_form() else {
            return Ok(words);
        };
        let background = match &self.background {
            None => String::new(),
            Some(text) => match text.strip_prefix('@') {
                Some(file) => read("--background", Path::new(file))?,
                None => text.clone(),
            },
        };
        let mut tasks = vec![words];
        tasks.extend(self.tasks.iter().cloned());
        tasks.retain(|task| !task.trim().is_empty());
        if tasks.is_empty() {
            return Err(CommandError::usage(
                "there is no question or task",
                "pass it as PROMPT or with --task",
            ));
        }
        Ok(template.render(&TemplateParts {
            background,
            contract: injected_text("--contract", self.contract.as_deref())?,
            codex: injected_text("--codex", self.codex.as_deref())?,
            context: injected_text("--context", self.context.as_deref())?,
            tasks,
            expected: self.expected.clone(),
        }))
    }

    fn chosen_form(&self) -> Option<PromptForm> {
        let kind = match self.template? {
            TemplateName::Consult => TemplateKind::Consult,
            TemplateName::Review => TemplateKind::Review,
            TemplateName::Execute => TemplateKind::Execute,
        };
        let language = match self.language {
            Some(LanguageName::En) | None => FormLanguage::English,
            Some(LanguageName::Zh) => FormLanguage::Chinese,
        };
        Some(PromptForm { kind, language })
    }
}

fn injected_text(flag: &str, file: Option<&Path>) -> Result<Option<InjectedText>, CommandError> {
    let Some(file) = file else {
        return Ok(None);
    };
    Ok(Some(InjectedText {
        name: Some(file.display().to_string()),
        text: read(flag, file)?,
    }))
}

fn read(flag: &str, file: &Path) -> Result<String, CommandError> {
    let hint = format!("check the file given with {flag}");
    let named = file.display();
    let opened = std::fs::File::open(file).map_err(|error| {
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorKind::NotFound,
            _ => ErrorKind::InvalidInput,
        };
        CommandError::new_failure(kind, format!("{named} cannot be read: {error}"), hint.as_str())
    })?;
    let mut bytes = Vec::new();
    let read = opened.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    let text = match read {
        Ok(n_bytes) if n_bytes as u64 > MAX_FILE_BYTES => Err("it has more than 8 MiB".to_owned()),
        Ok(_) => String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    text.map_err(|why| CommandError::usage(format!("{named} cannot be used: {why}"), hint))
}
