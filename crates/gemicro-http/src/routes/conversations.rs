//! `/v1/conversations`: reads conversations.

use axum::extract::State;
use axum::response::Response;
use gemicro_chat::ConversationRow;
use gemicro_core::history::Turn;
use gemicro_event::{StreamId, Timestamp};
use hyper::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::batches::list_length;
use crate::app::SharedApp;
use crate::parameters::{Id, QueryParameters};
use crate::trouble::{HttpTrouble, json};

/// A list of conversations.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConversationList {
    /// The conversations, the newest first.
    conversations: Vec<ConversationRow>,
}

/// A conversation and its turns.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConversationTurns {
    id: StreamId,
    /// Its name.
    name: String,
    /// When it was started or imported.
    started_at: Timestamp,
    /// Its turns, in order.
    turns: Vec<Turn>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ConversationListQuery {
    /// Maximum number of conversations to list.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// Lists conversations, the newest first.
#[utoipa::path(
    get,
    path = "/v1/conversations",
    operation_id = "list_conversations",
    tag = "conversations",
    params(ConversationListQuery),
    responses((status = 200, description = "The conversations", content_type = "application/json", body = ref("#/components/schemas/ConversationList")))
)]
pub(crate) async fn list(
    State(app): State<SharedApp>,
    QueryParameters(query): QueryParameters<ConversationListQuery>,
) -> Result<Response, HttpTrouble> {
    let conversations = app.setup.conversations.list(list_length(query.limit)?).await?;
    Ok(json(StatusCode::OK, &ConversationList { conversations }))
}

/// Returns a conversation with its turns.
#[utoipa::path(
    get,
    path = "/v1/conversations/{id}",
    operation_id = "show_conversation",
    tag = "conversations",
    params(("id" = String, Path, pattern = "^[A-Za-z0-9_-]{4,64}$", description = "Its id, or the beginning of it")),
    responses((status = 200, description = "The conversation", content_type = "application/json", body = ref("#/components/schemas/ConversationTurns")))
)]
pub(crate) async fn show(State(app): State<SharedApp>, Id(id): Id) -> Result<Response, HttpTrouble> {
    let conversation = app.setup.conversations.load(&id).await?;
    let page = ConversationTurns {
        id: conversation.id,
        name: conversation.name,
        started_at: conversation.started_at,
        turns: conversation.log.turns().to_vec(),
    };
    Ok(json(StatusCode::OK, &page))
}
