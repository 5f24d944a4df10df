//! One repository at GitHub.

use std::fmt;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::protection::protection;
use super::requests::PullRequests;
use super::wire::Repository;
use crate::forge::address::ForgeAddress;
use crate::forge::api::{Api, Ask};
use crate::forge::error::ForgeError;
use crate::forge::offer::{Offer, Offered};
use crate::forge::offering;
use crate::forge::port::Forge;
use crate::forge::protection::Protection;
use crate::forge::token::ForgeToken;

/// A repository at GitHub.
pub(crate) struct GitHub {
    address: ForgeAddress,
    api: Api,
}

impl GitHub {
    pub(crate) fn new(address: ForgeAddress, token: Option<ForgeToken>) -> Self {
        let api = Api::new(&address, token);
        Self { address, api }
    }

    async fn ask_default_branch(&self) -> Result<String, ForgeError> {
        let ask = Ask::get(
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

    fn offer<'a>(&'a self, offer: &'a Offer) -> BoxFuture<'a, Result<Offered, ForgeError>> {
        async move {
            let requests = PullRequests {
                api: &self.api,
                project: self.address.project(),
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
