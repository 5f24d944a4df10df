//! What helps after every kind of failure: before there is a branch, in the phase of an agent, in one of gemicro itself.

use std::fmt::Write as _;

use gemicro_engine::pipeline::flow::PhaseStarted;
use gemicro_engine::pipeline::steps::{Evidence, InitResult, IntendedBranch};
use gemicro_event::{ErrorKind, Failure, StreamId, Timestamp};

use super::{PhaseStory, PipelineStory, at_start, hint};

/// A run that came to a phase.
fn in_phase(phase: &str, role: Option<&str>) -> PipelineStory {
    let started = PhaseStarted {
        phase: phase.to_owned(),
        label: "X".to_owned(),
        round: 1,
        role: role.map(str::to_owned),
        agent: None,
        model: None,
        memory: Vec::new(),
    };
    let prepared = InitResult {
        branch: "task/toggle".to_owned(),
        base: "a".repeat(40),
        tip: "a".repeat(40),
        main: IntendedBranch {
            name: "main".to_owned(),
            commit: "a".repeat(40),
            remote: None,
        },
        handover: String::new(),
        worktree: None,
        protection: None,
        evidence: Evidence {
            tree: String::new(),
            checks: Vec::new(),
        },
        human_review: None,
        memory: Vec::new(),
        notes: Vec::new(),
    };
    PipelineStory {
        prepared: Some(prepared),
        phases: vec![PhaseStory::new(started, Timestamp::now(), None)],
        ..PipelineStory::default()
    }
}

#[test]
fn every_kind_of_failure_has_help_for_pipelines() {
    let run = StreamId::new("k3v9k3v9k3v9k3v9").unwrap();
    let mut table = String::new();
    for (place, story) in [
        ("before the branch", PipelineStory::default()),
        ("an agent works", in_phase("audit", Some("Auditor"))),
        ("gemicro works", in_phase("delivery", None)),
    ] {
        let _ = writeln!(table, "## {place}\n");
        for kind in ErrorKind::ALL {
            let words = hint(&Failure::new(*kind, "it failed"), &run, &story);
            let _ = writeln!(table, "{kind}: {words}");
            assert!(!words.trim().is_empty(), "{kind}");
            let is_quoted = words.matches('$').count() == words.matches("'$").count();
            assert!(is_quoted, "a shell would read it otherwise: {words}");
            if let Some(again) = story.again(&run) {
                assert!(words.contains(&again), "{kind}: {words}");
                for other in ["--offline", "--source", "question", "sub-quer"] {
                    assert!(!words.contains(other), "{kind} is not about research: {words}");
                }
            }
        }
        table.push('\n');
    }
    insta::assert_snapshot!("hints", table);
}

#[test]
fn what_stops_a_run_at_its_start_is_fixed_by_its_options() {
    for (kind, option) in [
        (ErrorKind::Conflict, "--branch"),
        (ErrorKind::InvalidInput, "--dir"),
        (ErrorKind::NotFound, "--remote"),
        (ErrorKind::UnsupportedRepository, "--dir"),
        (ErrorKind::PermissionDenied, "--require-protection"),
        (ErrorKind::UpstreamError, "--remote"),
        (ErrorKind::AuthFailed, "gemicro doctor"),
    ] {
        let words = at_start(kind).unwrap_or_default();
        assert!(words.contains(option), "{kind}: {words}");
    }
}
