//! The entry point of the policy. Any failure inside it is a denial.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::call::GuardedCall;
use super::config::PolicyConfig;
use super::decision::{Denial, PolicyDecision};
use super::rule::PolicyRule;
use super::tool;

/// Judges one tool call. Never panics: a panic inside the policy is a denial.
pub fn check(config: &PolicyConfig, call: &GuardedCall) -> PolicyDecision {
    match catch_unwind(AssertUnwindSafe(|| tool::judge(config, call))) {
        Ok(Ok(())) => PolicyDecision::Allow,
        Ok(Err(denial)) => PolicyDecision::Deny(denial),
        Err(_) => PolicyDecision::Deny(Denial::new(
            PolicyRule::Internal,
            call.tool.clone(),
            "the policy failed on this call; write the command differently",
        )),
    }
}
