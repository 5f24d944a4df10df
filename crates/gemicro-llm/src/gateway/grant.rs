//! What one step of an agent CLI may reach, and with what.

use std::collections::BTreeMap;
use std::fmt;

use gemicro_core::budget::Limits;
use gemicro_event::{ErrorKind, Failure};
use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::note::Observer;
use super::secret::GatewaySecret;
use super::tool::ServedTool;
use super::wire::AgentApi;
use crate::http;

/// How an agent CLI reaches its model; part of a step's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantAccess {
    /// Through the gateway: every request is reserved and counted, the key stays outside.
    Gateway,
    /// With a login of its own that no gateway can stand before: only turns and time are capped, tokens are
    /// what the CLI says they were.
    Observed,
}

/// What a token opens. All of it is the caller's word; nothing of it comes from a request.
#[derive(Debug, Clone)]
pub struct GatewayGrant {
    /// A name for notes and logs: the step.
    pub label: String,
    /// The API it speaks.
    pub wire: AgentApi,
    /// Where its requests go.
    pub upstream: UpstreamAddress,
    /// The key that is put in on the way out; local servers may need none.
    pub key: Option<GatewaySecret>,
    /// What it may spend; wall time is the engine's to watch.
    pub budget: Limits,
    /// Which models it may ask.
    pub models: ModelRules,
    /// Whether a request may make the provider contact other servers.
    pub web: bool,
    /// Who is told what happens, if anybody.
    pub observer: Option<Observer>,
    /// A tool of ours that it may call, if any.
    pub tool: Option<ServedTool>,
}

/// An address of an API.
#[derive(Clone, PartialEq, Eq)]
pub struct UpstreamAddress {
    base: Url,
    host: String,
}

/// Which models may be asked. A `*` at the end of a name stands for anything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelRules {
    /// Asks for the second where the first was asked for; applied once, before `allow`.
    pub rewrite: BTreeMap<String, String>,
    /// The models that may be asked; `None` lets every model through.
    pub allow: Option<Vec<String>>,
}

impl UpstreamAddress {
    /// Checks an address such as `https://api.anthropic.com`; sends nothing.
    ///
    /// # Errors
    /// When it is not the http or https address of a host, or when it carries a password or parameters.
    pub fn new(address: &str) -> Result<Self, Failure> {
        let wrong = |why: &str| {
            let message = format!("the address of the model API cannot be used: {why}");
            Failure::new(ErrorKind::InvalidInput, message)
        };
        let base = Url::parse(address.trim()).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") || base.cannot_be_a_base() {
            return Err(wrong("expected http:// or https://"));
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(wrong("it holds a user name or password"));
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(wrong("it holds parameters"));
        }
        let host = http::host_of(&base).ok_or_else(|| wrong("it has no host"))?;
        Ok(Self { base, host })
    }

    /// Its host, for people.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    pub(super) fn base(&self) -> &Url {
        &self.base
    }

    /// The address of a path. A base that ends in the version (`…/v1`) is not given it twice.
    pub(super) fn url(&self, path: &[String], query: Option<&str>) -> Url {
        let mut url = self.base.clone();
        let versioned = path.first().is_some_and(|version| {
            let mut parts = self.base.path_segments().into_iter().flatten();
            parts.rfind(|part| !part.is_empty()) == Some(version.as_str())
        });
        if let Ok(mut parts) = url.path_segments_mut() {
            parts.pop_if_empty().extend(&path[usize::from(versioned)..]);
        }
        url.set_query(query);
        url
    }
}

impl fmt::Debug for UpstreamAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Upstream({})", self.base)
    }
}

impl ModelRules {
    /// The model to ask for; `None` where it may not be asked.
    pub(super) fn apply(&self, model: &str) -> Option<String> {
        let rewritten = self.rewrite.iter().find(|(name, _)| fits(name, model));
        let model = rewritten.map_or(model, |(_, to)| to);
        let allowed = match &self.allow {
            None => true,
            Some(allowed) => allowed.iter().any(|name| fits(name, model)),
        };
        allowed.then(|| model.to_owned())
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_joined_with_paths() {
        let path = |parts: &[&str]| parts.iter().map(|&part| part.to_owned()).collect::<Vec<_>>();
        for (base, parts, expected) in [
            (
                "https://a.example",
                &["v1", "models"][..],
                "https://a.example/v1/models",
            ),
            (
                "https://a.example/v1",
                &["v1", "models"],
                "https://a.example/v1/models",
            ),
            (
                "https://a.example/v1/",
                &["v1", "models"],
                "https://a.example/v1/models",
            ),
            (
                "http://a.example/x",
                &["v1beta", "models", "m:go"],
                "http://a.example/x/v1beta/models/m:go",
            ),
        ] {
            let upstream = UpstreamAddress::new(base).unwrap();
            assert_eq!(upstream.url(&path(parts), None).as_str(), expected);
        }
        for wrong in [
            "",
            "a.example",
            "ftp://a",
            "https://u:p@a",
            "https://a?key=1",
            "file:///etc",
        ] {
            assert!(UpstreamAddress::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn models_are_rewritten_and_then_allowed() {
        let rules = ModelRules {
            rewrite: BTreeMap::from([("a-lite*".to_owned(), "a".to_owned())]),
            allow: Some(vec!["a".to_owned(), "b-*".to_owned()]),
        };
        for (model, expected) in [
            ("a", Some("a")),
            ("a-lite-2", Some("a")),
            ("b-9", Some("b-9")),
            ("c", None),
            ("ab", None),
        ] {
            assert_eq!(rules.apply(model).as_deref(), expected, "{model}");
        }
    }
}
