//! Commands that keep their exit status, and commands that lose it.

use proptest::prelude::*;

use super::find_masked_exit;

/// Commands whose failure always shows.
const HONEST: &[&str] = &[
    "pytest",
    "./test",
    "bin/test --fast",
    "cargo test --workspace",
    "cd app && pytest",
    "(cd app && pytest)",
    "set -e; cd app; pytest",
    "cd app || exit 1; pytest",
    "export A=1; mkdir -p out; pytest",
    "source venv/bin/activate; pytest",
    ". ./env.sh && pytest -q",
    "cargo fmt --check && cargo clippy && cargo test",
    "set -o pipefail; cargo test | tee log",
    "set -o pipefail && cargo test 2>&1 | tee log",
    "cd app && set -o pipefail && cargo test | tee log",
    "set -euo pipefail; cargo test | tee log; echo done",
    "set -e; cargo fmt --check; cargo test; echo done",
    "set -e\ncargo fmt --check\n# a comment\ncargo test\necho done\n",
    "set -e; (cargo build && cargo test); echo done",
    "set -eo pipefail; { cargo fmt --check && cargo test; } 2>&1 | tee log; echo done",
    "(set -e; cargo fmt --check; cargo test)",
    "cargo fmt --check || exit 1; cargo test",
    "cargo test || exit $?",
    "cargo test || exit",
    "cargo test || false",
    "cargo test || (exit 3)",
    "cargo test || { echo failed >&2; exit 1; }",
    "make test || { ./report.sh; make logs | head; exit 2; }",
    "make test || (docker compose logs && exit 1)",
    "cargo test; exit $?",
    "make test; rc=$?; exit $rc",
    "make test\nrc=$?\nrm -rf tmp\necho \"ended with $rc\"\nexit \"${rc}\"",
    "cd app && make test; rc=$?; exit $rc",
    "(make test; rc=$?; exit $rc)",
    "bash -c 'make test; code=$?; rm -rf tmp; exit $code'",
    "rc=0; make lint || rc=$?; make test || rc=$?; rm -rf tmp; exit $rc",
    "if ! make test; then echo failed; exit 1; fi",
    "if ! make test; then exit 1; fi; echo done",
    "if ! (cd app && make test); then false; fi",
    "if [ -d app ]; then echo; elif ! make test; then exit 2; fi",
    "if make test; then echo good; else echo bad; exit 1; fi",
    "if make test; then exit 0; else exit $?; fi",
    "cargo test; exit",
    "if [ -f .env ]; then . ./.env; fi; pytest",
    "[ -d out ] || mkdir out; pytest",
    "[ -f .env ] && . ./.env; pytest",
    "command -v pytest && pytest",
    "command set -e; make test; echo done",
    "builtin cd app && make test",
    "test -f dist/app",
    "[ -s report.txt ]",
    "[[ new -nt old ]]",
    "test -z \"$(gofmt -l .)\"",
    "timeout 10 pytest",
    "env A=1 pytest",
    "A=1 B=2 pytest",
    "time cargo test",
    "make -j$(nproc) test",
    "cd \"$(git rev-parse --show-toplevel)\" && pytest",
    "pytest $(find tests -name 'test_*.py' | sort)",
    "x=$(git rev-parse HEAD); pytest",
    "x=$(pytest)",
    "bash -c 'pytest'",
    "bash -ec 'cargo fmt --check; pytest'",
    "bash -eo pipefail -c 'pytest | tee log; echo done'",
    "sh tests/run.sh",
    "bash -x tests/run.sh --fast",
    "exec pytest",
    "exec 2>&1; pytest",
    "exec pytest || true",
    "eval 'pytest'",
    "pytest > log 2>&1",
    "pytest > >(tee log)",
    "cat input | pytest -",
    "python3 - <<EOF\nimport app\nEOF",
    "git diff --exit-code",
    "grep -q done report.txt",
    "! grep -rn TODO src",
    "! git grep -n '<<<<<<<'",
    "for t in unit slow; do pytest $t || exit 1; done",
    "set -e; for t in unit slow; do pytest $t; done",
    "trap 'rm -rf tmp' EXIT; pytest",
    "{ cargo fmt --check && cargo test; }",
    "pytest -k 'not slow' --maxfail=1",
    "pytest \\\n  -q",
    "docker compose up -d && make test",
];

/// Commands whose failure may stay unseen, with words of the reason.
const LOSING: &[(&str, &str)] = &[
    ("pytest || true", "`|| true` hides the exit status of `pytest`"),
    ("cargo test || :", "`|| :` hides the exit status of `cargo test`"),
    ("cargo test || exit 0", "`|| exit 0` hides"),
    ("cargo test || exit 256", "`|| exit 256` hides"),
    ("cargo test || exit $code", "`|| exit $code` hides"),
    ("cargo test || { echo failed; exit; }", "hides"),
    ("cargo test || { exit 0; exit 1; }", "hides"),
    ("make test || { . ./x.sh; exit 1; }", "hides"),
    ("cargo test || echo failed", "`|| echo failed` hides"),
    ("cargo test || (exit 0)", "`|| (exit 0)` hides"),
    ("(cargo test) || true", "hides the exit status of `cargo test`"),
    ("{ cargo test; } || true", "hides the exit status of `cargo test`"),
    ("pytest && true || true", "hides the exit status of `pytest`"),
    ("pytest || flake8", "`|| flake8` hides"),
    ("true || pytest", "only a failure of `true` starts `pytest`"),
    ("make test || return 1; echo done", "`|| return 1` hides"),
    (
        "cargo test | tee log",
        "`| tee log` hides the exit status of `cargo test`",
    ),
    ("cargo test |& tee log", "`| tee log` hides"),
    ("cargo test 2>&1 | grep -v warning", "hides"),
    ("cargo test | tee log; set -o pipefail", "hides"),
    (
        "set -o pipefail || true; cargo test | tee log",
        "`| tee log` hides",
    ),
    ("(set -o pipefail); cargo test | tee log", "`| tee log` hides"),
    (
        "cargo fmt --check || cargo test 2>&1 | tee log",
        "hides the exit status of `cargo fmt --check`",
    ),
    ("cargo test; echo done", "`echo done` comes after `cargo test`"),
    ("cargo test\necho done", "`echo done` comes after"),
    (
        "cargo fmt --check; cargo test",
        "`cargo test` comes after `cargo fmt --check`",
    ),
    ("timeout 10 pytest; true", "comes after `timeout 10 pytest`"),
    ("cargo test; exit 0", "`exit 0` comes after"),
    ("make test; rc=$?; exit 0", "`rc=$?` comes after"),
    ("make test; rc=$?; exit $other", "`rc=$?` comes after"),
    ("make test; echo; rc=$?; exit $rc", "`echo` comes after"),
    ("make test; rc=$?; rc=0; exit $rc", "`rc=$?` comes after"),
    ("make test; rc=$?; read rc; exit $rc", "`rc=$?` comes after"),
    ("make test; rc=$?; . ./x.sh; exit $rc", "`rc=$?` comes after"),
    (
        "make test; rc=$?; [ -n \"$CI\" ] && exit 0; exit $rc",
        "`rc=$?` comes after",
    ),
    ("make test; rc=$?; exit $rc &", "`rc=$?` comes after"),
    ("make test; rc=$? & exit $rc", "comes after `make test`"),
    ("make test; RANDOM=$?; exit $RANDOM", "`RANDOM=$?` comes after"),
    (
        "make test; rc=$?; pytest; exit $rc",
        "`exit $rc` comes after `pytest`",
    ),
    ("make test; rc=$?; exit $rc || true", "`rc=$?` comes after"),
    ("(make test; rc=$?; exit $rc) || true", "`|| true` hides"),
    ("make test | tee log; rc=$?; exit $rc", "`| tee log` hides"),
    ("make test || rc=$?; echo done", "`|| rc=$?` hides"),
    (
        "make lint || rc=$?; make test; rc=$?; exit $rc",
        "`|| rc=$?` hides",
    ),
    ("if ! make test; then exit $?; fi", "`!` inverts"),
    ("if ! make test; then echo failed; fi", "`!` inverts"),
    ("if ! make test; then exit 0; exit 1; fi", "`!` inverts"),
    (
        "if ! make test; then [ -n \"$CI\" ] && exit 1; fi; echo",
        "`echo` comes after",
    ),
    ("if ! make test; then false; fi; echo", "`echo` comes after"),
    ("if ! make test && pytest; then exit 1; fi", "`!` inverts"),
    ("if ! make test | tee log; then exit 1; fi", "`!` inverts"),
    ("if make test; then exit 1; fi", "`if` hides"),
    (
        "if make test; then echo; elif true; then echo; else exit 1; fi",
        "`if` hides",
    ),
    ("if make test; pytest; then echo; else exit 1; fi", "`if` hides"),
    ("while ! make test; do exit 1; done", "`!` inverts"),
    ("cd app; pytest", "`pytest` comes after `cd app`"),
    (
        "cd app || true; pytest",
        "`|| true` hides the exit status of `cd app`",
    ),
    ("npm ci; npm test", "`npm test` comes after `npm ci`"),
    ("cargo test &", "`&` does not wait"),
    ("cargo test & wait", "`&` does not wait"),
    ("set -e; if [ -f x ]; then pytest & fi", "`&` does not wait"),
    ("! cargo test", "`!` inverts the exit status of `cargo test`"),
    ("! cargo test | tee log", "`!` inverts"),
    ("! echo x | pytest", "`!` inverts the exit status of `pytest`"),
    ("cd x && ! echo x 2>&1 | pytest", "`!` inverts"),
    ("set -e; ! grep -q x y; echo", "`!` inverts"),
    (
        "set -o pipefail; pytest | cat | cat || cd .",
        "cannot be parsed reliably",
    ),
    (
        "if cargo test; then echo good; fi",
        "`if` hides the exit status of `cargo test`: add `|| exit 1`",
    ),
    ("set -e; if pytest; then echo good; fi", "`if` hides"),
    (
        "if [ -f x ]; then pytest; fi",
        "`if` hides the exit status of `pytest`",
    ),
    ("if [ -f x ]; then echo; elif pytest; then echo; fi", "`if` hides"),
    ("if [ -f x ]; then echo; else pytest; fi", "`if` hides"),
    ("case $x in a) pytest;; esac", "`case` hides"),
    ("while pytest; do sleep 1; done", "`while` hides"),
    ("until pytest; do sleep 1; done", "`until` hides"),
    ("for t in a b; do pytest $t; done", "`for` hides"),
    ("for ((i=0; i<3; i++)); do pytest; done", "`for` hides"),
    (
        "set +e; pytest",
        "`set +e` hides failures of the commands after it",
    ),
    ("set -e; set +e; pytest; echo", "`set +e`"),
    ("set -eo pipefail; set +o pipefail; a | b", "`set +o` hides"),
    (
        "set -e; cargo build && cargo test; echo done",
        "`set -e` does not see `cargo build` fail",
    ),
    (
        "set -e; [ -f x ] && pytest; echo done",
        "does not see `pytest` fail in a list of `&&`",
    ),
    (
        "set -e; { cargo build; cargo test; } || exit 1",
        "`cargo test` comes after",
    ),
    (
        "(set -e; cargo build; cargo test) || exit 1",
        "`cargo test` comes after",
    ),
    (
        "[ -n \"$CI\" ] && set -e; cargo build; cargo test",
        "`cargo test` comes after `cargo build`",
    ),
    (
        "set -eo pipefail; cargo fmt --check && cargo test 2>&1 | tee log; echo",
        "in a list of `&&`",
    ),
    (
        "trap 'exit 0' EXIT; pytest",
        "`trap 'exit 0' EXIT` replaces the check's exit status",
    ),
    ("trap \"exit 0\" 0 && pytest", "`trap \"exit 0\" 0` replaces"),
    (
        "bash -c \"pytest || true\"",
        "`|| true` hides the exit status of `pytest`",
    ),
    ("bash -lc 'pytest; echo done'", "`echo done` comes after"),
    ("timeout 60 bash -c 'pytest || true'", "`|| true` hides"),
    ("docker run --rm image sh -c 'pytest || true'", "`|| true` hides"),
    ("sh -c 'sh -c \"pytest || true\"'", "`|| true` hides"),
    (
        "set -e; bash -c 'cargo fmt --check; pytest'",
        "`pytest` comes after",
    ),
    ("bash -c \"$COMMAND\"", "cannot be parsed reliably"),
    ("eval 'pytest || true'", "`|| true` hides"),
    ("eval \"$COMMAND\"", "cannot be parsed reliably"),
    ("python3 - <<EOF || true\npass\nEOF", "cannot be parsed reliably"),
    ("echo $(pytest)", "checks nothing"),
    ("echo x | tee log", "checks nothing"),
    ("true", "checks nothing"),
    ("/bin/true", "checks nothing"),
    ("exit 0", "checks nothing"),
    ("echo all tests passed", "checks nothing"),
    ("cd tests", "checks nothing"),
    ("", "checks nothing"),
    ("# pytest", "checks nothing"),
    (
        "exit 0; pytest",
        "`exit 0` can end the check with success before `pytest` runs",
    ),
    ("[ -n \"$CI\" ] || exit 0; pytest", "`exit 0` can end"),
    ("if [ -z \"$CI\" ]; then exit 0; fi; pytest", "`exit 0` can end"),
    ("command exit 0; pytest", "`command exit 0` can end"),
    ("exec true; pytest", "`exec true` can end"),
    (
        "for t in a b; do break; pytest || exit 1; done",
        "`break` can end",
    ),
    ("pytest() { true; }; pytest", "cannot be parsed reliably"),
    ("$RUNNER test", "cannot tell which program `$RUNNER` runs"),
    ("pytest 'tests", "cannot be parsed reliably"),
    ("pytest ||", "cannot be parsed reliably"),
    ("pytest\0", "cannot be parsed reliably"),
];

#[test]
fn honest_commands_are_let_through() {
    let refused: Vec<_> = HONEST
        .iter()
        .filter_map(|command| find_masked_exit(command).map(|masked| (*command, masked.reason)))
        .collect();
    assert_eq!(refused, Vec::<(&str, String)>::new());
}

#[test]
fn commands_that_lose_their_status_are_named() {
    let wrong: Vec<_> = LOSING
        .iter()
        .map(|(command, words)| {
            (
                *command,
                *words,
                find_masked_exit(command).map(|masked| masked.reason),
            )
        })
        .filter(|(_, words, reason)| !reason.as_ref().is_some_and(|reason| reason.contains(words)))
        .collect();
    assert_eq!(wrong, Vec::<(&str, &str, Option<String>)>::new());
}

#[test]
fn a_finding_has_its_piece() {
    let found = find_masked_exit("pytest -q ||   true").unwrap();
    assert_eq!(found.piece, "|| true");
    assert_eq!(
        found.to_string(),
        "`|| true` hides the exit status of `pytest -q`"
    );
    let long = find_masked_exit(&format!("pytest {} || true", "x".repeat(500))).unwrap();
    assert!(long.reason.chars().count() < 200, "{}", long.reason);
}

#[test]
fn deep_commands_are_not_read() {
    assert!(find_masked_exit(&format!("{}pytest{}", "(".repeat(5_000), ")".repeat(5_000))).is_some());
    let mut nested = "pytest".to_owned();
    for _ in 0..8 {
        nested = format!("eval {nested}");
    }
    assert!(find_masked_exit(&nested).is_some());
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "(pytest|true|exit 0|set -e|if|fi|then|[ $(){}|&;!'\"\\\\\n`ü]|[a-z]{1,3}){0,24}") {
        let first = find_masked_exit(&text);
        prop_assert_eq!(first, find_masked_exit(&text));
    }

    #[test]
    fn what_is_masked_stays_so_with_more_around_it(idx in 0..LOSING.len()) {
        let (command, _) = LOSING[idx];
        for longer in [format!("cd x && {{ {command}\n}}"), format!("({command}\n)"), format!("set -u\n{command}")] {
            prop_assert!(find_masked_exit(&longer).is_some(), "{}", longer);
        }
    }
}
