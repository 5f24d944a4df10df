//! The requests to merge of one repository, over the API of its forge.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde_json::json;

use super::existing::ExistingRequest;
use crate::forge::api::{ForgeApiCall, ForgeAsk, HttpMethod, RepositoryApi};
use crate::forge::error::ForgeError;
use crate::forge::offer::Offer;

/// Pages that are read.
const MOST_PAGES: usize = 10;

/// How a forge names what is asked about requests.
pub(crate) struct ForgeDialect {
    /// What a call is to do, as in `cannot …`: list, open, change.
    pub(crate) doing: [&'static str; 3],
    /// The rights that it takes to list and to write.
    pub(crate) rights: [&'static str; 2],
    pub(crate) page_size: usize,
    /// The fields of a request: its branch, the branch it is for, its text.
    pub(crate) fields: [&'static str; 3],
    pub(crate) update: HttpMethod,
    /// The status of `already exists`.
    pub(crate) exists: u16,
}

/// A request as the forge writes it.
pub(crate) trait WrittenRequest: DeserializeOwned + Into<ExistingRequest> {
    /// Whether it comes from this branch of this repository, not from one of the same name in a fork.
    fn is_from(&self, project: &str, branch: &str) -> bool;
}

/// The requests of one repository.
pub(crate) struct ForgeRequests<'a, W> {
    pub(crate) api: &'a RepositoryApi,
    pub(crate) dialect: &'static ForgeDialect,
    pub(crate) project: &'a str,
    /// Where they are below the API.
    pub(crate) path: String,
    /// The query for those of the offered branch.
    pub(crate) query: String,
    pub(crate) written: PhantomData<W>,
}

/// What came of one try to make a request.
#[derive(Debug)]
pub(crate) enum Creation {
    Made(ExistingRequest),
    /// The forge says that there is one already.
    AlreadyThere(ForgeError),
    /// It may be there or not: no answer, or one that says nothing.
    Uncertain(ForgeError),
    /// It is not there.
    Refused(ForgeError),
}

impl<W: WrittenRequest> ForgeRequests<'_, W> {
    /// All requests from the offered branch, in whatever state.
    pub(super) async fn list(&self, offer: &Offer) -> Result<Vec<ExistingRequest>, ForgeError> {
        let (path, query, size) = (&self.path, &self.query, self.dialect.page_size);
        let mut found = Vec::new();
        for page in 1..=MOST_PAGES {
            let path = format!("{path}?state=all&{query}&per_page={size}&page={page}");
            let ask = ForgeAsk::get(self.dialect.doing[0], self.dialect.rights[0], path);
            let requests: Vec<W> = self.api.json(&ask).await?;
            let n_requests = requests.len();
            // GitHub leaves the filter out where it does not understand it.
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

    /// Tries once to make one, and sorts what came.
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

    /// Gives one the title and text of the offer.
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
