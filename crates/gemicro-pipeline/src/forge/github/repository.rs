//! One repository at GitHub.

use std::fmt;
use std::marker::PhantomData;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::protection::protection;
use super::wire::{PullRequest, Repository};
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
        "list the pull requests",
        "open a pull request",
        "change a pull request",
    ],
    rights: [
        "`Pull requests: read` (or the scope `repo`)",
        "`Pull requests: write` for this repository (or the scope `repo`)",
    ],
    page_size: 30,
    fields: ["head", "base", "body"],
    update: HttpMethod::Patch,
    exists: 422,
};

/// A repository at GitHub.
pub(crate) struct GitHub {
    address: ForgeAddress,
    api: RepositoryApi,
}

impl GitHub {
    pub(crate) fn new(address: ForgeAddress, token: Option<ForgeToken>) -> Self {
        let api = RepositoryApi::new(&address, token);
        Self { address, api }
    }

    async fn ask_default_branch(&self) -> Result<String, ForgeError> {
        let ask = ForgeAsk::get(
            "read the repository",
            "`Metadata: read` (or the scope `repo`)",
            format!("/repos/{}", self.address.project()),
        );
        let repository: Repository = self.api.json(&ask).await?;
        Ok(repository.default_branch)
    }
}

impl Forge for GitHub {
    fn name(&self) -> String {
        self.address.name()
    }

    fn default_branch(&self) -> BoxFuture<'_, Result<String, ForgeError>> {
        self.ask_default_branch().boxed()
    }

    fn protection<'a>(&'a self, branch: &'a str) -> BoxFuture<'a, Result<Protection, ForgeError>> {
        protection(&self.api, self.address.project(), branch).boxed()
    }

    fn offer<'a>(&'a self, offer: &'a Offer) -> BoxFuture<'a, Result<OfferResult, ForgeError>> {
        async move {
            let project = self.address.project();
            let owner = project.split('/').next().unwrap_or_default();
            let requests = ForgeRequests::<PullRequest> {
                api: &self.api,
                dialect: &DIALECT,
                project,
                path: format!("/repos/{project}/pulls"),
                query: format!("head={}", percent_encode(&format!("{owner}:{}", offer.head))),
                written: PhantomData,
            };
            offering::offer(&requests, offer).await
        }
        .boxed()
    }
}

impl fmt::Debug for GitHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitHub")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
