//! `/v1/batch-types`: the types of tasks.

use axum::response::Response;
use gemicro_engine::{TASK_TYPES, TaskType, task_type};
use gemicro_event::{ErrorKind, Failure};
use hyper::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::parameters::NamePath;
use crate::trouble::{HttpTrouble, json};

/// The types of tasks.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BatchTypes {
    /// The types, in the order of the documentation.
    types: Vec<BatchType>,
}

/// A type of task.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BatchType {
    /// Name of the type in batches.
    name: &'static str,
    /// Description in one sentence.
    description: &'static str,
    /// The JSON Schema of its parameters.
    parameters: Value,
}

/// Lists the types of tasks.
#[utoipa::path(
    get,
    path = "/v1/batch-types",
    operation_id = "list_batch_types",
    tag = "batches",
    responses((status = 200, description = "The types", content_type = "application/json", body = ref("#/components/schemas/BatchTypes")))
)]
pub(crate) async fn list() -> Response {
    let types = TASK_TYPES.iter().map(describe_type).collect();
    json(StatusCode::OK, &BatchTypes { types })
}

/// Returns one type, with the JSON Schema of its parameters.
#[utoipa::path(
    get,
    path = "/v1/batch-types/{name}",
    operation_id = "show_batch_type",
    tag = "batches",
    params(("name" = String, Path, description = "Its name")),
    responses((status = 200, description = "The type", content_type = "application/json", body = ref("#/components/schemas/BatchType")))
)]
pub(crate) async fn schema(NamePath(name): NamePath) -> Result<Response, HttpTrouble> {
    match task_type(&name) {
        Some(found) => Ok(json(StatusCode::OK, &describe_type(found))),
        None => {
            let message = "there is no such task type; /v1/batch-types lists them";
            Err(Failure::new(ErrorKind::NotFound, message).into())
        }
    }
}

fn describe_type(task_type: &TaskType) -> BatchType {
    BatchType {
        name: task_type.name,
        description: task_type.description,
        parameters: task_type.schema(),
    }
}
