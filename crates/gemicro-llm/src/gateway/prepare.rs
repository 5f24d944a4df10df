//! Makes a request for text ready to go out: its model, its worst case, its reservation, its body.

use std::sync::Arc;

use gemicro_core::models::plain_id;
use gemicro_event::ModelName;
use gemicro_event::text::excerpt;
use hyper::body::Bytes;

use super::account::{GrantAccount, Terms, UnreservedRequest};
use super::bound::RequestBound;
use super::exchange::Stop;
use super::gateway::GatewayState;
use super::json::{MalformedJson, set};
use super::note::NoteKind;
use super::problem::GatewayProblem;
use super::reservation::Reservation;
use super::ticket::RefusedWhy;
use super::wire::{RequestContents, WireDialect, ask};

/// The window of a model that the table does not know.
const UNKNOWN_WINDOW: u64 = 2 << 20;
/// The output limit that is written in for such a model where a request states none.
const UNKNOWN_OUTPUT: u64 = 32_768;
/// The longest name of a model.
const NAME_BYTES: usize = 200;
/// What is written to a cache costs at most this many times as much as plain input.
const CACHE_WRITE: u64 = 2;

/// A request that may go out.
pub(super) struct PreparedRequest {
    /// The model to ask.
    pub(super) model: String,
    pub(super) body: Bytes,
    pub(super) reservation: Reservation,
}

/// Prepares a request. `in_path` is the model where the path names it.
pub(super) async fn prepare(
    gateway: &GatewayState,
    step: &Arc<GrantAccount>,
    dialect: &'static dyn WireDialect,
    in_path: Option<&str>,
    body: Bytes,
) -> Result<PreparedRequest, Stop> {
    let asked = read(step, dialect, &body)?;
    if let Some(what) = asked.unserved {
        return Err(
            GatewayProblem::bad(format!("the gateway of gemicro does not serve this: {what}")).into(),
        );
    }
    if asked.strange_limit {
        return Err(GatewayProblem::bad("the output limit or the number of answers is no count").into());
    }
    let Some(named) = in_path.or(asked.model.as_deref()) else {
        return Err(GatewayProblem::bad("the request names no model").into());
    };
    let model = choose(gateway, step, named)?;
    let (bound, limit_is_ours) = bound(gateway, step, &asked, &model)?;
    let terms = Terms {
        least_output: gateway.config.least_output,
        wait: gateway.config.reserve_time,
    };
    let mut reservation = step
        .reserve(bound, &terms)
        .await
        .map_err(|unreserved| match unreserved {
            UnreservedRequest::Closed => Stop::after_failure(GatewayProblem::unauthorised()),
            UnreservedRequest::Refused(refusal) => {
                let problem =
                    GatewayProblem::new(400, "budget_exhausted", format!("budget exhausted: {refusal}"));
                Stop::refused_here(RefusedWhy::Budget(refusal), problem)
            }
        })?;
    let lowered_to = (limit_is_ours || reservation.output != bound.output).then_some(reservation.output);
    let renamed = (in_path.is_none() && model != named).then_some(model.as_str());
    let changes = BodyChanges {
        dialect,
        asked: &asked,
        lowered_to,
        renamed,
        model: &model,
    };
    let body = changes
        .apply(body)
        .map_err(|error| GatewayProblem::bad(error.to_string()))?;
    step.note(NoteKind::Started {
        request: reservation.id,
        model: excerpt(&model),
        reserved: reservation.charge,
        lowered_to,
    });
    reservation.mark_sent();
    Ok(PreparedRequest {
        model,
        body,
        reservation,
    })
}

/// Reads a request, and refuses one that makes the provider contact other servers, unless the grant allows that:
/// whatever runs in the sandbox could send data out with it.
///
/// # Errors
/// When it cannot be read, or is refused.
pub(super) fn read(
    step: &GrantAccount,
    dialect: &'static dyn WireDialect,
    body: &[u8],
) -> Result<RequestContents, GatewayProblem> {
    let asked = ask(dialect, body).map_err(|error| GatewayProblem::bad(error.to_string()))?;
    match asked.outside {
        Some(what) if !step.grant.web => {
            let message = format!(
                "gemicro's gateway refuses {what}, because data could leave the sandbox that way; \
                 the user can allow this with `provider_web = true` under [guard] in gemicro's settings"
            );
            Err(GatewayProblem::new(403, "web_not_allowed", message))
        }
        Some(_) | None => Ok(asked),
    }
}

/// The model to ask in place of the one that was named.
fn choose(gateway: &GatewayState, step: &GrantAccount, named: &str) -> Result<String, Stop> {
    if named.is_empty() || named.len() > NAME_BYTES || named.chars().any(char::is_control) {
        return Err(GatewayProblem::bad("the model has no usable name").into());
    }
    let refused = |message: String| {
        let problem = GatewayProblem::new(400, "model_not_allowed", message);
        Stop::refused_here(RefusedWhy::Model, problem)
    };
    let Some(model) = step.grant.models.apply(named) else {
        return Err(refused(format!(
            "this step may not ask the model `{}`",
            excerpt(named)
        )));
    };
    if gateway.config.models.is_agent(&model) {
        return Err(refused(format!(
            "`{}` is an agent, which works without a limit",
            excerpt(&model)
        )));
    }
    Ok(model)
}

/// What the request can cost at most, and whether its output limit is ours to write in.
fn bound(
    gateway: &GatewayState,
    step: &GrantAccount,
    asked: &RequestContents,
    model: &str,
) -> Result<(RequestBound, bool), Stop> {
    let table = &gateway.config.models;
    let id = plain_id(model);
    let price = table.price(id).copied();
    if step.has_money_limit() {
        let refused = |message: String| {
            let problem = GatewayProblem::new(400, "price_unknown", message);
            Stop::refused_here(RefusedWhy::Price, problem)
        };
        if price.is_none() {
            let message = format!(
                "the budget is in money and the price of `{}` is not known; give a budget in tokens or another model",
                excerpt(model)
            );
            return Err(refused(message));
        }
        if let Some(what) = asked.unpriced {
            return Err(refused(format!(
                "the budget is in money and the price of {what} is not known"
            )));
        }
    }
    let size = table.size(id);
    let stated = asked.limit();
    let input = asked.input_bound(size.map_or(UNKNOWN_WINDOW, |size| size.window));
    let paid_input = if asked.writes_cache {
        input.saturating_mul(CACHE_WRITE)
    } else {
        input
    };
    let bound = RequestBound {
        input,
        paid_input,
        output: stated
            .or(size.map(|size| size.max_output))
            .unwrap_or(UNKNOWN_OUTPUT),
        n_answers: asked.n_answers.max(1),
        price,
        model: ModelName::new(id),
    };
    Ok((
        bound,
        stated.is_none() && size.is_none() && step.has_token_limit(),
    ))
}

/// What changes in a body on its way out.
struct BodyChanges<'a> {
    dialect: &'static dyn WireDialect,
    asked: &'a RequestContents,
    lowered_to: Option<u64>,
    renamed: Option<&'a str>,
    model: &'a str,
}

impl BodyChanges<'_> {
    fn apply(&self, body: Bytes) -> Result<Bytes, MalformedJson> {
        let mut edits: Vec<(&[&str], String)> = Vec::new();
        if let Some(limit) = self.lowered_to {
            let stated = self.asked.limits.iter().map(|&(field, _)| field);
            edits.extend(stated.map(|field| (field, limit.to_string())));
            if edits.is_empty() {
                edits.push((self.dialect.limit_field(self.model), limit.to_string()));
            }
        }
        edits.extend(self.dialect.edits(self.asked, self.lowered_to));
        if let Some(model) = self.renamed {
            edits.push((&["model"], serde_json::Value::from(model).to_string()));
        }
        if edits.is_empty() {
            return Ok(body);
        }
        let text = std::str::from_utf8(&body).map_err(|error| MalformedJson(error.to_string()))?;
        let mut edited = text.trim().to_owned();
        for (path, value) in edits {
            edited = set(&edited, path, &value, self.dialect.fold())?;
        }
        Ok(Bytes::from(edited))
    }
}
