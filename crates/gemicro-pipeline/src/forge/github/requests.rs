//! Pull requests.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;

use super::wire::PullRequest;
use crate::forge::api::{Api, Ask, Call, Method, encoded};
use crate::forge::error::ForgeError;
use crate::forge::offer::Offer;
use crate::forge::offering::{Creation, Existing, Requests, create_once};

/// Pull requests of one page, and the pages that are read.
const PAGE_SIZE: usize = 30;
const MOST_PAGES: usize = 10;

const RIGHT: &str = "`Pull requests: write` for this repository (or the scope `repo`)";

/// The pull requests of one repository.
pub(super) struct PullRequests<'a> {
    pub(super) api: &'a Api,
    pub(super) project: &'a str,
}

impl PullRequests<'_> {
    async fn all_from(&self, branch: &str) -> Result<Vec<Existing>, ForgeError> {
        let owner = self.project.split('/').next().unwrap_or_default();
        let head = encoded(&format!("{owner}:{branch}"));
        let mut found = Vec::new();
        for page in 1..=MOST_PAGES {
            let path = format!(
                "/repos/{}/pulls?state=all&head={head}&per_page={PAGE_SIZE}&page={page}",
                self.project
            );
            let ask = Ask::get(
                "list the pull requests",
                "`Pull requests: read` (or the scope `repo`)",
                path,
            );
            let requests: Vec<PullRequest> = self.api.json(&ask).await?;
            let n_requests = requests.len();
            // GitHub leaves the filter out where it does not understand it.
            let ours = requests
                .into_iter()
                .filter(|request| request.is_from(self.project, branch));
            found.extend(ours.map(Existing::from));
            if n_requests < PAGE_SIZE {
                break;
            }
        }
        Ok(found)
    }

    async fn create_one(&self, offer: &Offer) -> Creation {
        let ask = Ask {
            doing: "open a pull request",
            right: RIGHT,
            call: Call {
                method: Method::Post,
                path: format!("/repos/{}/pulls", self.project),
                body: Some(json!({
                    "title": offer.heading(),
                    "head": offer.head,
                    "base": offer.base,
                    "body": offer.text(),
                })),
            },
        };
        let is_there = |status, words: &str| status == 422 && words.contains("already exists");
        create_once::<PullRequest>(self.api, &ask, is_there).await
    }

    async fn change(&self, number: u64, offer: &Offer) -> Result<(), ForgeError> {
        let ask = Ask {
            doing: "change a pull request",
            right: RIGHT,
            call: Call {
                method: Method::Patch,
                path: format!("/repos/{}/pulls/{number}", self.project),
                body: Some(json!({ "title": offer.heading(), "body": offer.text() })),
            },
        };
        let _: PullRequest = self.api.json(&ask).await?;
        Ok(())
    }
}

impl Requests for PullRequests<'_> {
    fn list<'a>(&'a self, offer: &'a Offer) -> BoxFuture<'a, Result<Vec<Existing>, ForgeError>> {
        self.all_from(&offer.head).boxed()
    }

    fn create<'a>(&'a self, offer: &'a Offer) -> BoxFuture<'a, Creation> {
        self.create_one(offer).boxed()
    }

    fn update<'a>(&'a self, number: u64, offer: &'a Offer) -> BoxFuture<'a, Result<(), ForgeError>> {
        self.change(number, offer).boxed()
    }
}
