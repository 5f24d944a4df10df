//! What a verdict is worth: never anything for another tree than the one it saw.

use gemicro_pipeline::flow::{GateDecision, Vote, gate};
use gemicro_pipeline::payload::AgentDecision;
use gemicro_pipeline::workflow::PipelineMode;
use proptest::prelude::*;
use serde_json::json;

use super::in_hand::{REVIEW, begun, developed, evidence, outcomes, planned, prompt, says, taken};

fn vote(decision: &AgentDecision, tree: &str) -> Vote {
    Vote {
        word: decision.word().to_owned(),
        tree: tree.to_owned(),
    }
}

#[test]
fn a_no_always_counts_and_a_yes_only_with_all_that_it_needs() {
    let good = evidence("t", true);
    let cases = [
        (AgentDecision::Fail, "x", None, true),
        (AgentDecision::Reject, "x", None, true),
        (AgentDecision::Escalate, "x", None, true),
        (AgentDecision::Approve, "t", None, true),
        (AgentDecision::Approve, "x", None, false),
        (AgentDecision::Approve, "", None, false),
        (AgentDecision::Pass, "t", Some(good.clone()), true),
        (AgentDecision::Pass, "t", None, false),
        (AgentDecision::Pass, "x", Some(good.clone()), false),
        (AgentDecision::Pass, "t", Some(evidence("x", true)), false),
        (AgentDecision::Pass, "t", Some(evidence("t", false)), false),
    ];
    for (decision, tree, evidence, counts) in cases {
        let decided = gate(&vote(&decision, tree), &decision, "t", evidence.as_ref());
        assert_eq!(decided == GateDecision::Counts, counts, "{decision:?} {tree}");
    }
}

proptest! {
    #[test]
    fn whatever_changed_after_the_review_voids_it(reviewed in "[a-f0-9]{0,64}", now in "[a-f0-9]{1,64}", is_good: bool) {
        prop_assume!(reviewed != now);
        for decision in [AgentDecision::Pass, AgentDecision::Approve] {
            for seen in [None, Some(evidence(&now, is_good)), Some(evidence(&reviewed, is_good))] {
                let decided = gate(&vote(&decision, &reviewed), &decision, &now, seen.as_ref());
                prop_assert!(matches!(decided, GateDecision::Void(_)), "{decided:?}");
            }
        }
    }
}

#[test]
fn fifty_changes_after_a_review_void_it() {
    for number in 0..50 {
        let mut pipeline = begun(PipelineMode::Direct);
        planned(&mut pipeline);
        developed(&mut pipeline, 1, "tree-1");
        says(
            &mut pipeline,
            "audit.1",
            &json!({ "verdict": "PASS", "review_path": REVIEW }),
        );
        // What comes back from the reviewer is not what it was given.
        pipeline.complete("audit.1:import", &taken(&format!("tree-1{number}")));
        assert_eq!(outcomes(&pipeline).last().unwrap(), "audit.1 again", "{number}");
        assert!(prompt(&pipeline, "audit.2:agent.1").contains("changed after it was reviewed"));
    }
}
