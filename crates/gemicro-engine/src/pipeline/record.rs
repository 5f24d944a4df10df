//! Writes gemicro's own documents on the branch.

use gemicro_core::execute::StepCall;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::{CommitId, CommitMessage, FileAt, TrustedRepo};
use gemicro_pipeline::documents::{BacklogOrigin, Feature, add_to_backlog, archive_moves};
use gemicro_pipeline::payload::DOCUMENT_FOLDER;
use gemicro_pipeline::steps::{MainBranch, Record, RecordInput, Recorded};

use super::branch_at::{Found, Tools, blocking, by, commit, open};
use super::checkout::Checkout;
use super::merge::look_up;
use crate::agents::{Landing, OnBranch, told};

/// The list of ideas for later.
const BACKLOG: &str = "docs/dev_docs/backlog.md";
/// The longest document that is moved or added to, in bytes.
const MOST_BYTES: u64 = 4 << 20;

/// What is to be done in the checkout.
enum Change {
    Write { path: String, text: String },
    Remove { path: String },
}

/// The step.
pub(super) async fn record(tools: &Tools, input: RecordInput, call: &StepCall) -> Result<Recorded, Failure> {
    let branch = match open(tools, &input.place, call).await? {
        Found::At(branch) => *branch,
        Found::Landed(branch) => {
            let repository = branch.repository().clone();
            let tip = branch.tip();
            let _ = branch.leave_clean().await;
            let old = input.place.tip.clone();
            return blocking(move || {
                let paths = repository.changed_paths(&commit(&old)?, &commit(&tip)?);
                recorded(&repository, &tip, paths.map_err(|error| told(&error))?, None)
            })
            .await;
        }
    };
    if let Some(main) = input.unless_moved.clone()
        && let Some(moved) = moved(&branch, main).await?
    {
        let (repository, tip) = (branch.repository().clone(), branch.tip());
        let _ = branch.leave_clean().await;
        return blocking(move || recorded(&repository, &tip, Vec::new(), Some(moved))).await;
    }
    let (repository, at) = (branch.repository().clone(), commit(&input.place.tip)?);
    let (records, look) = (input.records.clone(), repository.clone());
    let changes = blocking(move || changes(&look, &at, &records)).await?;
    // Setup and carried files are for those who run something.
    let place = gemicro_pipeline::steps::Place {
        setup: Vec::new(),
        carry: Vec::new(),
        ..input.place.clone()
    };
    let checkout = Checkout::fresh(tools, branch, &place, &call.cancel).await?;
    let mut paths = Vec::new();
    for change in &changes {
        match change {
            Change::Write { path, text } => {
                checkout.workshop.write(path, text, &call.cancel).await?;
                paths.push(path.clone());
            }
            Change::Remove { path } => checkout.workshop.remove(path, &call.cancel).await?,
        }
    }
    let message = CommitMessage {
        text: input.message,
        trailers: input.trailers,
    };
    let landing = Landing::with(&tools.setup, tools.tier().await?, message)
        .marked(by(call))
        .only(vec![format!("{}/", DOCUMENT_FOLDER.trim_end_matches('/'))]);
    let (tripped, landed) = checkout.leave().leave(Some(landing)).await;
    tripped
        .into_iter()
        .for_each(|message| call.reporter.alarm(message));
    let tip = landed.transpose()?.map_or(input.place.tip, |outcome| outcome.new);
    blocking(move || recorded(&repository, &tip, paths, None)).await
}

/// Where main is, if that is another commit than it was.
async fn moved(branch: &OnBranch, main: MainBranch) -> Result<Option<String>, Failure> {
    let (repository, tip) = (branch.repository().clone(), branch.tip());
    blocking(move || {
        let now = look_up(&repository, &main)?;
        let is_there = repository.is_ancestor(&commit(&now.commit)?, &commit(&tip)?);
        Ok((!is_there.map_err(|error| told(&error))?).then_some(now.commit))
    })
    .await
}

fn recorded(
    repository: &TrustedRepo,
    tip: &str,
    paths: Vec<String>,
    moved: Option<String>,
) -> Result<Recorded, Failure> {
    let tree = repository.tree_without(&commit(tip)?, &[DOCUMENT_FOLDER]);
    Ok(Recorded {
        new: tip.to_owned(),
        tree: tree.map_err(|error| told(&error))?,
        paths,
        moved,
    })
}

/// From what is to be written to files.
fn changes(repository: &TrustedRepo, at: &CommitId, records: &[Record]) -> Result<Vec<Change>, Failure> {
    let mut changes = Vec::new();
    for record in records {
        match record {
            Record::Write { path, text } => changes.push(Change::Write {
                path: path.clone(),
                text: text.clone(),
            }),
            Record::Backlog {
                items,
                feature,
                date,
                run,
            } => {
                let before = text_at(repository, at, BACKLOG)?;
                changes.push(Change::Write {
                    path: BACKLOG.to_owned(),
                    text: add_to_backlog(
                        before.as_deref(),
                        items,
                        BacklogOrigin {
                            feature: &self::feature(feature)?,
                            date,
                            run,
                        },
                    ),
                });
            }
            Record::Archive { paths, feature, date } => {
                let feature = self::feature(feature)?;
                let is_taken = |path: &str| !matches!(repository.read_file(at, path, 1), Ok(None));
                for to_archive in archive_moves(paths, &feature, date, is_taken) {
                    if let Some(text) = text_at(repository, at, &to_archive.from)? {
                        let path = to_archive.to;
                        changes.push(Change::Write { path, text });
                        let path = to_archive.from;
                        changes.push(Change::Remove { path });
                    }
                }
            }
        }
    }
    Ok(changes)
}

fn text_at(repository: &TrustedRepo, at: &CommitId, path: &str) -> Result<Option<String>, Failure> {
    let found = repository
        .read_file(at, path, MOST_BYTES)
        .map_err(|error| told(&error))?;
    match found {
        Some(FileAt::File { bytes, is_cut: false }) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Some(FileAt::File { is_cut: true, .. }) => {
            let message = format!("{path} is longer than {MOST_BYTES} bytes: shorten it");
            Err(Failure::new(ErrorKind::InvalidInput, message))
        }
        Some(FileAt::Link | FileAt::Folder | FileAt::Gitlink) => {
            let message = format!("{path} is not a regular file: move it out of the way");
            Err(Failure::new(ErrorKind::InvalidInput, message))
        }
        None => Ok(None),
    }
}

fn feature(name: &str) -> Result<Feature, Failure> {
    Feature::parse(name)
        .map_err(|_| Failure::new(ErrorKind::Internal, format!("`{name}` is no name of a feature")))
}
