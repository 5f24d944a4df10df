//! Replaces outdated model names by current ones.

use serde::Deserialize;

use super::ModelTable;

/// An outdated model name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplacedName {
    /// The old name; a `*` at its end matches anything.
    pub(super) id: String,
    pub(super) by: String,
    pub(super) why: String,
    /// The old name still works; it is only mentioned if it fails.
    #[serde(default)]
    pub(super) still_served: bool,
    /// gemicro's short name for the current one: nothing to report.
    #[serde(default)]
    pub(super) alias: bool,
}

/// The current model id, and a notice for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedModel {
    /// The id that the provider accepts today.
    pub id: String,
    /// Set if another name was requested.
    pub notice: Option<String>,
}

impl ModelTable {
    /// The current id of a model. An unknown name stays unchanged: new models appear every month.
    #[must_use]
    pub fn resolve(&self, name: &str) -> ResolvedModel {
        let name = plain_id(name.trim());
        match self
            .replaced
            .iter()
            .find(|old| !old.still_served && fits(&old.id, name))
        {
            Some(old) if !self.knows(name) => ResolvedModel {
                id: old.by.clone(),
                notice: (!old.alias).then(|| format!("model {name} {}; using {}", old.why, old.by)),
            },
            Some(_) | None => ResolvedModel {
                id: name.to_owned(),
                notice: None,
            },
        }
    }

    /// The replacement for a model that the provider does not know, or no longer knows.
    #[must_use]
    pub fn replacement(&self, name: &str) -> Option<&str> {
        let old = self.replaced.iter().find(|old| fits(&old.id, plain_id(name)))?;
        Some(&old.by)
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}

/// The id without the prefix `models/`, which the API uses in some answers.
#[must_use]
pub fn plain_id(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// The id without the date at its end: `-20250929`, `-2025-12-11`; `None` if there is no date.
pub(super) fn without_date(model: &str) -> Option<&str> {
    let is_date = |text: &str, shape: &str| {
        text.len() == shape.len()
            && text.bytes().zip(shape.bytes()).all(|(byte, shape)| match shape {
                b'0' => byte.is_ascii_digit(),
                _ => byte == shape,
            })
    };
    ["-00000000", "-0000-00-00"].into_iter().find_map(|shape| {
        let (name, date) = model.split_at_checked(model.len().checked_sub(shape.len())?)?;
        (is_date(date, shape) && !name.is_empty()).then_some(name)
    })
}
