//! Builds the OpenAPI document from the descriptions of the routes.

use gemicro_event::{ErrorKind, Failure};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};
use utoipa::openapi::OpenApi;

use super::shapes;
use crate::routes::schemas;
use crate::trouble::ErrorBody;

/// Returns the document as JSON.
///
/// # Errors
/// `internal` if it cannot be serialised.
pub(crate) fn document_json(routes: OpenApi, version: &str) -> Result<String, Failure> {
    let failed = |error: serde_json::Error| Failure::new(ErrorKind::Internal, error.to_string());
    let mut document = serde_json::to_value(&routes).map_err(failed)?;
    document["info"] = json!({
        "title": "gemicro",
        "description": "Batches, runs, their events, and conversations. Every route but /health needs the token of the server.",
        "version": version,
        "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
    });
    document["security"] = json!([{ "token": [] }]);
    document["components"] = json!({
        "schemas": all_schemas(),
        "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
    });
    let error = json!({
        "description": "What went wrong",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/ErrorBody" } } },
    });
    let operations = document["paths"]
        .as_object_mut()
        .into_iter()
        .flat_map(|paths| paths.values_mut())
        .filter_map(Value::as_object_mut)
        .flat_map(|path| path.values_mut());
    for operation in operations {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        parameters.into_iter().flatten().for_each(without_null);
        // Bodies are required, because their type must be given even for an empty object.
        if let Some(body) = operation.get_mut("requestBody") {
            body["required"] = json!(true);
        }
        if let Some(responses) = operation.get_mut("responses") {
            responses["default"] = error.clone();
        }
    }
    serde_json::to_string(&document).map_err(failed)
}

/// Removes `null` from a parameter's types: it cannot be written in a path, query or header.
fn without_null(parameter: &mut Value) {
    let Some(types) = parameter.pointer_mut("/schema/type") else {
        return;
    };
    if let Some(all) = types.as_array_mut() {
        all.retain(|one| one != "null");
        if let [one] = all.as_slice() {
            *types = one.clone();
        }
    }
}

/// Returns all schemas that the routes use, directly or indirectly.
fn all_schemas() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    schemas(&mut generator);
    add::<gemicro_engine::BatchAnswer>(&mut generator);
    add::<ErrorBody>(&mut generator);
    add::<shapes::StartBody>(&mut generator);
    add::<shapes::TaskLines>(&mut generator);
    add::<shapes::TextDelta>(&mut generator);
    add::<shapes::BatchBody>(&mut generator);
    add::<gemicro_engine::RunSnapshot>(&mut generator);
    add::<gemicro_core::command::AgentAck>(&mut generator);
    let mut all = generator.take_definitions(true);
    all.insert("Anything".to_owned(), json!({ "type": "object" }));
    Value::Object(all)
}

/// Adds the schema of a type.
pub(crate) fn add<T: JsonSchema>(generator: &mut SchemaGenerator) {
    generator.subschema_for::<T>();
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn document() -> Value {
        let (_, routes) = crate::routes::all();
        let text = document_json(routes, "1.2.3").expect("written");
        serde_json::from_str(&text).expect("JSON")
    }

    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(reference)) = fields.get("$ref") {
                    found.insert(reference.clone());
                }
                fields.values().for_each(|field| references(field, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = document();
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        assert!(found.len() > 15, "{found:?}");
        for reference in found {
            let pointer = reference.strip_prefix('#').expect("a place in the document");
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }

    #[test]
    fn the_routes_are_these() {
        let document = document();
        assert_eq!(document["openapi"], "3.1.0");
        let mut routes = Vec::new();
        let mut names = BTreeSet::new();
        for (path, item) in document["paths"].as_object().expect("paths") {
            for (method, operation) in item.as_object().expect("operations") {
                assert!(operation["responses"]["default"].is_object(), "{path}");
                assert!(names.insert(operation["operationId"].to_string()), "{path}");
                let is_open = operation["security"] == json!([{}]);
                assert_eq!(is_open, path == "/health", "{path} {operation}");
                routes.push(format!("{} {path}", method.to_uppercase()));
            }
        }
        routes.sort();
        assert_eq!(
            routes,
            [
                "GET /health",
                "GET /metrics",
                "GET /openapi.json",
                "GET /v1/batch-types",
                "GET /v1/batch-types/{name}",
                "GET /v1/batches",
                "GET /v1/batches/{id}",
                "GET /v1/conversations",
                "GET /v1/conversations/{id}",
                "GET /v1/inbox",
                "GET /v1/runs",
                "GET /v1/runs/{id}",
                "GET /v1/runs/{id}/events",
                "GET /v1/runs/{id}/result",
                "POST /v1/batches",
                "POST /v1/batches/{id}/cancel",
                "POST /v1/batches/{id}/retry",
                "POST /v1/runs",
                "POST /v1/runs/{id}/cancel",
                "POST /v1/runs/{id}/commands",
                "POST /v1/runs/{id}/pause",
                "POST /v1/runs/{id}/resume",
            ]
        );
    }
}
