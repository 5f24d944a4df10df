//! Runs all checks of `gemicro doctor`.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;

use clap::Args;
use gemicro_event::ErrorKind;
use gemicro_store::{DurableStore, StoreCheck};

use super::finding::{DoctorFinding, FindingLevel, attention, bad, good, print};
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::config::{Layers, StateFolder};
use crate::runtime;
use crate::screen::numbers;
use crate::session::Context;

/// Free space below which the doctor warns.
const LITTLE_SPACE: u64 = 500_000_000;

/// Arguments of `gemicro doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Also read the whole database, every event and every blob; slow on a large store
    #[arg(long)]
    pub(crate) deep: bool,
    /// Do not contact model providers or forges
    #[arg(long)]
    pub(crate) offline: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

/// Runs all checks; fails if no run could work.
pub(crate) fn run(ctx: &Context, args: &DoctorArgs) -> Result<(), CommandError> {
    let mut findings = vec![good(
        "program",
        concat!("gemicro ", env!("CARGO_PKG_VERSION")).to_owned(),
    )];
    let store_works = match state(ctx, args.deep, &mut findings) {
        Ok(()) => findings
            .iter()
            .all(|finding| finding.standing != FindingLevel::Bad),
        Err(CommandError::Report(report)) => {
            findings.push(bad("settings", report.failure.message.clone(), report.hint()));
            false
        }
        Err(stopped) => return Err(stopped),
    };
    findings.extend(super::models::look(ctx, args.offline));
    findings.extend(super::agents::look(ctx, store_works));
    findings.extend(super::default_agent::look(ctx));
    findings.push(super::forge::look(ctx, args.offline));
    findings.extend(super::notifications::look(ctx));
    findings.push(if store_works {
        good(
            "no-model mode",
            "works: gemicro --offline --source DIR \"question\"".to_owned(),
        )
    } else {
        bad(
            "no-model mode",
            "needs a working store".to_owned(),
            "see above".to_owned(),
        )
    });
    // A wrong setting affects several checks; it is reported once.
    let mut reported = BTreeSet::new();
    findings.retain(|finding| reported.insert(finding.found.clone()));
    print(&findings, args.format, &ctx.screen)?;
    if store_works {
        Ok(())
    } else {
        Err(CommandError::new_failure(
            ErrorKind::StorageError,
            "gemicro cannot work here yet",
            "follow the fixes above, then run `gemicro doctor` again",
        ))
    }
}

fn state(ctx: &Context, deep: bool, findings: &mut Vec<DoctorFinding>) -> Result<(), CommandError> {
    let layers = Layers::load(&ctx.environment)?;
    let state = StateFolder::resolve(&layers)?;
    let files: Vec<String> = layers.paths().map(|path| path.display().to_string()).collect();
    findings.push(match (files.as_slice(), layers.warnings().as_slice()) {
        ([], _) => good("settings", "no files; defaults and environment".to_owned()),
        (files, []) => good("settings", files.join(", ")),
        (_, warnings) => attention("settings", warnings.join("; "), "fix or remove these keys"),
    });
    let is_new = fs::symlink_metadata(&state.home.value).is_err();
    let checked = runtime::block_on(async {
        let store = DurableStore::at(&state.home.value, state.store.value.as_deref()).await?;
        let check = store.check().await?;
        if deep {
            store.verify().await?;
        } else {
            store.quick_check().await?;
        }
        store.close().await;
        Ok(check)
    });
    findings.push(folder(&state, is_new));
    match checked.map_err(|stopped| state.about_store(stopped)) {
        Ok(check) => {
            let words = store_words(&check, deep);
            match &state.store.value {
                Some(_) => {
                    let place = format!("{} ({})", check.path.display(), state.store.origin);
                    findings.push(good("store", format!("{place}, {words}")));
                }
                None => {
                    findings.push(good("store", words));
                    findings.push(space(&check));
                }
            }
        }
        Err(CommandError::Report(report)) => {
            let check = || {
                format!(
                    "make {} readable and writable, or set GEMICRO_HOME",
                    state.home.value.display()
                )
            };
            let fix = report.hint.clone().unwrap_or_else(check);
            findings.push(bad("store", report.failure.message.clone(), fix));
        }
        Err(stopped) => return Err(stopped),
    }
    Ok(())
}

/// Checks the state folder, which opening the store has created if it was new.
fn folder(state: &StateFolder, is_new: bool) -> DoctorFinding {
    let home = &state.home.value;
    let place = format!("{} ({})", home.display(), state.home.origin);
    let made = if is_new { ", created now" } else { "" };
    match fs::symlink_metadata(home) {
        Ok(found) if found.is_symlink() => bad(
            "state folder",
            format!("{place} is a symbolic link"),
            "set GEMICRO_HOME to the folder it points to".to_owned(),
        ),
        Ok(found) if !found.is_dir() => bad(
            "state folder",
            format!("{place} is not a folder"),
            "move it away, or set GEMICRO_HOME".to_owned(),
        ),
        Ok(found) if found.mode() & 0o077 != 0 => attention(
            "state folder",
            format!(
                "{place} has mode {:03o}: other users can read it",
                found.mode() & 0o777
            ),
            format!("chmod 700 {}", home.display()),
        ),
        Ok(found) => good(
            "state folder",
            format!("{place}, mode {:03o}{made}", found.mode() & 0o777),
        ),
        Err(_) => good("state folder", format!("{place}, not created yet")),
    }
}

fn store_words(check: &StoreCheck, deep: bool) -> String {
    let runs = numbers::count(usize::try_from(check.n_runs).unwrap_or(usize::MAX), "run");
    let size = numbers::bytes(check.db_bytes + check.blob_bytes);
    let verified = if deep {
        ", every page, event and blob read"
    } else {
        ""
    };
    format!("format {}, {runs}, {size}{verified}", check.format)
}

fn space(check: &StoreCheck) -> DoctorFinding {
    let free = format!("{} free", numbers::bytes(check.free_bytes));
    if check.free_bytes < LITTLE_SPACE {
        attention(
            "disk",
            free,
            "free some space, or delete old runs: gemicro prune --older-than 30d",
        )
    } else {
        good("disk", free)
    }
}
