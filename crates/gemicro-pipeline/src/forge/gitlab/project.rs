//! One project at GitLab.

use std::fmt;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::protection::protection;
use super::requests::MergeRequests;
use super::wire::Project;
use crate::forge::address::ForgeAddress;
use crate::forge::api::{Api, Ask, encoded};
use crate::forge::error::ForgeError;
use crate::forge::offer::{Offer, Offered};
use crate::forge::offering;
use crate::forge::port::Forge;
use crate::forge::protection::Protection;
use crate::forge::token::ForgeToken;

/// A project at GitLab.
pub(crate) struct GitLab {
    address: ForgeAddress,
    api: Api,
    /// `/projects/group%2Fname`.
    root: String,
}

impl GitLab {
    pub(crate) fn new(address: ForgeAddress, token: Option<ForgeToken>) -> Self {
        let api = Api::new(&address, token);
        let root = format!("/projects/{}", encoded(address.project()));
        Self { address, api, root }
    }

    async fn ask_default_branch(&self) -> Result<String, ForgeError> {
        let ask = Ask::get("read the project", "the scope `read_api`", self.root.clone());
        let project: Project = self.api.json(&ask).await?;
        project.default_branch.ok_or_else(|| ForgeError::NotFound {
            place: self.address.place(),
            doing: "use as the default branch".to_owned(),
            message: "the project is empty, or the token may not read its code".to_owned(),
        })
    }
}

impl Forge for GitLab {
    fn name(&self) -> String {
        self.address.name()
    }

    fn default_branch(&self) -> BoxFuture<'_, Result<String, ForgeError>> {
        self.ask_default_branch().boxed()
    }

    fn protection<'a>(&'a self, branch: &'a str) -> BoxFuture<'a, Result<Protection, ForgeError>> {
        protection(&self.api, &self.root, branch).boxed()
    }

    fn offer<'a>(&'a self, offer: &'a Offer) -> BoxFuture<'a, Result<Offered, ForgeError>> {
        async move {
            let requests = MergeRequests {
                api: &self.api,
                root: &self.root,
            };
            offering::offer(&requests, offer).await
        }
        .boxed()
    }
}

impl fmt::Debug for GitLab {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitLab")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
