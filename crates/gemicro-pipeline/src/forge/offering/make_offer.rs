//! Looks for a request, creates it, and looks again whenever the result is uncertain.
//!
//! The main function is [`offer`]. The creating call is never repeated without looking first.

use super::existing::{ExistingRequest, choose};
use super::requests::{Creation, ForgeRequests, WrittenRequest};
use crate::forge::api::WAITS;
use crate::forge::error::ForgeError;
use crate::forge::offer::{Offer, OfferResult};

/// Creates the request, or finds it.
pub(crate) async fn offer<W: WrittenRequest>(
    requests: &ForgeRequests<'_, W>,
    offer: &Offer,
) -> Result<OfferResult, ForgeError> {
    if let Some(found) = find(requests, offer).await? {
        return adopt(requests, offer, found).await;
    }
    let mut waits = WAITS.iter();
    // Whether an earlier attempt may have created a request without our knowledge.
    let mut was_uncertain = false;
    loop {
        let trouble = match requests.create(offer).await {
            Creation::Made(made) => return Ok(offer_result(made, false)),
            Creation::Refused(error) => return Err(error),
            Creation::AlreadyThere(error) => {
                let found = find(requests, offer).await?.ok_or(error)?;
                if was_uncertain && offer.marks(&found.body) {
                    return Ok(offer_result(found, false));
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
            Some(found) if offer.marks(&found.body) => return Ok(offer_result(found, false)),
            Some(found) => return adopt(requests, offer, found).await,
            None if wait.is_none() => return Err(trouble),
            None => {}
        }
    }
}

async fn find<W: WrittenRequest>(
    requests: &ForgeRequests<'_, W>,
    offer: &Offer,
) -> Result<Option<ExistingRequest>, ForgeError> {
    let existing = requests.list(offer).await?;
    Ok(choose(&existing, offer).cloned())
}

async fn adopt<W: WrittenRequest>(
    requests: &ForgeRequests<'_, W>,
    offer: &Offer,
    found: ExistingRequest,
) -> Result<OfferResult, ForgeError> {
    if found.is_outdated(offer) {
        requests.update(found.number, offer).await?;
    }
    Ok(offer_result(found, true))
}

fn offer_result(request: ExistingRequest, existed: bool) -> OfferResult {
    OfferResult {
        url: request.url,
        number: request.number,
        existed,
        state: request.state,
    }
}
