//! One project at GitLab.

use std::fmt;
use std::marker::PhantomData;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::protection::protection;
use super::wire::{GitLabProject, MergeRequest};
use crate::forge::address::ForgeAddress;
use crate::forge::api::{ForgeAsk, HttpMethod, RepositoryApi, percent_encode};
use crate::forge::error::ForgeError;
use crate::forge::offer::{Offer, OfferResult};
use crate::forge::offering::{self, ForgeDialect, ForgeRequests};
use crate::forge::port::Forge;
use crate::forge::protection::Protection;
use crate::forge::token::ForgeToken;

const DIALECT: ForgeDialect = ForgeDialect {
    doing: [
        "list the merge requests",
        "open a merge request",
        "change a merge request",
    ],
    rights: [
        "the scope `read_api`",
        "the scope `api` and the role Developer in this project",
    ],
    page_size: 20,
    fields: ["source_branch", "target_branch", "description"],
    update: HttpMethod::Put,
    exists: 409,
};

/// A project at GitLab.
pub(crate) struct GitLab {
    address: ForgeAddress,
    api: RepositoryApi,
    root: String,
}

impl GitLab {
    pub(crate) fn new(address: ForgeAddress, token: Option<ForgeToken>) -> Self {
        let api = RepositoryApi::new(&address, token);
        let root = format!("/projects/{}", percent_encode(address.project()));
        Self { address, api, root }
    }

    async fn ask_default_branch(&self) -> Result<String, ForgeError> {
        let ask = ForgeAsk::get("read the project", "the scope `read_api`", self.root.clone());
        let project: GitLabProject = self.api.json(&ask).await?;
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

    fn offer<'a>(&'a self, offer: &'a Offer) -> BoxFuture<'a, Result<OfferResult, ForgeError>> {
        async move {
            let requests = ForgeRequests::<MergeRequest> {
                api: &self.api,
                dialect: &DIALECT,
                project: self.address.project(),
                path: format!("{}/merge_requests", self.root),
                query: format!("source_branch={}", percent_encode(&offer.head)),
                written: PhantomData,
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
