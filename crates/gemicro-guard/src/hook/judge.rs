//! Judges one request, from its text to its answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::answer::{HookAnswer, answer, refusal};
use super::error::HookError;
use super::format::HookFormat;
use super::request::HookRequest;
use crate::policy::{PolicyConfig, check};

/// Judges one request. Without a `format`, it is detected from the request. Never panics.
pub fn judge(
    config: &PolicyConfig,
    format: Option<HookFormat>,
    text: &str,
    worktree: Option<&Path>,
) -> HookAnswer {
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let request = match HookRequest::parse(text) {
            Ok(request) => request,
            Err(error) => return refusal(format.unwrap_or(HookFormat::Neutral), &error),
        };
        let format = format.unwrap_or_else(|| request.format());
        match request.call(format, worktree) {
            Ok(call) => answer(format, &check(config, &call)),
            Err(error) => refusal(format, &error),
        }
    }));
    judged.unwrap_or_else(|_| refusal(format.unwrap_or(HookFormat::Neutral), &HookError::Fault))
}
