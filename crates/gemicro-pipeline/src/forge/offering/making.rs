//! Looks, creates, and looks again whenever it is not certain what happened.
//!
//! The main function is [`offer`]. A call that creates is never repeated before a look.

use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;

use super::existing::{Existing, choose};
use crate::forge::api::{Api, Ask, WAITS};
use crate::forge::error::ForgeError;
use crate::forge::offer::{Offer, Offered};

/// What a forge does about requests to merge.
pub(crate) trait Requests: Send + Sync {
    /// All requests from the offered branch of this repository, in whatever state.
    fn list<'a>(&'a self, offer: &'a Offer) -> BoxFuture<'a, Result<Vec<Existing>, ForgeError>>;

    /// Tries once to make one.
    fn create<'a>(&'a self, offer: &'a Offer) -> BoxFuture<'a, Creation>;

    /// Gives one the title and text of the offer.
    fn update<'a>(&'a self, number: u64, offer: &'a Offer) -> BoxFuture<'a, Result<(), ForgeError>>;
}

/// What came of one try to make a request.
#[derive(Debug)]
pub(crate) enum Creation {
    /// It is there.
    Made(Existing),
    /// The forge says that there is one already.
    AlreadyThere(ForgeError),
    /// It may be there or not: no answer, or one that says nothing.
    Uncertain(ForgeError),
    /// It is not there.
    Refused(ForgeError),
}

/// Makes the request, or finds it.
pub(crate) async fn offer(requests: &dyn Requests, offer: &Offer) -> Result<Offered, ForgeError> {
    if let Some(found) = find(requests, offer).await? {
        return adopt(requests, offer, found).await;
    }
    let mut waits = WAITS.iter();
    // Whether a try of ours may have made a request without our knowing.
    let mut was_uncertain = false;
    loop {
        let trouble = match requests.create(offer).await {
            Creation::Made(made) => return Ok(offered(made, false)),
            Creation::Refused(error) => return Err(error),
            Creation::AlreadyThere(error) => {
                let found = find(requests, offer).await?.ok_or(error)?;
                if was_uncertain && offer.marks(&found.body) {
                    return Ok(offered(found, false));
                }
                return adopt(requests, offer, found).await;
            }
            Creation::Uncertain(error) => error,
        };
        was_uncertain = true;
        let wait = waits.next();
        if let Some(wait) = wait {
            tokio::time::sleep(*wait).await;
        }
        match find(requests, offer).await? {
            Some(found) if offer.marks(&found.body) => return Ok(offered(found, false)),
            Some(found) => return adopt(requests, offer, found).await,
            None if wait.is_none() => return Err(trouble),
            None => {}
        }
    }
}

/// Sends a call that creates, once, and sorts what came. `is_there` knows the forge's way to say, by status and words,
/// that there is one already.
pub(crate) async fn create_once<Made: DeserializeOwned + Into<Existing>>(
    api: &Api,
    ask: &Ask,
    is_there: impl Fn(u16, &str) -> bool,
) -> Creation {
    let answer = match api.once(ask).await {
        Ok(answer) => answer,
        Err(error) => return Creation::Uncertain(error),
    };
    if answer.is_success() {
        return match api.read::<Made>(ask, &answer) {
            Ok(made) => Creation::Made(made.into()),
            Err(error) => Creation::Uncertain(error),
        };
    }
    let error = api.refusal(ask, &answer);
    if answer.status >= 500 {
        Creation::Uncertain(error)
    } else if is_there(answer.status, &api.said(&answer)) {
        Creation::AlreadyThere(error)
    } else {
        Creation::Refused(error)
    }
}

async fn find(requests: &dyn Requests, offer: &Offer) -> Result<Option<Existing>, ForgeError> {
    let existing = requests.list(offer).await?;
    Ok(choose(&existing, offer).cloned())
}

async fn adopt(requests: &dyn Requests, offer: &Offer, found: Existing) -> Result<Offered, ForgeError> {
    if found.is_outdated(offer) {
        requests.update(found.number, offer).await?;
    }
    Ok(offered(found, true))
}

fn offered(request: Existing, existed: bool) -> Offered {
    Offered {
        url: request.url,
        number: request.number,
        existed,
        state: request.state,
    }
}
