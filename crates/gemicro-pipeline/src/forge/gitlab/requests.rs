//! Merge requests.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;

use super::wire::MergeRequest;
use crate::forge::api::{Api, Ask, Call, Method, encoded};
use crate::forge::error::ForgeError;
use crate::forge::offer::Offer;
use crate::forge::offering::{Creation, Existing, Requests, create_once};

/// Merge requests of one page, and the pages that are read.
const PAGE_SIZE: usize = 20;
const MOST_PAGES: usize = 10;

const RIGHT: &str = "the scope `api` and the role Developer in this project";

/// The merge requests of one project.
pub(super) struct MergeRequests<'a> {
    pub(super) api: &'a Api,
    /// `/projects/group%2Fname`.
    pub(super) root: &'a str,
}

impl MergeRequests<'_> {
    async fn all_from(&self, branch: &str) -> Result<Vec<Existing>, ForgeError> {
        let source = encoded(branch);
        let mut found = Vec::new();
        for page in 1..=MOST_PAGES {
            let path = format!(
                "{}/merge_requests?state=all&source_branch={source}&per_page={PAGE_SIZE}&page={page}",
                self.root
            );
            let ask = Ask::get("list the merge requests", "the scope `read_api`", path);
            let requests: Vec<MergeRequest> = self.api.json(&ask).await?;
            let n_requests = requests.len();
            let ours = requests.into_iter().filter(|request| request.is_from(branch));
            found.extend(ours.map(Existing::from));
            if n_requests < PAGE_SIZE {
                break;
            }
        }
        Ok(found)
    }

    async fn create_one(&self, offer: &Offer) -> Creation {
        let ask = Ask {
            doing: "open a merge request",
            right: RIGHT,
            call: Call {
                method: Method::Post,
                path: format!("{}/merge_requests", self.root),
                body: Some(json!({
                    "source_branch": offer.head,
                    "target_branch": offer.base,
                    "title": offer.heading(),
                    "description": offer.text(),
                })),
            },
        };
        let is_there = |status, words: &str| status == 409 && words.contains("already exists");
        create_once::<MergeRequest>(self.api, &ask, is_there).await
    }

    async fn change(&self, number: u64, offer: &Offer) -> Result<(), ForgeError> {
        let ask = Ask {
            doing: "change a merge request",
            right: RIGHT,
            call: Call {
                method: Method::Put,
                path: format!("{}/merge_requests/{number}", self.root),
                body: Some(json!({ "title": offer.heading(), "description": offer.text() })),
            },
        };
        let _: MergeRequest = self.api.json(&ask).await?;
        Ok(())
    }
}

impl Requests for MergeRequests<'_> {
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
