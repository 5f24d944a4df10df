//! The merge requests of one repository, through the API of its forge.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde_json::json;

use super::existing::ExistingRequest;
use crate::forge::api::{ForgeApiCall, ForgeAsk, HttpMethod, RepositoryApi};
use crate::forge::error::ForgeError;
use crate::forge::offer::Offer;

/// Maximum number of pages to read.
const MOST_PAGES: usize = 10;

/// Differences between the APIs of forges.
pub(crate) struct ForgeDialect {
    /// Purpose of each call, to follow `cannot …`: list, open, change.
    pub(crate) doing: [&'static str; 3],
    /// Permissions needed to list and to write.
    pub(crate) rights: [&'static str; 2],
    pub(crate) page_size: usize,
    /// Field names of a request: source branch, target branch, description.
    pub(crate) fields: [&'static str; 3],
    pub(crate) update: HttpMethod,
    /// The HTTP status for `already exists`.
    pub(crate) exists: u16,
}

/// A merge request in the forge's JSON format.
pub(crate) trait WrittenRequest: DeserializeOwned + Into<ExistingRequest> {
    /// Returns true if it comes from this branch of this repository, not from a branch of the same name in a fork.
    fn is_from(&self, project: &str, branch: &str) -> bool;
}

/// The requests of one repository.
pub(crate) struct ForgeRequests<'a, W> {
    pub(crate) api: &'a RepositoryApi,
    pub(crate) dialect: &'static ForgeDialect,
    pub(crate) project: &'a str,
    /// Path of the requests in the API.
    pub(crate) path: String,
    /// Query that selects the requests from the offered branch.
    pub(crate) query: String,
    pub(crate) written: PhantomData<W>,
}

/// Result of one attempt to create a request.
#[derive(Debug)]
pub(crate) enum Creation {
    Made(ExistingRequest),
    /// The forge says that it already exists.
    AlreadyThere(ForgeError),
    /// Unknown: no answer, or an unclear one.
    Uncertain(ForgeError),
    /// The request was not created.
    Refused(ForgeError),
}

impl<W: WrittenRequest> ForgeRequests<'_, W> {
    /// Returns all requests from the offered branch, in any state.
    pub(super) async fn list(&self, offer: &Offer) -> Result<Vec<ExistingRequest>, ForgeError> {
        let (path, query, size) = (&self.path, &self.query, self.dialect.page_size);
        let mut found = Vec::new();
        for page in 1..=MOST_PAGES {
            let path = format!("{path}?state=all&{query}&per_page={size}&page={page}");
            let ask = ForgeAsk::get(self.dialect.doing[0], self.dialect.rights[0], path);
            let requests: Vec<W> = self.api.json(&ask).await?;
            let n_requests = requests.len();
            // GitHub ignores a filter that it does not understand.
            let ours = requests
                .into_iter()
                .filter(|request| request.is_from(self.project, &offer.head));
            found.extend(ours.map(W::into));
            if n_requests < size {
                break;
            }
        }
        Ok(found)
    }

    /// Tries once to create a request, and classifies the result.
    pub(super) async fn create(&self, offer: &Offer) -> Creation {
        let [head, base, text] = self.dialect.fields;
        let ask = ForgeAsk {
            doing: self.dialect.doing[1],
            right: self.dialect.rights[1],
            call: ForgeApiCall {
                method: HttpMethod::Post,
                path: self.path.clone(),
                body: Some(json!({
                    "title": offer.heading(),
                    head: offer.head,
                    base: offer.base,
                    text: offer.text(),
                })),
            },
        };
        let answer = match self.api.once(&ask).await {
            Ok(answer) => answer,
            Err(error) => return Creation::Uncertain(error),
        };
        if answer.is_success() {
            return match self.api.read::<W>(&ask, &answer) {
                Ok(made) => Creation::Made(made.into()),
                Err(error) => Creation::Uncertain(error),
            };
        }
        let error = self.api.refusal(&ask, &answer);
        if answer.status >= 500 {
            Creation::Uncertain(error)
        } else if answer.status == self.dialect.exists
            && self.api.forge_message(&answer).contains("already exists")
        {
            Creation::AlreadyThere(error)
        } else {
            Creation::Refused(error)
        }
    }

    /// Updates the title and text of a request.
    pub(super) async fn update(&self, number: u64, offer: &Offer) -> Result<(), ForgeError> {
        let [_, _, text] = self.dialect.fields;
        let ask = ForgeAsk {
            doing: self.dialect.doing[2],
            right: self.dialect.rights[1],
            call: ForgeApiCall {
                method: self.dialect.update,
                path: format!("{}/{number}", self.path),
                body: Some(json!({ "title": offer.heading(), text: offer.text() })),
            },
        };
        self.api.json::<W>(&ask).await.map(drop)
    }
}
