//! The closed list of error kinds against its documentation.

use std::collections::HashSet;

use gemicro_event::{ErrorKind, Failure, Json};

/// Wire name, exit code, retryable: the documented table.
const TABLE: &[(&str, u8, bool)] = &[
    ("idle_timeout", 4, true),
    ("timeout", 4, true),
    ("command_not_found", 3, false),
    ("auth_failed", 3, false),
    ("rate_limited", 4, true),
    ("quota_exhausted", 4, false),
    ("upstream_error", 4, true),
    ("empty_result", 4, true),
    ("truncated_output", 4, true),
    ("blocked", 4, false),
    ("malformed_output", 4, true),
    ("invalid_input", 2, false),
    ("budget_exceeded", 5, false),
    ("permission_denied", 3, false),
    ("sandbox_unavailable", 3, false),
    ("session_not_found", 4, true),
    ("cancelled", 130, false),
    ("interrupted", 130, false),
    ("all_sub_queries_failed", 4, false),
    ("no_evidence", 6, false),
    ("still_running", 7, false),
    ("not_found", 2, false),
    ("conflict", 7, false),
    ("branch_switched", 8, false),
    ("import_refused", 8, false),
    ("gate_closed", 8, false),
    ("replay_differs", 8, false),
    ("checks_failed", 3, false),
    ("unsupported_repository", 3, false),
    ("storage_error", 3, false),
    ("unknown_model", 2, false),
    ("command_failed", 4, true),
    ("tasks_failed", 9, false),
    ("input_required", 10, false),
    ("internal", 1, false),
];

#[test]
fn every_kind_is_as_documented() {
    let actual: Vec<_> = ErrorKind::ALL
        .iter()
        .map(|kind| (kind.as_str(), kind.exit_code(), kind.is_retryable()))
        .collect();
    assert_eq!(actual, TABLE);
}

#[test]
fn every_kind_makes_the_round_trip_and_has_a_hint() {
    let mut names = HashSet::new();
    for &kind in ErrorKind::ALL {
        assert!(names.insert(kind.as_str()));
        assert_eq!(kind.as_str().parse::<ErrorKind>(), Ok(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        assert_eq!(
            serde_json::from_value::<ErrorKind>(kind.to_string().into()).unwrap(),
            kind
        );
        assert!(kind.hint().len() > 10 && !kind.hint().ends_with('.'), "{kind}");
    }
    for text in ["", "Timeout", "timeout ", "unknown"] {
        assert!(text.parse::<ErrorKind>().is_err(), "{text}");
    }
}

#[test]
fn failures_leave_out_what_they_do_not_know() {
    let short = Failure::new(ErrorKind::NoEvidence, "nothing found");
    assert_eq!(
        serde_json::to_string(&short).unwrap(),
        r#"{"kind":"no_evidence","message":"nothing found"}"#
    );
    let long = Failure {
        detail: Some(Json::from_text(r#"{"status":429, "x":1.10}"#).unwrap()),
        retry_after_ms: Some(1500),
        ..Failure::new(ErrorKind::RateLimited, "slow down")
    };
    let text = serde_json::to_string(&long).unwrap();
    assert_eq!(
        text,
        r#"{"kind":"rate_limited","message":"slow down","detail":{"status":429, "x":1.10},"retry_after_ms":1500}"#
    );
    assert_eq!(serde_json::from_str::<Failure>(&text).unwrap(), long);
}
