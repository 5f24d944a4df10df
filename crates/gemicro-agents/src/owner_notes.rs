//! The notes of the project's owner for agents.
//!
//! They are read from the commit at which the owner's checkout is, never from the branch of a task: once when the task
//! begins, and again before each step of an agent.

use gemicro_core::blob::BlobId;
use gemicro_core::execute::StepReporter;
use gemicro_event::Failure;
use gemicro_event::redact::Redactor;
use gemicro_guard::repository::{CommitId, FileAt, TrustedRepo};
use gemicro_pipeline::flow::OwnerNotesChanged;
use gemicro_pipeline::steps::{AgentWork, HUMAN_REVIEW};

use super::branch::look_at;
use super::step_tools::run_blocking;
use super::task_folder::to_failure;
use super::work::SharedWork;

const MOST_BYTES: u64 = 32 << 10;

/// The owner's notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerNotes {
    /// The text for agents; if the file is too long, its last line says so.
    pub text: String,
    /// Whether the rest of the file was left out.
    pub is_cut: bool,
}

/// Reads the notes in a commit. Blocks.
///
/// # Errors
/// When git fails.
pub fn read_notes(repository: &TrustedRepo, at: &CommitId) -> Result<Option<OwnerNotes>, Failure> {
    let found = repository.read_file(at, HUMAN_REVIEW, MOST_BYTES);
    Ok(match found.map_err(|error| to_failure(&error))? {
        Some(FileAt::File { bytes, is_cut }) => {
            let mut text = String::from_utf8_lossy(&bytes).into_owned();
            if is_cut {
                let kib = MOST_BYTES >> 10;
                text.push_str(&format!(
                    "\n\n[The file is longer; gemicro passes on its first {kib} KiB.]\n"
                ));
            }
            Some(OwnerNotes { text, is_cut })
        }
        Some(FileAt::Link | FileAt::Folder | FileAt::Gitlink) | None => None,
    })
}

/// Reads the notes again before a step. If they differ from those in the prompt, they are recorded and added to it.
pub(super) async fn refresh_notes(
    shared: &SharedWork,
    work: &mut AgentWork,
    reporter: &StepReporter,
) -> Result<(), Failure> {
    let (setup, state) = (shared.setup.clone(), shared.commons.state().to_owned());
    let directory = work.place.directory.clone();
    let read = run_blocking(move || {
        let repository = look_at(&setup, &state, &directory)?;
        read_notes(&repository, repository.head())
    });
    let redactor = Redactor::new(&shared.secrets);
    // The journal has them like this, too.
    let read = read.await?.map(|notes| OwnerNotes {
        text: redactor.redact(&notes.text).into_owned(),
        ..notes
    });
    let hash = read.as_ref().map(|notes| BlobId::of(notes.text.as_bytes()));
    if hash == work.notes {
        return Ok(());
    }
    let (notes, is_cut) = read.map_or((None, false), |it| (Some(it.text), it.is_cut));
    work.task.prompt.push_str(&match &notes {
        Some(text) => format!(
            "\n\n## New notes of the project's owner\n\nThe owner changed the notes while the task was running. They \
             replace the earlier ones; follow them where they apply to your part.\n\n{text}\n"
        ),
        None => "\n\nThe project's owner withdrew the notes above: they no longer apply.\n".to_owned(),
    });
    reporter.fact(&OwnerNotesChanged { notes, is_cut });
    Ok(())
}
