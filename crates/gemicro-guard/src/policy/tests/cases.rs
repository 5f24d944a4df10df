//! Tables of commands: `firewall-cases.jsonl` is the reference's, `rules.txt` and `families.txt` are ours.

use serde_json::{Map, Value};

use super::{WORKTREE, filled, shell};
use crate::policy::{GuardedCall, PolicyConfig, PolicyDecision, check};

const REFERENCE: &str = include_str!("../../../tests/policy/firewall-cases.jsonl");
const RULES: &str = include_str!("../../../tests/policy/rules.txt");
const FAMILIES: &str = include_str!("../../../tests/policy/families.txt");

/// A line of our tables: whether it is allowed, and the command.
pub(super) fn rules() -> Vec<(bool, String)> {
    RULES
        .lines()
        .chain(FAMILIES.lines())
        .filter_map(|line| {
            let allowed = match line.get(..2)? {
                "+ " => true,
                "- " => false,
                _ => return None,
            };
            let text = filled(&line[2..])
                .replace("\\n", "\n")
                .replace("\\r", "\r")
                .replace("\\t", "\t");
            Some((allowed, text))
        })
        .collect()
}

pub(super) fn reference() -> Vec<(Value, GuardedCall)> {
    REFERENCE
        .lines()
        .map(|line| {
            let case: Value = serde_json::from_str(&filled(line)).unwrap();
            let args = match case.get("args") {
                Some(args) => args.as_object().unwrap().clone(),
                None => Map::from_iter([("command".to_owned(), case["command"].clone())]),
            };
            let call = GuardedCall {
                tool: case["tool"].as_str().unwrap().to_owned(),
                args,
                cwd: WORKTREE.into(),
                worktree: WORKTREE.into(),
            };
            (case, call)
        })
        .collect()
}

#[test]
fn the_reference_gets_its_answers() {
    let (mut wrong, mut n_policy, mut left) = (Vec::new(), 0, Vec::new());
    for (case, call) in reference() {
        let decision = check(&PolicyConfig::default(), &call);
        let as_expected = decision.is_allowed() == (case["expect"] == "allow");
        // What a program does once it runs is for the sandbox: a line of these layers may pass here.
        let for_sandbox = case["layer"] != "command" && case.get("command").is_some();
        n_policy += usize::from(!for_sandbox);
        if !as_expected && for_sandbox {
            left.push(case["id"].as_str().unwrap().to_owned());
        } else if !as_expected {
            wrong.push(format!("{case}: {decision:?}"));
        }
    }
    println!("{n_policy} cases for the policy; left to the sandbox: {left:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_rules_hold() {
    let rules = rules();
    let wrong: Vec<String> = rules
        .iter()
        .filter_map(|(allowed, command)| {
            let decision = shell(command);
            (decision.is_allowed() != *allowed).then(|| format!("{command:?}: {decision:?}"))
        })
        .collect();
    let n_allowed = rules.iter().filter(|(allowed, _)| *allowed).count();
    println!("{} cases, {n_allowed} to allow", rules.len());
    assert!(rules.len() > 400);
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_denial_says_rule_segment_and_hint() {
    let PolicyDecision::Deny(denial) = shell("ls && git push origin main") else {
        panic!("allowed");
    };
    assert_eq!(
        denial.message(),
        "Permission Denied: git_subcommand (git push origin main): the orchestrator pushes and fetches; just commit"
    );
}
