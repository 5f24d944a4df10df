//! Builds the smallest JSON value that fits a schema: the helper's answer to structured requests.
//!
//! It supports the subset of JSON Schema that the API accepts, and ignores the rest (patterns, uncommon formats).

use serde_json::{Map, Value, json};

/// Maximum depth of a recursive schema; deeper values become `null`.
const DEPTH: usize = 32;

/// Returns a minimal instance; unconstrained strings become `text`.
pub(crate) fn instance(schema: &Value, text: &str) -> Value {
    ValueMaker { root: schema, text }.make(schema, 0)
}

struct ValueMaker<'s> {
    root: &'s Value,
    text: &'s str,
}

impl ValueMaker<'_> {
    fn make(&self, schema: &Value, depth: usize) -> Value {
        if depth > DEPTH {
            return Value::Null;
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let found = target
                .strip_prefix('#')
                .and_then(|pointer| self.root.pointer(pointer));
            return found.map_or(Value::Null, |found| self.make(found, depth + 1));
        }
        for given in ["const", "default"] {
            if let Some(value) = schema.get(given) {
                return value.clone();
            }
        }
        if let Some(first) = schema.pointer("/enum/0") {
            return first.clone();
        }
        for choice in ["anyOf", "oneOf"] {
            if let Some(first) = schema.get(choice).and_then(|choices| choices.get(0)) {
                return self.make(first, depth + 1);
            }
        }
        if let Some(Value::Array(parts)) = schema.get("allOf") {
            return self.merged(parts, depth);
        }
        match kind(schema).as_str() {
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            "string" => self.string(schema),
            "integer" | "number" => number(schema),
            "boolean" => json!(false),
            _ => Value::Null,
        }
    }

    fn merged(&self, parts: &[Value], depth: usize) -> Value {
        let mut fields = Map::new();
        for part in parts {
            match self.make(part, depth + 1) {
                Value::Object(more) => fields.extend(more),
                other => return other,
            }
        }
        Value::Object(fields)
    }

    fn object(&self, schema: &Value, depth: usize) -> Value {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required: Vec<&str> = match schema.get("required").and_then(Value::as_array) {
            Some(names) => names.iter().filter_map(Value::as_str).collect(),
            None => Vec::new(),
        };
        let make = |name: &str| {
            let property = properties.and_then(|properties| properties.get(name));
            property.map_or_else(|| json!({}), |property| self.make(property, depth + 1))
        };
        required
            .into_iter()
            .map(|name| (name.to_owned(), make(name)))
            .collect()
    }

    fn array(&self, schema: &Value, depth: usize) -> Value {
        let n_items = schema
            .get("minItems")
            .and_then(Value::as_u64)
            .unwrap_or(0)
            .min(64);
        let any = json!({});
        let items = schema.get("items").unwrap_or(&any);
        (0..n_items).map(|_| self.make(items, depth + 1)).collect()
    }

    fn string(&self, schema: &Value) -> Value {
        let text = match schema.get("format").and_then(Value::as_str) {
            Some("date-time") => "2026-01-01T00:00:00Z",
            Some("date") => "2026-01-01",
            Some("time") => "00:00:00Z",
            Some("email") => "someone@example.com",
            Some("uri" | "url") => "https://example.com/",
            Some("uuid") => "00000000-0000-0000-0000-000000000000",
            _ => self.text,
        };
        let limit = |name: &str| schema.get(name).and_then(Value::as_u64).map(|n| n as usize);
        let mut text: String = match limit("maxLength") {
            Some(most) => text.chars().take(most).collect(),
            None => text.to_owned(),
        };
        let missing = limit("minLength")
            .unwrap_or(0)
            .min(4096)
            .saturating_sub(text.chars().count());
        text.extend(std::iter::repeat_n('x', missing));
        Value::String(text)
    }
}

/// Returns the type: from the keyword in any case, the first of a list of types, or inferred from other keywords.
fn kind(schema: &Value) -> String {
    match schema.get("type") {
        Some(Value::String(kind)) => kind.to_lowercase(),
        Some(Value::Array(kinds)) => kinds
            .first()
            .and_then(Value::as_str)
            .unwrap_or("null")
            .to_lowercase(),
        _ if schema.get("properties").is_some() || schema.get("required").is_some() => "object".to_owned(),
        _ if schema.get("items").is_some() => "array".to_owned(),
        _ if schema == &json!({}) => "object".to_owned(),
        _ => "null".to_owned(),
    }
}

fn number(schema: &Value) -> Value {
    let integer = kind(schema) == "integer";
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let step = if integer { 1.0 } else { 0.5 };
    let lowest = bound("minimum").or(bound("exclusiveMinimum").map(|n| n + step));
    let highest = bound("maximum").or(bound("exclusiveMaximum").map(|n| n - step));
    let mut number = 0.0_f64;
    if let Some(lowest) = lowest {
        number = number.max(lowest);
    }
    if let Some(highest) = highest {
        number = number.min(highest);
    }
    if integer {
        json!(number.ceil() as i64)
    } else {
        json!(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_fit() {
        let cases = [
            (json!({}), json!({})),
            (json!({"type": "string"}), json!("t")),
            (json!({"type": "STRING", "minLength": 3}), json!("txx")),
            (json!({"type": ["integer", "null"], "minimum": 2.5}), json!(3)),
            (json!({"type": "number", "exclusiveMaximum": 0}), json!(-0.5)),
            (json!({"enum": ["b", "a"]}), json!("b")),
            (json!({"const": 4}), json!(4)),
            (json!({"type": "array", "items": {"type": "boolean"}}), json!([])),
            (
                json!({"type": "array", "items": {"type": "boolean"}, "minItems": 2}),
                json!([false, false]),
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "null"}}, "required": ["a"]}),
                json!({"a": "t"}),
            ),
            (
                json!({"$ref": "#/$defs/x", "$defs": {"x": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}),
                json!(0),
            ),
            (
                json!({"allOf": [{"required": ["a"], "properties": {"a": {"type": "null"}}}, {"required": ["b"]}]}),
                json!({"a": null, "b": {}}),
            ),
        ];
        for (schema, expected) in cases {
            assert_eq!(instance(&schema, "t"), expected, "{schema}");
        }
    }

    #[test]
    fn a_recursive_schema_ends() {
        let schema = json!({"$ref": "#/$defs/x", "$defs": {"x": {"required": ["x"], "properties": {"x": {"$ref": "#/$defs/x"}}}}});
        assert!(instance(&schema, "").is_object());
    }
}
