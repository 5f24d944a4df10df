//! Branch protection at GitHub: classic rules and rulesets, which add up.

use super::wire::{BranchRule, ClassicRule, Ruleset};
use crate::forge::api::{ForgeAnswer, ForgeAsk, RepositoryApi, percent_encode};
use crate::forge::error::ForgeError;
use crate::forge::protection::{Protection, RuleSource, join_protection, rules_of_branch};

const REQUIRES_REQUEST: &str = "pull_request";
const BLOCKS_FORCE_PUSH: &str = "non_fast_forward";
/// Maximum number of rulesets whose names are looked up; others are shown by number.
const MOST_NAMES: usize = 5;

/// Reads all rules of a branch.
pub(super) async fn protection(
    api: &RepositoryApi,
    project: &str,
    branch: &str,
) -> Result<Protection, ForgeError> {
    let classic = classic(api, project, branch).await?;
    let rulesets = rulesets(api, project, branch).await?;
    Ok(join_protection([classic, rulesets]))
}

async fn classic(api: &RepositoryApi, project: &str, branch: &str) -> Result<RuleSource, ForgeError> {
    let path = format!("/repos/{project}/branches/{}/protection", percent_encode(branch));
    let right = "`Administration: read` (or the scope `repo` of an administrator)";
    let ask = ForgeAsk::get("read the classic protection rules", right, path);
    let answer = api.ask(&ask).await?;
    if answer.is_success() {
        let rule: ClassicRule = api.read(&ask, &answer)?;
        return Ok(RuleSource::Said(said_by_classic(&rule)));
    }
    if answer.status == 404 && api.forge_message(&answer).contains("Branch not protected") {
        return Ok(RuleSource::Said(Protection::default()));
    }
    let hidden = api.hidden_reason(&ask, &answer)?;
    let path = format!("/repos/{project}/branches/{}", percent_encode(branch));
    let ask = ForgeAsk::get("read the branch", "`Contents: read` (or the scope `repo`)", path);
    rules_of_branch(api, &ask, hidden).await
}

async fn rulesets(api: &RepositoryApi, project: &str, branch: &str) -> Result<RuleSource, ForgeError> {
    let path = format!(
        "/repos/{project}/rules/branches/{}?per_page=100",
        percent_encode(branch)
    );
    let ask = ForgeAsk::get(
        "read the rulesets",
        "`Metadata: read` (or the scope `repo`)",
        path,
    );
    let answer: ForgeAnswer = api.ask(&ask).await?;
    if !answer.is_success() {
        return Ok(RuleSource::Hidden(api.hidden_reason(&ask, &answer)?));
    }
    let rules: Vec<BranchRule> = api.read(&ask, &answer)?;
    let has = |kind: &str| rules.iter().any(|rule| rule.kind == kind);
    let mut ids = Vec::new();
    for rule in &rules {
        let counts = [REQUIRES_REQUEST, BLOCKS_FORCE_PUSH].contains(&rule.kind.as_str());
        if counts && !ids.contains(&rule.ruleset_id) {
            ids.push(rule.ruleset_id);
        }
    }
    let mut by = Vec::new();
    for (place, id) in ids.into_iter().enumerate() {
        by.push(match id {
            Some(id) if place < MOST_NAMES => ruleset_name(api, project, id).await,
            Some(id) => format!("ruleset {id}"),
            None => "a ruleset".to_owned(),
        });
    }
    Ok(RuleSource::Said(Protection {
        requires_request: has(REQUIRES_REQUEST),
        blocks_force_push: has(BLOCKS_FORCE_PUSH),
        by,
        unknown: None,
    }))
}

/// Returns a ruleset's name, or its number if the name cannot be read.
async fn ruleset_name(api: &RepositoryApi, project: &str, id: u64) -> String {
    let path = format!("/repos/{project}/rulesets/{id}");
    let ask = ForgeAsk::get("read the name of a ruleset", "`Metadata: read`", path);
    match api.json::<Ruleset>(&ask).await {
        Ok(ruleset) => format!("ruleset {}", ruleset.name),
        Err(_) => format!("ruleset {id}"),
    }
}

/// A classic rule forbids force pushes unless it allows them.
fn said_by_classic(rule: &ClassicRule) -> Protection {
    let requires_request = rule.required_pull_request_reviews.is_some();
    let allowed = rule.allow_force_pushes.as_ref();
    let blocks_force_push = !allowed.is_some_and(|switch| switch.enabled);
    let counts = requires_request || blocks_force_push;
    Protection {
        requires_request,
        blocks_force_push,
        by: counts.then(|| "classic rule".to_owned()).into_iter().collect(),
        unknown: None,
    }
}
