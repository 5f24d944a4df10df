//! The table of models and its lookup.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::ModelPrice;
use super::names::{ReplacedName, plain_id, without_date};

/// Minimum similarity of two names, from 0 to 1, to suggest one for the other.
const LIKE: f64 = 0.85;
/// Maximum number of suggested names.
const MAX_LIKE: usize = 3;

/// The context size of a model, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelSize {
    /// Maximum input, or the total if the window is shared.
    pub window: u64,
    /// Maximum output of one call.
    pub max_output: u64,
    /// Whether input, thoughts and output share the window.
    pub shared_window: bool,
}

/// The known models, with the date and source of the figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelTable {
    date: String,
    source: String,
    models: BTreeMap<String, ModelEntry>,
    pub(super) replaced: Vec<ReplacedName>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ModelEntry {
    size: ModelSize,
    price: Option<ModelPrice>,
    is_agent: bool,
}

impl ModelTable {
    /// The table embedded in this program.
    #[must_use]
    pub fn embedded() -> &'static Self {
        static TABLE: LazyLock<ModelTable> = LazyLock::new(|| {
            ModelTable::from_toml(include_str!("models.toml")).expect("a test reads the embedded price file")
        });
        &TABLE
    }

    /// Parses a model table. Error messages are for the person who edits it.
    pub(super) fn from_toml(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| format!("malformed: {error}"))?;
        let mut models = BTreeMap::new();
        for entry in file.model {
            let size = ModelSize {
                window: entry.window,
                max_output: entry.max_output,
                shared_window: entry.shared_window,
            };
            let price = entry.price()?;
            let known = ModelEntry {
                size,
                price,
                is_agent: entry.agent,
            };
            if models.insert(entry.id.clone(), known).is_some() {
                return Err(format!("{} is listed twice", entry.id));
            }
        }
        Ok(Self {
            date: file.date,
            source: file.source,
            models,
            replaced: file.replaced,
        })
    }

    /// Whether a model is listed.
    #[must_use]
    pub fn knows(&self, model: &str) -> bool {
        self.entry(model).is_some()
    }

    /// Whether this is an agent that works by itself in the background, not a model.
    #[must_use]
    pub fn is_agent(&self, model: &str) -> bool {
        self.entry(model).is_some_and(|entry| entry.is_agent)
    }

    /// The prices of a model; `None` if the model or its price is unknown.
    #[must_use]
    pub fn price(&self, model: &str) -> Option<&ModelPrice> {
        self.entry(model)?.price.as_ref()
    }

    /// The context size of a model; `None` if it is unknown.
    #[must_use]
    pub fn size(&self, model: &str) -> Option<ModelSize> {
        self.entry(model).map(|entry| entry.size)
    }

    /// The entry of a model, by its full name or by the name without its date.
    fn entry(&self, model: &str) -> Option<&ModelEntry> {
        let model = plain_id(model);
        let entry = self.models.get(model);
        entry.or_else(|| self.models.get(without_date(model)?))
    }

    /// The names of the known models.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.models.keys().map(String::as_str)
    }

    /// A suggestion for a mistyped name: `; known models like it: …`, or an empty string.
    #[must_use]
    pub fn like(&self, name: &str) -> String {
        let name = plain_id(name).to_ascii_lowercase();
        let likeness = |known: &str| strsim::jaro_winkler(known, &name);
        let mut known: Vec<&str> = self.models().filter(|it| likeness(it) >= LIKE).collect();
        known.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
        known.truncate(MAX_LIKE);
        match known.as_slice() {
            [] => String::new(),
            known => format!("; known models like it: {}", known.join(", ")),
        }
    }

    /// The date of the figures.
    #[must_use]
    pub fn date(&self) -> &str {
        &self.date
    }

    /// The source of the figures.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    date: String,
    source: String,
    model: Vec<ListedModel>,
    #[serde(default)]
    replaced: Vec<ReplacedName>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedModel {
    id: String,
    input: Option<String>,
    output: Option<String>,
    cached: Option<String>,
    window: u64,
    max_output: u64,
    #[serde(default)]
    shared_window: bool,
    #[serde(default)]
    agent: bool,
}

impl ListedModel {
    fn price(&self) -> Result<Option<ModelPrice>, String> {
        let read = |text: &Option<String>| match text {
            None => Ok(None),
            Some(text) => match micro_usd(text) {
                Some(price) => Ok(Some(price)),
                None => Err(format!(
                    "the price `{text}` of {} is not an amount in dollars",
                    self.id
                )),
            },
        };
        match (read(&self.input)?, read(&self.output)?, read(&self.cached)?) {
            (Some(input), Some(output), cached) => Ok(Some(ModelPrice {
                input,
                output,
                cached: cached.unwrap_or(input),
            })),
            (None, None, None) => Ok(None),
            (_, _, _) => Err(format!("{} has only one of its prices", self.id)),
        }
    }
}

/// Parses dollars with up to six decimals, exactly.
fn micro_usd(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || decimals.len() > 6 || !is_digits(whole) || !is_digits(decimals) {
        return None;
    }
    format!("{whole}{decimals:0<6}").parse().ok()
}
