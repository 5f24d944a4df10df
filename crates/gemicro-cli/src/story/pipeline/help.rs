//! What helps a pipeline that ended early: the kinds of failure have hints of their own, which are about questions and
//! sources.

use gemicro_event::{ErrorKind, Failure, StreamId};

use super::PipelineStory;

/// What to do about a failure, and how to go on then.
pub(crate) fn hint(failure: &Failure, run: &StreamId, story: &PipelineStory) -> String {
    let kind = failure.kind;
    let Some(again) = story.again(run) else {
        return at_start(kind).unwrap_or(kind.hint()).to_owned();
    };
    let is_agents = story.last().is_some_and(|phase| phase.role.is_some());
    let first = match kind {
        ErrorKind::GateClosed => format!("`gemicro show {run}` tells why"),
        // A dollar sign means something else to a shell.
        ErrorKind::BudgetExceeded => {
            return format!("go on with more: {again} --budget AMOUNT, such as 2M or '$5'");
        }
        ErrorKind::Cancelled => return format!("when you want it to go on: {again}"),
        ErrorKind::Timeout | ErrorKind::IdleTimeout if is_agents => {
            "a new run has all of its time again; the workflow file has the limits of roles (`timeouts`)"
                .to_owned()
        }
        ErrorKind::AuthFailed if is_agents => AGENT_KEY.to_owned(),
        ErrorKind::AuthFailed | ErrorKind::PermissionDenied if !is_agents => REMOTE_RIGHTS.to_owned(),
        ErrorKind::UpstreamError | ErrorKind::RateLimited if !is_agents => {
            "the branch is as it was reviewed; wait until the remote and its forge answer".to_owned()
        }
        ErrorKind::UpstreamError | ErrorKind::RateLimited | ErrorKind::QuotaExhausted => {
            format!("wait until the model answers; `gemicro show {run} --raw` has what it said")
        }
        ErrorKind::EmptyResult
        | ErrorKind::TruncatedOutput
        | ErrorKind::MalformedOutput
        | ErrorKind::SessionNotFound => {
            "another try may do; else give the role a stronger model in the workflow file".to_owned()
        }
        ErrorKind::Blocked => {
            "the provider's rules refused the prompt: say the task in other words".to_owned()
        }
        ErrorKind::CommandNotFound
        | ErrorKind::SandboxUnavailable
        | ErrorKind::StorageError
        | ErrorKind::UnknownModel
        | ErrorKind::Internal => kind.hint().to_owned(),
        _ => "mend what the message names".to_owned(),
    };
    format!("{first}; then go on: {again}")
}

/// What to do about a run that did not begin; nothing where the kind's own words fit.
pub(crate) fn at_start(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::AuthFailed => Some(AGENT_KEY),
        ErrorKind::PermissionDenied => Some(MAIN_RIGHTS),
        ErrorKind::InvalidInput | ErrorKind::NotFound | ErrorKind::UnsupportedRepository => {
            Some("another checkout is named with --dir, another remote with --remote")
        }
        ErrorKind::Conflict => Some("name another one with --branch task/NAME"),
        ErrorKind::UpstreamError => {
            Some("check that `git ls-remote` works; another remote is named with --remote")
        }
        _ => None,
    }
}

const AGENT_KEY: &str = "`gemicro doctor` names the key or login that the agent needs";
const MAIN_RIGHTS: &str = "give the token of its forge (GITHUB_TOKEN, GITLAB_TOKEN: docs/pipeline.md#remotes-and-forges), \
                           protect main there, or leave out --require-protection";
const REMOTE_RIGHTS: &str = "check your git credentials and the token of the forge (GITHUB_TOKEN, GITLAB_TOKEN): \
                             docs/pipeline.md#remotes-and-forges";
