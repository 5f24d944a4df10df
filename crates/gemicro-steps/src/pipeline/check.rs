//! Runs the checks of a workflow, each in a fresh checkout, and records their results as evidence.

use std::collections::BTreeMap;
use std::time::Duration;

use gemicro_agents::branch_at::open_plain;
use gemicro_agents::caches::CheckoutUse;
use gemicro_agents::checkout::{Checkout, SetUp};
use gemicro_agents::step_tools::{Tools, commit, run_blocking};
use gemicro_agents::{OnBranch, StepWorkerKind, to_failure};
use gemicro_core::execute::StepCall;
use gemicro_event::Failure;
use gemicro_guard::sandbox::show_program_hint;
use gemicro_pipeline::evidence::{
    CheckExit, CheckRun, CheckVerdict, by_family, find_masked_exit, judge, test_names,
};
use gemicro_pipeline::payload::DOCUMENT_FOLDER;
use gemicro_pipeline::steps::{CheckInput, CheckRecord, Evidence};
use gemicro_pipeline::workflow::Check;
use tokio_util::sync::CancellationToken;

use super::write_documents::write;

/// Maximum bytes kept of the output of a failed check.
const KEPT: usize = 4096;

pub(crate) async fn check(tools: &Tools, input: CheckInput, call: &StepCall) -> Result<Evidence, Failure> {
    let branch = open_plain(tools, &input.place, call).await?;
    let (evidence, branch) = gather(tools, branch, (&input, CheckoutUse::Check), &call.cancel).await?;
    let tripped = branch.leave_clean(StepWorkerKind::Agent).await;
    tripped.tell(&call.reporter);
    Ok(evidence)
}

/// Runs every check, even if others fail, each in its own checkout: it may run code that agents wrote, so nothing it
/// leaves may affect the next.
pub(crate) async fn gather(
    tools: &Tools,
    mut branch: OnBranch,
    (input, used): (&CheckInput, CheckoutUse),
    cancel: &CancellationToken,
) -> Result<(Evidence, OnBranch), Failure> {
    let mut evidence = Evidence {
        tree: tree(&branch).await?,
        checks: Vec::new(),
    };
    for check in &input.checks {
        let checkout = Checkout::fresh(tools, branch, &input.place, used).await?;
        let (checkout, set_up) = checkout.set_up(tools, &input.place.setup, cancel).await?;
        let checked = match set_up {
            SetUp::Well => {
                write(&checkout, &input.records, cancel).await?;
                one(&checkout, check, cancel).await?
            }
            SetUp::Failed(fault) | SetUp::Unverified(fault) => not_set_up(check, &fault),
        };
        evidence.checks.push(checked);
        branch = match used {
            CheckoutUse::Base => checkout.leave_base(&input.place.caches).await?,
            CheckoutUse::Agent | CheckoutUse::Check | CheckoutUse::Own => checkout.leave(),
        };
    }
    Ok((evidence, branch))
}

fn not_set_up(check: &Check, fault: &str) -> CheckRecord {
    let why = format!("the check `{}` could not be run: {fault}", check.name);
    CheckRecord {
        name: check.name.clone(),
        command: check.command.clone(),
        verdict: CheckVerdict::Failed { why },
        is_test_suite: check.tests,
        tests: Vec::new(),
        by_family: BTreeMap::new(),
        took_ms: 0,
        output: String::new(),
    }
}

async fn one(checkout: &Checkout, check: &Check, cancel: &CancellationToken) -> Result<CheckRecord, Failure> {
    let mut run = CheckRun {
        name: check.name.clone(),
        command: check.command.clone(),
        is_test_suite: check.tests,
        exit: CheckExit::NotStarted("its exit status would prove nothing".to_owned()),
        output: String::new(),
    };
    let mut took = Duration::ZERO;
    // A command that hides its exit code proves nothing, so it is not run.
    if find_masked_exit(&check.command).is_none() {
        let limit = Duration::from_millis(check.timeout_ms);
        let ran = checkout.workshop.run(&check.command, limit, cancel).await?;
        took = ran.took;
        run.output = ran.output;
        run.exit = match ran.exit_code {
            None => CheckExit::TimedOut,
            Some(code) => CheckExit::Code(code),
        };
    }
    let mut verdict = judge(&run);
    if let CheckVerdict::Failed { why } = &mut verdict
        && let Some(program) = checkout.workshop.profile.hidden_program(&run.output)
    {
        *why = format!("{why}; {}", show_program_hint(&program));
    }
    let mut checked = CheckRecord {
        verdict,
        name: run.name,
        command: run.command,
        is_test_suite: run.is_test_suite,
        tests: Vec::new(),
        by_family: BTreeMap::new(),
        took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        output: String::new(),
    };
    match checked.fault() {
        None => {
            checked.tests = test_names(&run.output);
            checked.by_family = by_family(&run.output);
        }
        Some(_) => checked.output = ending(&run.output),
    }
    Ok(checked)
}

/// The tree at the tip, without the task documents.
pub(super) async fn tree(branch: &OnBranch) -> Result<String, Failure> {
    let (repository, tip) = (branch.repository().clone(), branch.tip());
    run_blocking(move || {
        let tree = repository.tree_without(&commit(&tip)?, &[DOCUMENT_FOLDER]);
        tree.map_err(|error| to_failure(&error))
    })
    .await
}

fn ending(text: &str) -> String {
    text[text.ceil_char_boundary(text.len().saturating_sub(KEPT))..].to_owned()
}
