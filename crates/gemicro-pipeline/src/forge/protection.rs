//! How a branch is protected, as far as the forge tells.

use serde::{Deserialize, Serialize};

use super::api::{ForgeAsk, RepositoryApi};
use super::error::ForgeError;

/// What the rules of a forge say about one branch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Protection {
    /// Nobody changes it but by a request that is merged.
    pub requires_request: bool,
    /// Its history cannot be written anew.
    pub blocks_force_push: bool,
    /// The rules that say so, for people: `classic rule`, `ruleset main`.
    pub by: Vec<String>,
    /// What could not be asked, and why, where that could have changed the answer.
    pub unknown: Option<String>,
}

impl Protection {
    /// Whether both rules hold that a pipeline wants.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.requires_request && self.blocks_force_push
    }
}

/// One source of rules of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RuleSource {
    /// It has this to say.
    Said(Protection),
    /// The token may not see it; why, and what that takes.
    Hidden(String),
}

/// A branch at either forge.
#[derive(Debug, Deserialize)]
struct ForgeBranch {
    #[serde(default)]
    protected: bool,
}

/// Where the rules themselves are hidden, the branch still tells whether there are any at all.
pub(crate) async fn rules_of_branch(
    api: &RepositoryApi,
    ask: &ForgeAsk,
    hidden: String,
) -> Result<RuleSource, ForgeError> {
    let answer = api.ask(ask).await?;
    match answer.status {
        200..300 => Ok(match api.read::<ForgeBranch>(ask, &answer)?.protected {
            true => RuleSource::Hidden(hidden),
            false => RuleSource::Said(Protection::default()),
        }),
        403 if answer.limited.is_none() => Ok(RuleSource::Hidden(hidden)),
        _ => Err(api.refusal(ask, &answer)),
    }
}

/// Puts what several sources say together. What is hidden does not matter where the others say enough.
pub(crate) fn join_protection(sources: impl IntoIterator<Item = RuleSource>) -> Protection {
    let mut all = Protection::default();
    let mut hidden = Vec::new();
    for source in sources {
        match source {
            RuleSource::Said(said) => {
                all.requires_request |= said.requires_request;
                all.blocks_force_push |= said.blocks_force_push;
                all.by.extend(said.by);
            }
            RuleSource::Hidden(why) => hidden.push(why),
        }
    }
    all.unknown = (!hidden.is_empty() && !all.is_complete()).then(|| hidden.join("; "));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(requires_request: bool, blocks_force_push: bool, by: &str) -> RuleSource {
        RuleSource::Said(Protection {
            requires_request,
            blocks_force_push,
            by: vec![by.to_owned()],
            unknown: None,
        })
    }

    #[test]
    fn several_sources_add_up() {
        let whole = join_protection([said(true, false, "a"), said(false, true, "b")]);
        assert!(whole.is_complete());
        assert_eq!(whole.by, ["a", "b"]);
    }

    #[test]
    fn what_is_hidden_counts_only_where_something_is_missing() {
        let hidden = || RuleSource::Hidden("not seen".to_owned());
        assert_eq!(join_protection([hidden(), said(true, true, "a")]).unknown, None);
        let part = join_protection([hidden(), said(true, false, "a")]);
        assert_eq!(part.unknown.as_deref(), Some("not seen"));
        assert_eq!(join_protection([]), Protection::default());
    }
}
