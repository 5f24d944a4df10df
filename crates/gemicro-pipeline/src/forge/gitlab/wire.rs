//! The parts of GitLab's API that are used. Unknown fields are ignored.

use serde::Deserialize;

use crate::forge::offer::RequestState;
use crate::forge::offering::{ExistingRequest, WrittenRequest};

#[derive(Debug, Deserialize)]
pub(super) struct GitLabProject {
    pub(super) default_branch: Option<String>,
}

/// One entry of `GET /projects/{id}/protected_branches`.
#[derive(Debug, Deserialize)]
pub(super) struct ProtectedBranch {
    /// A branch, or a pattern with `*`.
    pub(super) name: String,
    #[serde(default)]
    pub(super) push_access_levels: Vec<AccessLevel>,
    #[serde(default)]
    pub(super) allow_force_push: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct AccessLevel {
    /// 0 means no access; `None` for a rule about a person, a group or a key.
    pub(super) access_level: Option<u32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct MergeRequest {
    pub(super) iid: u64,
    pub(super) web_url: String,
    pub(super) state: String,
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) source_branch: String,
    pub(super) target_branch: String,
    /// `None` if the fork was deleted.
    pub(super) source_project_id: Option<u64>,
    pub(super) target_project_id: u64,
}

impl WrittenRequest for MergeRequest {
    fn is_from(&self, _: &str, branch: &str) -> bool {
        self.source_project_id == Some(self.target_project_id) && self.source_branch == branch
    }
}

impl From<MergeRequest> for ExistingRequest {
    fn from(request: MergeRequest) -> Self {
        let state = match request.state.as_str() {
            // A request is locked while it is being merged.
            "opened" | "locked" => RequestState::Open,
            "merged" => RequestState::Merged,
            _ => RequestState::Closed,
        };
        Self {
            number: request.iid,
            url: request.web_url,
            base: request.target_branch,
            title: request.title,
            body: request.description.unwrap_or_default(),
            state,
        }
    }
}
