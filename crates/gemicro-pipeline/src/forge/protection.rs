//! Branch protection, as reported by the forge.

use serde::{Deserialize, Serialize};

use super::api::{ForgeAsk, RepositoryApi};
use super::error::ForgeError;

/// The protection of one branch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Protection {
    /// It can only be changed by merging a request.
    pub requires_request: bool,
    /// Its history cannot be rewritten.
    pub blocks_force_push: bool,
    /// Display names of the rules: `classic rule`, `ruleset main`.
    pub by: Vec<String>,
    /// Rules that could not be read, and why, if they could change the result.
    pub unknown: Option<String>,
}

impl Protection {
    /// Whether the branch has all the protection that a pipeline wants.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.requires_request && self.blocks_force_push
    }
}

/// One source of branch rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RuleSource {
    /// The rules were read.
    Said(Protection),
    /// The token may not see the rules. Holds the reason and the permission needed.
    Hidden(String),
}

/// A branch at either forge.
#[derive(Debug, Deserialize)]
struct ForgeBranch {
    #[serde(default)]
    protected: bool,
}

/// Used if the rules are hidden: the branch still says whether there are any.
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

/// Combines several sources. Hidden rules do not matter if the others already protect the branch.
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
