//! The parts of GitHub's API that are used. Unknown fields are ignored.

use serde::Deserialize;

use crate::forge::offer::RequestState;
use crate::forge::offering::{ExistingRequest, WrittenRequest};

#[derive(Debug, Deserialize)]
pub(super) struct Repository {
    pub(super) default_branch: String,
}

/// `GET /repos/{owner}/{repo}/branches/{branch}/protection`. A rule that is off has no field, or one that is
/// disabled.
#[derive(Debug, Deserialize)]
pub(super) struct ClassicRule {
    pub(super) required_pull_request_reviews: Option<serde_json::Value>,
    pub(super) allow_force_pushes: Option<GitHubSwitch>,
}

#[derive(Debug, Deserialize)]
pub(super) struct GitHubSwitch {
    pub(super) enabled: bool,
}

/// One entry of `GET /repos/{owner}/{repo}/rules/branches/{branch}`.
#[derive(Debug, Deserialize)]
pub(super) struct BranchRule {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) ruleset_id: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Ruleset {
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct PullRequest {
    pub(super) number: u64,
    pub(super) html_url: String,
    pub(super) state: String,
    pub(super) title: String,
    pub(super) body: Option<String>,
    pub(super) merged_at: Option<String>,
    pub(super) head: PullRequestBranch,
    pub(super) base: PullRequestBranch,
}

/// One of the two branches of a pull request.
#[derive(Debug, Deserialize)]
pub(super) struct PullRequestBranch {
    #[serde(rename = "ref")]
    pub(super) branch: String,
    /// `None` if the fork was deleted.
    pub(super) repo: Option<SideRepository>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SideRepository {
    pub(super) full_name: String,
}

impl WrittenRequest for PullRequest {
    fn is_from(&self, project: &str, branch: &str) -> bool {
        let repository = self.head.repo.as_ref();
        let is_here = repository.is_some_and(|repository| repository.full_name.eq_ignore_ascii_case(project));
        is_here && self.head.branch == branch
    }
}

impl From<PullRequest> for ExistingRequest {
    fn from(request: PullRequest) -> Self {
        let state = match (request.state.as_str(), request.merged_at) {
            ("open", _) => RequestState::Open,
            (_, Some(_)) => RequestState::Merged,
            (_, None) => RequestState::Closed,
        };
        Self {
            number: request.number,
            url: request.html_url,
            base: request.base.branch,
            title: request.title,
            body: request.body.unwrap_or_default(),
            state,
        }
    }
}
