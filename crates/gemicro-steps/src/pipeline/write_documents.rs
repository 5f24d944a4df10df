//! Writes gemicro's own documents into a checkout; commits nothing.

use std::ffi::OsString;

use gemicro_agents::checkout::Checkout;
use gemicro_agents::step_tools::{commit, run_blocking};
use gemicro_agents::to_failure;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::{CommitId, FileAt, TrustedRepo};
use gemicro_pipeline::documents::{BacklogOrigin, Feature, add_to_backlog, archive_moves};
use gemicro_pipeline::steps::DocumentRecord;
use tokio_util::sync::CancellationToken;

/// Maximum size of a document that is moved or appended to, in bytes.
const MOST_BYTES: u64 = 4 << 20;
/// Removes a file, and folders that become empty, because git does not track them.
const REMOVE: &str =
    r#"cd -- "$1" && rm -f -- "$2" && { rmdir -p -- "$(dirname -- "$2")" 2> /dev/null || :; }"#;

/// A change in the checkout.
enum CheckoutChange {
    Write { path: String, text: String },
    Remove { path: String },
}

/// Writes documents into a fresh checkout of the tip; returns their paths.
pub(super) async fn write(
    checkout: &Checkout,
    records: &[DocumentRecord],
    cancel: &CancellationToken,
) -> Result<Vec<String>, Failure> {
    let (repository, at) = (
        checkout.branch().repository().clone(),
        commit(&checkout.branch().tip())?,
    );
    let records = records.to_vec();
    let changes = run_blocking(move || changes(&repository, &at, &records)).await?;
    let mut paths = Vec::new();
    for change in changes {
        match change {
            CheckoutChange::Write { path, text } => {
                checkout.workshop.write(&path, &text, cancel).await?;
                paths.push(path);
            }
            CheckoutChange::Remove { path } => {
                let folder = checkout.workshop.folder().as_os_str().to_owned();
                let words: [OsString; 6] = [
                    "bash".into(),
                    "-c".into(),
                    REMOVE.into(),
                    "bash".into(),
                    folder,
                    path.into(),
                ];
                checkout.workshop.run_own(&words, cancel).await?;
            }
        }
    }
    Ok(paths)
}

/// Turns document records into file changes.
fn changes(
    repository: &TrustedRepo,
    at: &CommitId,
    records: &[DocumentRecord],
) -> Result<Vec<CheckoutChange>, Failure> {
    let mut changes = Vec::new();
    for record in records {
        match record {
            DocumentRecord::Write { path, text } => changes.push(CheckoutChange::Write {
                path: path.clone(),
                text: text.clone(),
            }),
            DocumentRecord::Backlog {
                items,
                feature,
                date,
                run,
                list,
            } => {
                let before = text_at(repository, at, list.path())?;
                changes.push(CheckoutChange::Write {
                    path: list.path().to_owned(),
                    text: add_to_backlog(
                        before.as_deref(),
                        items,
                        BacklogOrigin {
                            feature: &self::feature(feature)?,
                            date,
                            run,
                            title: list.title(),
                        },
                    ),
                });
            }
            DocumentRecord::Archive { paths, feature, date } => {
                let feature = self::feature(feature)?;
                let is_taken = |path: &str| !matches!(repository.read_file(at, path, 1), Ok(None));
                for to_archive in archive_moves(paths, &feature, date, is_taken) {
                    if let Some(text) = text_at(repository, at, &to_archive.from)? {
                        let path = to_archive.to;
                        changes.push(CheckoutChange::Write { path, text });
                        let path = to_archive.from;
                        changes.push(CheckoutChange::Remove { path });
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
        .map_err(|error| to_failure(&error))?;
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
    Feature::parse(name).map_err(|_| {
        Failure::new(
            ErrorKind::Internal,
            format!("`{name}` is not a valid feature name"),
        )
    })
}
