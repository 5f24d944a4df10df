//! Advice for a pipeline that ended early. The general hints of error kinds are about questions and sources, so
//! pipelines have their own.

use gemicro_event::{ErrorKind, Failure, StreamId};

use super::PipelineStory;
use crate::screen::text;

pub(crate) struct Help {
    /// What to do first; `None` if the reasons say everything.
    pub(crate) first: Option<String>,
    /// The command that continues then, and its purpose; `None` if there is no branch.
    pub(crate) again: Option<(String, &'static str)>,
}

/// What to do about a failure, and how to continue, in one sentence.
pub(crate) fn hint(failure: &Failure, run: &StreamId, story: &PipelineStory) -> String {
    let help = help(failure, run, story);
    match (help.first, help.again) {
        (Some(first), Some((again, _))) => format!("{first}; then run: {again}"),
        (Some(first), None) => first,
        (None, Some((again, _))) if failure.kind == ErrorKind::GateClosed => {
            format!("`gemicro show {run}` shows why; to continue: {again}")
        }
        (None, Some((again, about))) => format!("{about}: {again}"),
        (None, None) => failure.kind.hint().to_owned(),
    }
}

/// What to do about a failure.
pub(crate) fn help(failure: &Failure, run: &StreamId, story: &PipelineStory) -> Help {
    let kind = failure.kind;
    let Some(again) = story.again(run) else {
        let first = match (&story.goes_on_from, kind) {
            (Some(earlier), ErrorKind::NotFound) => branch_is_gone(story, earlier),
            (Some(_), ErrorKind::Conflict) => FIX_ABOVE.to_owned(),
            (_, _) => at_start(kind).unwrap_or(kind.hint()).to_owned(),
        };
        return Help {
            first: Some(first),
            again: None,
        };
    };
    let (again, about) = match kind {
        // A dollar sign has a special meaning in a shell.
        ErrorKind::BudgetExceeded => (
            format!("{again} --budget AMOUNT"),
            "continue with a larger budget, such as 2M or '$5'",
        ),
        ErrorKind::Cancelled => (again, "when you want to continue"),
        _ => (again, "continue on the same branch"),
    };
    Help {
        first: first(failure, run, story),
        again: Some((again, about)),
    }
}

/// What to do before a run with a branch is resumed.
fn first(failure: &Failure, run: &StreamId, story: &PipelineStory) -> Option<String> {
    let kind = failure.kind;
    let is_agents = story.last().is_some_and(|phase| phase.role.is_some());
    Some(match kind {
        ErrorKind::GateClosed | ErrorKind::BudgetExceeded | ErrorKind::Cancelled => return None,
        ErrorKind::Timeout | ErrorKind::IdleTimeout if is_agents => {
            "a new run starts with its full time; role limits are under `timeouts` in the workflow file"
                .to_owned()
        }
        ErrorKind::AuthFailed if is_agents => AGENT_KEY.to_owned(),
        ErrorKind::AuthFailed | ErrorKind::PermissionDenied if !is_agents => REMOTE_RIGHTS.to_owned(),
        ErrorKind::Conflict if !is_agents => taken_at_remote(story).unwrap_or_else(|| FIX_ABOVE.to_owned()),
        ErrorKind::UpstreamError | ErrorKind::RateLimited if !is_agents => {
            "the branch is as reviewed; wait until the remote and its forge respond".to_owned()
        }
        ErrorKind::UpstreamError | ErrorKind::RateLimited | ErrorKind::QuotaExhausted => {
            format!("wait until the model responds; `gemicro show {run} --raw` has its last answer")
        }
        ErrorKind::EmptyResult
        | ErrorKind::TruncatedOutput
        | ErrorKind::MalformedOutput
        | ErrorKind::SessionNotFound => {
            "try again, or give the role a stronger model in the workflow file".to_owned()
        }
        ErrorKind::NotFound => gone_meanwhile(story).unwrap_or_else(|| FIX_ABOVE.to_owned()),
        ErrorKind::Blocked => "the provider's rules refused the prompt; rephrase the task".to_owned(),
        ErrorKind::CommandNotFound
        | ErrorKind::SandboxUnavailable
        | ErrorKind::StorageError
        | ErrorKind::UnknownModel
        | ErrorKind::Internal => kind.hint().to_owned(),
        _ => FIX_ABOVE.to_owned(),
    })
}

/// The advice if another process pushed a branch of this name while the run worked.
fn taken_at_remote(story: &PipelineStory) -> Option<String> {
    let remote = story.prepared.as_ref()?.main.remote.as_ref()?;
    let (remote, branch) = (text::one_line(remote), text::one_line(&story.branch));
    Some(format!(
        "push yours under another name: `git push {remote} {branch}:task/NAME`; or look at what is \
         there: `git fetch {remote} {branch} && git log --oneline {branch}..FETCH_HEAD`. \
         Keep it under another name if it is still needed: `git push {remote} FETCH_HEAD:refs/heads/NAME`. \
         Delete it there: `git push {remote} --delete {branch}`"
    ))
}

/// The advice if the branch was deleted while the run was working or suspended.
fn gone_meanwhile(story: &PipelineStory) -> Option<String> {
    let (tip, branch) = (story.tip.as_ref()?, text::one_line(&story.branch));
    Some(format!(
        "if the branch is missing, restore it: `git branch {branch} {tip}`"
    ))
}

/// The advice if the branch to resume was deleted.
fn branch_is_gone(story: &PipelineStory, earlier: &StreamId) -> String {
    format!(
        "restore it at the last commit in `gemicro show {earlier}`: `git branch {} COMMIT`; or start again with \
             `gemicro run`",
        text::one_line(&story.branch)
    )
}

/// The advice for a run that did not begin; `None` if the hint of the error kind fits.
pub(crate) fn at_start(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::AuthFailed => Some(AGENT_KEY),
        ErrorKind::PermissionDenied => Some(MAIN_RIGHTS),
        ErrorKind::InvalidInput | ErrorKind::NotFound => {
            Some("choose another checkout with --dir, or another remote with --remote")
        }
        ErrorKind::UnsupportedRepository => Some(
            "fix what the message says (for a first commit: `git add --all && git commit`), or choose another checkout \
             with --dir",
        ),
        ErrorKind::Conflict => Some("choose another branch with --branch task/NAME"),
        ErrorKind::UpstreamError => {
            Some("check that `git ls-remote` works, or choose another remote with --remote")
        }
        _ => None,
    }
}

const FIX_ABOVE: &str = "fix the problem above";
const AGENT_KEY: &str = "`gemicro doctor` shows which key or login the agent needs";
const MAIN_RIGHTS: &str = "set the token of its forge (GITHUB_TOKEN, GITLAB_TOKEN: docs/pipeline.md#remotes-and-forges), \
                           protect main there, or leave out --require-protection";
const REMOTE_RIGHTS: &str = "check your git credentials and the token of the forge (GITHUB_TOKEN, GITLAB_TOKEN): \
                             docs/pipeline.md#remotes-and-forges";
