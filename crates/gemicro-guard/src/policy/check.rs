//! The door of the policy: whatever goes wrong inside is a denial.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::call::ToolCall;
use super::config::PolicyConfig;
use super::decision::{Decision, Denial};
use super::rule::Rule;
use super::tool;

/// Judges one tool call. Never panics: a fault of the policy is a denial.
pub fn check(config: &PolicyConfig, call: &ToolCall) -> Decision {
    match catch_unwind(AssertUnwindSafe(|| tool::judge(config, call))) {
        Ok(Ok(())) => Decision::Allow,
        Ok(Err(denial)) => Decision::Deny(denial),
        Err(_) => Decision::Deny(Denial::new(
            Rule::Internal,
            call.tool.clone(),
            "the policy failed on this call; say it differently",
        )),
    }
}
