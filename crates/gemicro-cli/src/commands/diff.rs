//! `gemicro diff`: shows what a pipeline changed on its branch.

use std::fmt::Write as _;
use std::path::Path;

use clap::Args;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_event::{ErrorKind, Event, Failure, StreamId};
use gemicro_guard::repository::{CommitId, RepositoryError, TrustedRepo};

use crate::command_error::CommandError;
use crate::flow_table::flow_row;
use crate::output;
use crate::runtime;
use crate::screen::{numbers, text};
use crate::session::{Context, find_run};
use crate::story::{PipelineStory, words};
use crate::user_repository::git_settings;

/// Maximum size of the printed difference.
const MOST_BYTES: usize = 16 << 20;

/// Arguments of `gemicro diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The run: the start of its id, or `last`
    pub(crate) run: String,
    /// Only list the files, with added and removed lines
    #[arg(long)]
    pub(crate) stat: bool,
    /// Only changes imported in this phase, by its name or label
    #[arg(long, value_name = "NAME")]
    pub(crate) phase: Option<String>,
}

/// Prints what a run changed.
pub(crate) fn run(ctx: &Context, args: &DiffArgs) -> Result<(), CommandError> {
    let (id, story) = runtime::block_on(story(ctx, &args.run))?;
    let parts = match &args.phase {
        None => vec![whole(&id, &story)?],
        Some(phase) => of_phase(&id, &story, phase)?,
    };
    let repository = repository(ctx, &story)?;
    for part in parts {
        if let Some(title) = &part.title {
            output::say(title);
        }
        let diff = repository
            .diff(&part.from, &part.to, MOST_BYTES)
            .map_err(|error| git_trouble(&error, &story))?;
        match args.stat {
            true => output::print(&stat(&diff.text))?,
            // A pipe gets the patch unchanged, so that it can be applied. On a terminal it must be harmless.
            false if ctx.screen.stdout_is_terminal => output::print(&text::neutral(&diff.text))?,
            false => output::print(&diff.text)?,
        }
        if diff.is_cut {
            output::say(&format!(
                "Cut after {}. To see the rest: git diff {}...{}",
                numbers::bytes(MOST_BYTES as u64),
                part.from,
                part.to
            ));
        }
    }
    Ok(())
}

/// Two commits, and the title of their difference.
struct DiffPart {
    title: Option<String>,
    from: CommitId,
    to: CommitId,
}

async fn story(ctx: &Context, named: &str) -> Result<(StreamId, PipelineStory), CommandError> {
    let store = ctx.store().await?;
    let id = find_run(&store, named).await?;
    let flow = store.run(&id).await?.flow;
    if !flow_row(&flow).has_phases {
        return Err(CommandError::usage(
            format!("run {id} is not a pipeline but a {flow} run, which has no branch to compare"),
            format!("gemicro show {id}"),
        ));
    }
    let events = store.read(&id, 0, usize::MAX).await?.events;
    let story = fold(&events).ok_or_else(|| {
        let message = format!("the plan of run {id} cannot be read");
        CommandError::from(Failure::new(ErrorKind::Internal, message)).about(&id)
    })?;
    Ok((id, story))
}

fn fold(events: &[Event]) -> Option<PipelineStory> {
    let started = events.first()?.update.as_run_started()?;
    let mut story = PipelineStory::of_plan(&started.plan)?;
    events.iter().for_each(|event| story.fold(event));
    Some(story)
}

/// Everything on the branch that is not in main as it was last merged.
fn whole(id: &StreamId, story: &PipelineStory) -> Result<DiffPart, CommandError> {
    let Some(prepared) = &story.prepared else {
        return Err(CommandError::new_failure(
            ErrorKind::InvalidInput,
            format!("run {id} has no branch yet, so it changed nothing"),
            format!("gemicro show {id}"),
        ));
    };
    let from = story.main_in_it().unwrap_or(&prepared.base);
    Ok(DiffPart {
        title: None,
        from: commit(from)?,
        to: commit(story.tip.as_ref().unwrap_or(&prepared.tip))?,
    })
}

/// The changes of the branch in each round of a phase.
fn of_phase(id: &StreamId, story: &PipelineStory, named: &str) -> Result<Vec<DiffPart>, CommandError> {
    let is_named = |name: &str, label: &str| name == named || label == named;
    if !story
        .planned
        .iter()
        .any(|phase| is_named(&phase.name, &phase.label))
    {
        let names: Vec<&str> = story.planned.iter().map(|phase| phase.name.as_str()).collect();
        return Err(CommandError::usage(
            format!("there is no phase {named} in run {id}"),
            format!("choose one of {}", names.join(", ")),
        ));
    }
    let mut parts = Vec::new();
    for phase in &story.phases {
        let (Some(from), Some(to)) = (&phase.from_commit, &phase.to_commit) else {
            continue;
        };
        if from == to || !is_named(&phase.phase, &phase.label) {
            continue;
        }
        parts.push(DiffPart {
            title: Some(format!(
                "{} {}, round {}: {}..{}",
                text::one_line(&phase.label),
                text::one_line(&phase.phase),
                phase.round,
                words::short(from),
                words::short(to)
            )),
            from: commit(from)?,
            to: commit(to)?,
        });
    }
    if parts.is_empty() {
        output::say(&format!("Phase {named} changed nothing in run {id}."));
    }
    Ok(parts)
}

fn commit(text: &str) -> Result<CommitId, CommandError> {
    CommitId::parse(text).ok_or_else(|| {
        let message = format!("`{}` in the run's events is not a commit", text::cut(text, 80));
        CommandError::from(Failure::new(ErrorKind::Internal, message))
    })
}

fn repository(ctx: &Context, story: &PipelineStory) -> Result<TrustedRepo, CommandError> {
    let settings = git_settings(ctx)?;
    TrustedRepo::open(&settings, Path::new(&story.directory)).map_err(|error| git_trouble(&error, story))
}

fn git_trouble(error: &RepositoryError, story: &PipelineStory) -> CommandError {
    CommandError::new_failure(
        ErrorKind::NotFound,
        format!("the branch cannot be compared: {error}"),
        format!(
            "the run worked in {}; its commits must still exist there",
            text::one_line(&story.directory)
        ),
    )
}

/// `src/lib.rs  +12 -3`, one line per file, and the sum.
fn stat(patch: &str) -> String {
    let mut files: Vec<(String, u64, u64)> = Vec::new();
    let mut is_header = false;
    for line in patch.lines() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            // `a/name b/name`, or quoted; for a rename the new name counts.
            let name = names.rsplit_once(" b/").or_else(|| names.rsplit_once(" \"b/"));
            let name = name.map_or(names, |(_, name)| name.trim_end_matches('"'));
            files.push((text::one_line(name), 0, 0));
            is_header = true;
        } else if line.starts_with("@@") {
            is_header = false;
        } else if let Some(file) = files.last_mut().filter(|_| !is_header) {
            file.1 += u64::from(line.starts_with('+'));
            file.2 += u64::from(line.starts_with('-'));
        }
    }
    let widest = files
        .iter()
        .map(|(name, ..)| text::width(name))
        .max()
        .unwrap_or(0);
    let mut page = String::new();
    for (name, insertions, deletions) in &files {
        let _ = writeln!(page, "{}  +{insertions} -{deletions}", text::pad(name, widest));
    }
    let sum = files
        .iter()
        .fold((0, 0), |sum, file| (sum.0 + file.1, sum.1 + file.2));
    let _ = writeln!(
        page,
        "{} changed, +{} -{}",
        numbers::count(files.len(), "file"),
        sum.0,
        sum.1
    );
    page
}

#[cfg(test)]
mod tests {
    use super::stat;

    #[test]
    fn lines_are_counted_per_file_and_headers_are_not() {
        let patch = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+--- not a header\n\
                     diff --git a/b.bin b/b.bin\nnew file mode 100644\nBinary files /dev/null and b/b.bin differ\n";
        assert_eq!(
            stat(patch),
            "src/a.rs  +2 -1\nb.bin     +0 -0\n2 files changed, +2 -1\n"
        );
        assert_eq!(stat(""), "0 files changed, +0 -0\n");
    }
}
