//! Protection: on, off, by rulesets and patterns, and what a token may not see.

use gemicro_pipeline::forge::{ForgeError, ForgeKind, Protection};
use gemicro_sim::forge::{CallPurpose, ScriptedProtection};

use super::stage::{KINDS, script, stage};

fn protection(requires_request: bool, blocks_force_push: bool, by: &[&str]) -> Protection {
    Protection {
        requires_request,
        blocks_force_push,
        by: by.iter().map(|&rule| rule.to_owned()).collect(),
        unknown: None,
    }
}

async fn check(kind: ForgeKind, scripted: ScriptedProtection, expected: Protection) {
    let mut script = script(kind);
    script.protection = scripted;
    let (_running, forge) = stage(script).await;
    assert_eq!(
        forge.protection("main").await.unwrap(),
        expected,
        "{kind} {scripted:?}"
    );
}

#[tokio::test]
async fn the_default_branch_is_reported() {
    for kind in KINDS {
        let mut script = script(kind);
        script.default_branch = "trunk".to_owned();
        let (_running, forge) = stage(script).await;
        assert_eq!(forge.default_branch().await.unwrap(), "trunk");
        assert_eq!(forge.name(), format!("{kind} octo/hello"));
    }
}

#[tokio::test]
async fn an_unprotected_branch() {
    for kind in KINDS {
        check(kind, ScriptedProtection::Off, Protection::default()).await;
    }
}

#[tokio::test]
async fn a_protected_branch() {
    check(
        ForgeKind::GitHub,
        ScriptedProtection::On,
        protection(true, true, &["classic rule"]),
    )
    .await;
    check(
        ForgeKind::GitLab,
        ScriptedProtection::On,
        protection(true, true, &["protected branch main"]),
    )
    .await;
}

#[tokio::test]
async fn a_rule_that_protects_nothing() {
    for kind in KINDS {
        check(kind, ScriptedProtection::Weak, Protection::default()).await;
    }
}

#[tokio::test]
async fn rulesets_and_patterns() {
    let ruleset = protection(true, true, &["ruleset guard main"]);
    check(ForgeKind::GitHub, ScriptedProtection::Ruleset, ruleset).await;
    let pattern = protection(true, true, &["protected branch ma*"]);
    check(ForgeKind::GitLab, ScriptedProtection::Ruleset, pattern).await;
}

#[tokio::test]
async fn rules_that_the_token_may_not_see_are_unknown() {
    for (kind, expected) in [
        (
            ForgeKind::GitHub,
            "the token may not read the classic protection rules (HTTP 403: Resource not accessible by personal \
             access token); it needs `Administration: read` (or the scope `repo` of an administrator)",
        ),
        (
            ForgeKind::GitLab,
            "the token may not read the protected branches (HTTP 403: 403 Forbidden); it needs the scope `read_api` \
             and the role Maintainer in this project",
        ),
    ] {
        let unknown = Protection {
            unknown: Some(expected.to_owned()),
            ..Protection::default()
        };
        check(kind, ScriptedProtection::Forbidden, unknown).await;
        // The branch itself says that there is no rule.
        check(kind, ScriptedProtection::ForbiddenOff, Protection::default()).await;
    }
}

#[tokio::test]
async fn a_branch_that_is_not_there() {
    for kind in KINDS {
        let mut script = script(kind);
        script.protection = ScriptedProtection::Forbidden;
        let (running, forge) = stage(script).await;
        let error = forge.protection("no/such").await.unwrap_err();
        assert!(matches!(error, ForgeError::NotFound { .. }), "{error:?}");
        assert!(running.count(CallPurpose::Protection) >= 2);
    }
}
