//! Putting outputs in the place of references.

use gemicro_event::{ErrorKind, Failure, Json};
use serde_json::{Map, Value};

use super::template::{PathPart, Reference, ReferenceTemplate, TemplatePiece};
use crate::contract::MAX_RESOLVED_BYTES;

/// A reference that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: the reference {reference} cannot be resolved: {why}")]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub struct MissingOutput {
    /// Where it stands in the parameters.
    pub place: String,
    pub reference: String,
    /// What is not there.
    pub why: String,
}

/// Why parameters cannot be completed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// A reference leads nowhere.
    #[error(transparent)]
    Missing(#[from] MissingOutput),
    /// With the outputs in them the parameters are too long.
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

/// The parameters of a task after its references were replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedParameters {
    /// The parameters with every reference replaced.
    pub parameters: Value,
    /// Values that stand beside them, by name: a shell finds them as variables.
    pub variables: Vec<(String, String)>,
}

/// Whether there can be anything to resolve in a JSON text.
pub(crate) fn may_refer(text: &str) -> bool {
    // Either letter of `${` may be written as an escape.
    text.contains("${") || text.contains("\\u00")
}

/// All references of a value, with the places where they stand.
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

/// Puts the outputs of tasks in the place of references. In the field `bound`, if there is one, a value is not put
/// into the text but beside it, as a variable that the text names: what a task printed never becomes a command.
///
/// # Errors
/// When a reference leads nowhere, or the result is too long.
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

    /// Names a value and gives the text that stands for it in a shell.
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

/// Follows a path; the error says how far it led.
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
            Value::Array(items) => format!("there is no place {name} among {} values", items.len()),
            _ => format!("`{name}` is looked for in a plain value"),
        })
    })
}

/// A value inside a longer text: a string as it is, everything else as JSON.
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

/// Does something one step further down, as a JSON pointer has it.
fn at<T>(place: &mut String, name: &str, act: impl FnOnce(&mut String) -> T) -> T {
    let len = place.len();
    place.push('/');
    place.push_str(&name.replace('~', "~0").replace('/', "~1"));
    let done = act(place);
    place.truncate(len);
    done
}
