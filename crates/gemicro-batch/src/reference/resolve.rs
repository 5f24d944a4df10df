//! Replaces references with the outputs of tasks.

use gemicro_event::{ErrorKind, Failure, Json};
use serde_json::{Map, Value};

use super::template::{PathPart, Reference, ReferenceTemplate, TemplatePiece};
use crate::contract::MAX_RESOLVED_BYTES;

/// A reference to a missing value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: the reference {reference} cannot be resolved: {why}")]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub struct MissingOutput {
    /// JSON pointer in the parameters.
    pub place: String,
    pub reference: String,
    /// The missing part.
    pub why: String,
}

/// Why references cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// A referenced value is missing.
    #[error(transparent)]
    Missing(#[from] MissingOutput),
    /// The parameters are too long with the outputs inserted.
    #[error("with the outputs put in, the parameters have more than {MAX_RESOLVED_BYTES} bytes")]
    TooLong,
}

impl From<ResolveError> for Failure {
    fn from(error: ResolveError) -> Self {
        let kind = match error {
            ResolveError::Missing(_) => ErrorKind::NotFound,
            ResolveError::TooLong => ErrorKind::InvalidInput,
        };
        Self::new(kind, error.to_string())
    }
}

/// The parameters of a task with its references replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedParameters {
    /// The parameters with every reference replaced.
    pub parameters: Value,
    /// Values passed separately, by name: a shell sees them as variables.
    pub variables: Vec<(String, String)>,
}

/// Whether JSON text may contain references.
pub(crate) fn may_refer(text: &str) -> bool {
    // Both characters of `${` can be written as escapes.
    text.contains("${") || text.contains("\\u00")
}

/// All references in a value, with their JSON pointers.
#[must_use]
pub fn references_in(value: &Value) -> Vec<(String, Reference)> {
    let mut found = Vec::new();
    visit(value, &mut String::new(), &mut |place, text| {
        let references = ReferenceTemplate::read(text)
            .references()
            .cloned()
            .collect::<Vec<_>>();
        found.extend(
            references
                .into_iter()
                .map(|reference| (place.to_owned(), reference)),
        );
    });
    found
}

/// Replaces references with the outputs of tasks. In the field `bound`, if given, values are not inserted but passed as
/// variables that the text names, so that the output of a task never becomes part of a command.
///
/// # Errors
/// When a referenced value is missing, or the result is too long.
pub fn resolve<'a>(
    parameters: &Value,
    bound: Option<&str>,
    output_of: &dyn Fn(&str) -> Option<&'a Json>,
) -> Result<ResolvedParameters, ResolveError> {
    let mut resolver = Resolver {
        output_of,
        bound: bound.map(|name| format!("/{name}")),
        variables: Vec::new(),
        n_bytes: 0,
    };
    let parameters = resolver.value(parameters, &mut String::new())?;
    Ok(ResolvedParameters {
        parameters,
        variables: resolver.variables,
    })
}

struct Resolver<'r, 'a> {
    output_of: &'r dyn Fn(&str) -> Option<&'a Json>,
    bound: Option<String>,
    variables: Vec<(String, String)>,
    n_bytes: usize,
}

impl Resolver<'_, '_> {
    fn value(&mut self, value: &Value, place: &mut String) -> Result<Value, ResolveError> {
        Ok(match value {
            Value::String(text) => self.text(text, place)?,
            Value::Array(items) => {
                let mut resolved = Vec::with_capacity(items.len());
                for (idx, item) in items.iter().enumerate() {
                    resolved.push(at(place, &idx.to_string(), |place| self.value(item, place))?);
                }
                Value::Array(resolved)
            }
            Value::Object(fields) => {
                let mut resolved = Map::with_capacity(fields.len());
                for (name, field) in fields {
                    let field = at(place, name, |place| self.value(field, place))?;
                    resolved.insert(name.clone(), field);
                }
                Value::Object(resolved)
            }
            other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other.clone(),
        })
    }

    fn text(&mut self, text: &str, place: &str) -> Result<Value, ResolveError> {
        let template = ReferenceTemplate::read(text);
        let is_bound = self.bound.as_deref() == Some(place);
        if let Some(reference) = template.whole().filter(|_| !is_bound) {
            let value = self.look_up(reference, place)?;
            self.count(json_len(&value))?;
            return Ok(value);
        }
        let mut resolved = String::new();
        for piece in &template.pieces {
            let added = match piece {
                TemplatePiece::Text(text) => text.clone(),
                TemplatePiece::Reference(reference) => {
                    let value = as_text(self.look_up(reference, place)?);
                    if is_bound {
                        self.count(value.len())?;
                        self.bind(value)
                    } else {
                        value
                    }
                }
            };
            self.count(added.len())?;
            resolved.push_str(&added);
        }
        Ok(Value::String(resolved))
    }

    /// Stores a value as a variable and returns the shell text for it.
    fn bind(&mut self, value: String) -> String {
        let name = format!("GEMICRO_REF_{}", self.variables.len() + 1);
        let named = format!("${{{name}}}");
        self.variables.push((name, value));
        named
    }

    fn look_up(&self, reference: &Reference, place: &str) -> Result<Value, MissingOutput> {
        let missing = |why: String| MissingOutput {
            place: place.to_owned(),
            reference: reference.to_string(),
            why,
        };
        let output = (self.output_of)(&reference.task_id)
            .ok_or_else(|| missing(format!("task `{}` has no output", reference.task_id)))?;
        value_at(output, &reference.path).cloned().map_err(missing)
    }

    fn count(&mut self, n_bytes: usize) -> Result<(), ResolveError> {
        self.n_bytes = self.n_bytes.saturating_add(n_bytes);
        if self.n_bytes > MAX_RESOLVED_BYTES {
            return Err(ResolveError::TooLong);
        }
        Ok(())
    }
}

/// Follows a path; the error says where it ends.
fn value_at<'v>(value: &'v Value, path: &[PathPart]) -> Result<&'v Value, String> {
    path.iter().try_fold(value, |value, part| {
        let (found, name) = match part {
            PathPart::Name(name) => {
                let in_array = || {
                    name.parse()
                        .ok()
                        .and_then(|idx: usize| value.as_array()?.get(idx))
                };
                (value.get(name.as_str()).or_else(in_array), name.clone())
            }
            PathPart::Index(idx) => (value.get(*idx), idx.to_string()),
        };
        found.ok_or_else(|| match value {
            Value::Object(fields) => {
                let names: Vec<&str> = fields.keys().map(String::as_str).take(20).collect();
                format!("there is no `{name}` among {}", names.join(", "))
            }
            Value::Array(items) => format!("index {name} is out of range: there are {} values", items.len()),
            _ => format!("`{name}` cannot be looked up in a value that is neither an object nor an array"),
        })
    })
}

/// The text of a value inside a longer string: strings unchanged, everything else as JSON.
fn as_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn json_len(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        other => other.to_string().len(),
    }
}

fn visit(value: &Value, place: &mut String, found: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::String(text) => found(place, text),
        Value::Array(items) => {
            for (idx, item) in items.iter().enumerate() {
                at(place, &idx.to_string(), |place| visit(item, place, found));
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                at(place, name, |place| visit(field, place, found));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Calls `act` with the JSON pointer extended by one part.
fn at<T>(place: &mut String, name: &str, act: impl FnOnce(&mut String) -> T) -> T {
    let len = place.len();
    place.push('/');
    place.push_str(&name.replace('~', "~0").replace('/', "~1"));
    let done = act(place);
    place.truncate(len);
    done
}
