//! Statuses that are kept and given back, and those that only seem to be.

use super::masked;

const KEPT: &[&str] = &[
    "make test; rc=$?; exit $rc",
    "make test; rc=$?; cat log; exit $rc",
    "make test; status=$?; echo \"status=$status\"; docker compose down; exit \"${status}\"",
    "rc=0; make test || rc=$?; exit $rc",
    "make test || rc=$?; cat log; exit ${rc:-0}",
    "rc=0; make lint || rc=1; make test || rc=$?; exit $rc",
    "(make test; rc=$?; cat log; exit $rc)",
    "bash -c 'make test; rc=$?; cat log; exit $rc'",
    "pytest | tee log; exit ${PIPESTATUS[0]}",
    "pytest 2>&1 | tee log; exit \"${PIPESTATUS[0]}\"",
    "pytest | tee log; rc=${PIPESTATUS[0]}; cat log; exit $rc",
    "make test || { tail -50 log; exit 1; }",
    "make test || (tail -50 log; exit 1)",
    "make test || { ./report.sh; make logs | head; exit 2; }",
    "make test || { rc=$?; cat log; exit $rc; }",
    "make test || { rc=$?; echo \"failed with $rc\"; exit 1; }",
    "make test || (docker compose logs && exit 1)",
    "if make test; then echo good; else tail log; exit 1; fi",
    "! grep -rn TODO src",
    "! git grep -n '<<<<<<<'",
    "gofmt -l . | (! grep .)",
    "if grep -rn TODO src; then exit 1; fi",
    "if grep -rn TODO src; then echo found; exit 1; fi; make test",
    "test -z \"$(gofmt -l .)\"",
    "docker compose up -d && make test",
    "docker run -d db && make test",
    "npm ci && npm test",
    "cd app && pytest",
];

const LOST: &[&str] = &[
    "make test; rc=$?; exit 0",
    "make test; rc=$?; exit $other",
    "make test; rc=$?; rc=0; exit $rc",
    "make test; rc=$?; read rc < file; exit $rc",
    "make test; rc=$?; let rc=0; exit $rc",
    "make test; rc=$?; printf -v rc 0; exit $rc",
    "make test; rc=$?; export rc=0; exit $rc",
    "make test; rc=$?; [ -n \"$CI\" ] || exit 0; exit $rc",
    "make test; rc=$?; . ./after.sh; exit $rc",
    "make test; rc=$?; exit $rc &",
    "make test; echo; rc=$?; exit $rc",
    "make lint; rc=$?; make test; exit $rc",
    "make lint; rc=$?; make test; rc=$?; exit $rc",
    "make test || rc=$?; exit",
    "make test || rc=0; exit $rc",
    "make test && rc=$?; exit $rc",
    "cat x | pytest | tee log; exit ${PIPESTATUS[0]}",
    "pytest | tee log; exit ${PIPESTATUS[1]}",
    "pytest | tee log; echo; exit ${PIPESTATUS[0]}",
    "make test || { exec true; exit 1; }",
    "make test || { echo; rc=$?; exit $rc; }",
    "make test || { rc=$?; rc=0; exit $rc; }",
    "make test || { rc=0; exit $rc; }",
    "if ! make test; then rc=$?; exit $rc; fi",
    "make test || { . ./x.sh; exit 1; }",
    "make test || { command . ./x.sh; exit 1; }",
    "make test || { eval \"$X\"; exit 1; }",
    "make test || { $X; exit 1; }",
    "make test || { tail log; exit; }",
    "! pytest",
    "! pytest | grep FAILED",
    "set -e; ! grep -q x y; echo",
    "! grep -q FAILED <(pytest)",
    "if grep -q x y; then exit 0; fi",
    "if pytest; then exit 1; fi",
    "gofmt -l .",
    "docker compose up -d",
    "docker compose up -d; make test",
    "docker run -dit image pytest",
    "npm ci; npm test",
];

#[test]
fn a_kept_status_counts() {
    let refused: Vec<_> = KEPT
        .iter()
        .filter_map(|command| masked(command).map(|masked| (*command, masked.reason)))
        .collect();
    assert_eq!(refused, Vec::<(&str, String)>::new());
}

#[test]
fn a_status_that_is_not_given_back_is_lost() {
    let let_through: Vec<_> = LOST.iter().filter(|command| masked(command).is_none()).collect();
    assert_eq!(let_through, Vec::<&&str>::new());
}
