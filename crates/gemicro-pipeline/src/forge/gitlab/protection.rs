//! Protected branches at GitLab. If several rules match a branch, the most permissive one applies.

use super::wire::ProtectedBranch;
use crate::forge::api::{ForgeAsk, RepositoryApi, percent_encode};
use crate::forge::error::ForgeError;
use crate::forge::protection::{Protection, join_protection, rules_of_branch};

/// Page size and maximum number of pages.
const PAGE_SIZE: usize = 100;
const MOST_PAGES: usize = 10;

/// Reads all rules of a branch. The whole list is read, because the call for a single branch ignores patterns.
pub(super) async fn protection(
    api: &RepositoryApi,
    root: &str,
    branch: &str,
) -> Result<Protection, ForgeError> {
    let mut matching = Vec::new();
    for page in 1..=MOST_PAGES {
        let path = format!("{root}/protected_branches?per_page={PAGE_SIZE}&page={page}");
        let right = "the scope `read_api` and the role Maintainer in this project";
        let ask = ForgeAsk::get("read the protected branches", right, path);
        let answer = api.ask(&ask).await?;
        if answer.status == 403 {
            let hidden = api.hidden_reason(&ask, &answer)?;
            let path = format!("{root}/repository/branches/{}", percent_encode(branch));
            let ask = ForgeAsk::get("read the branch", "the scope `read_api`", path);
            return Ok(join_protection([rules_of_branch(api, &ask, hidden).await?]));
        }
        if !answer.is_success() {
            return Err(api.refusal(&ask, &answer));
        }
        let rules: Vec<ProtectedBranch> = api.read(&ask, &answer)?;
        let n_rules = rules.len();
        matching.extend(rules.into_iter().filter(|rule| matches(&rule.name, branch)));
        if n_rules < PAGE_SIZE {
            break;
        }
    }
    Ok(said_by(&matching))
}

fn said_by(rules: &[ProtectedBranch]) -> Protection {
    let nobody_pushes = |rule: &ProtectedBranch| {
        rule.push_access_levels
            .iter()
            .all(|level| level.access_level == Some(0))
    };
    let requires_request = !rules.is_empty() && rules.iter().all(nobody_pushes);
    let blocks_force_push = !rules.is_empty() && !rules.iter().any(|rule| rule.allow_force_push);
    let counts = requires_request || blocks_force_push;
    let named = rules.iter().filter(|_| counts);
    Protection {
        requires_request,
        blocks_force_push,
        by: named
            .map(|rule| format!("protected branch {}", rule.name))
            .collect(),
        unknown: None,
    }
}

/// Returns true if a rule's name matches a branch; `*` matches any text, including slashes.
fn matches(pattern: &str, branch: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == branch;
    };
    let Some(mut left) = branch.strip_prefix(start) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(place) = left.find(part) else {
            return false;
        };
        left = &left[place + part.len()..];
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_at_gitlab() {
        let cases = [
            ("main", "main", true),
            ("main", "mainly", false),
            ("*", "task/a", true),
            ("ma*", "main", true),
            ("*-stable", "1.2-stable", true),
            ("*-stable", "stable", false),
            ("release/*/final", "release/1/2/final", true),
            ("release/*/final", "release/final", false),
            ("a*b*c", "a-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("a*a", "a", false),
            ("Main", "main", false),
        ];
        for (pattern, branch, expected) in cases {
            assert_eq!(matches(pattern, branch), expected, "{pattern} {branch}");
        }
    }

    #[test]
    fn the_rule_that_allows_most_counts() {
        let rule = |name: &str, levels: &[Option<u32>], allow_force_push| ProtectedBranch {
            name: name.to_owned(),
            push_access_levels: levels
                .iter()
                .map(|&access_level| super::super::wire::AccessLevel { access_level })
                .collect(),
            allow_force_push,
        };
        let strict = || rule("main", &[Some(0)], false);
        let cases = [
            (vec![], (false, false), 0),
            (vec![strict()], (true, true), 1),
            (vec![strict(), rule("ma*", &[Some(40)], false)], (false, true), 2),
            (vec![strict(), rule("*", &[Some(0)], true)], (true, false), 2),
            (vec![rule("main", &[Some(0), None], false)], (false, true), 1),
            (vec![rule("main", &[Some(40)], true)], (false, false), 0),
        ];
        for (rules, expected, n_named) in cases {
            let said = said_by(&rules);
            let got = (said.requires_request, said.blocks_force_push);
            assert_eq!((got, said.by.len()), (expected, n_named), "{rules:?}");
        }
    }
}
