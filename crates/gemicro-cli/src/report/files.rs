//! Writes the files of `--report PATH`: PATH.md and PATH.html.

use std::path::{Path, PathBuf};

use gemicro_engine::{DurableStore, research_report};
use gemicro_event::StreamId;

use super::html::report_page;
use super::markdown::report_markdown;
use crate::command_error::CommandError;
use crate::output;

/// The two files of a report.
pub(crate) struct ReportFiles {
    markdown: PathBuf,
    html: PathBuf,
}

impl ReportFiles {
    /// The files of `--report`; fails if they could not be written later. An extension `.md` or `.html` is ignored.
    pub(crate) fn new(path: &Path) -> Result<Self, CommandError> {
        let extension = path.extension().and_then(|it| it.to_str());
        let stem = match extension {
            Some("md" | "html") => path.with_extension(""),
            _ => path.to_owned(),
        };
        if stem.file_name().is_none() {
            return Err(CommandError::usage(
                format!("{} is not a file name", path.display()),
                "give a path without an extension, such as --report report",
            ));
        }
        let with = |extension: &str| {
            let mut name = stem.clone().into_os_string();
            name.push(extension);
            PathBuf::from(name)
        };
        let files = Self {
            markdown: with(".md"),
            html: with(".html"),
        };
        for file in [&files.markdown, &files.html] {
            // A folder of others may have it lead to a file of the user, and much of a report is their text.
            if file.is_symlink() {
                return Err(CommandError::usage(
                    format!("{} is a symbolic link", file.display()),
                    "give another path, or remove the link",
                ));
            }
            output::check_target(file)?;
        }
        Ok(files)
    }

    /// Writes the report of a run that has ended.
    pub(crate) async fn write(&self, store: &DurableStore, run: &StreamId) -> Result<(), CommandError> {
        let report = research_report(store, run).await?;
        output::replace(&self.markdown, report_markdown(run, &report).as_bytes())?;
        output::replace(&self.html, report_page(run, &report).as_bytes())?;
        let (markdown, html) = (self.markdown.display(), self.html.display());
        output::say(&format!("Wrote {markdown} and {html}"));
        Ok(())
    }
}
