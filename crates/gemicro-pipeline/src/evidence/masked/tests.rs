//! Tables of commands that keep their exit status, and of commands that lose it.

mod idle;

use proptest::prelude::*;

use super::masked;

/// Commands whose failure always shows.
const HONEST: &[&str] = &[
    "pytest",
    "cargo test --workspace",
    "cd app && pytest",
    "cd app; pytest",
    "export A=1; mkdir -p out; pytest",
    "source venv/bin/activate; pytest",
    ". ./env.sh && pytest -q",
    "cargo fmt --check && cargo clippy && cargo test",
    "cargo test --no-run && cargo test",
    "pytest --co -q && pytest tests",
    "python --version && pytest",
    "set -o pipefail; cargo test | tee log",
    "set -o pipefail && cargo test 2>&1 | tee log",
    "cd app && set -o pipefail && cargo test | tee log",
    "set -euo pipefail; cargo test | tee log; echo done",
    "set -e; cargo fmt --check; cargo test; echo done",
    "set -e\ncargo fmt --check\n# a comment\ncargo test\necho done\n",
    "(set -e; cargo fmt --check; cargo test)",
    "cargo fmt --check || exit 1; cargo test",
    "cargo test || exit $?",
    "cargo test || exit",
    "cargo test || false",
    "cargo test || (exit 3)",
    "cargo test || { echo failed >&2; exit 1; }",
    "cargo test; exit $?",
    "cargo test; exit",
    "if cargo test; then echo fine; else exit 1; fi",
    "if ! cargo test; then echo bad; exit 1; fi",
    "if ! cargo build; then exit 1; else cargo test; fi",
    "if [ -f .env ]; then . ./.env; fi; pytest",
    "[ -d out ] || mkdir out; pytest",
    "[ -f .env ] && . ./.env; pytest",
    "command -v pytest && pytest",
    "test -f dist/app",
    "[ -s report.txt ]",
    "! [ -d out ] && pytest",
    "timeout 10 pytest",
    "timeout -k 5 10 pytest",
    "env A=1 pytest",
    "A=1 B=2 pytest",
    "time cargo test",
    "nice -n 5 make -j4 check",
    "make -k check",
    "make -C app -I include test",
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
    "set -eo pipefail; { cargo fmt --check && cargo test; } 2>&1 | tee log; echo done",
    "eval 'pytest'",
    "pytest > log 2>&1",
    "pytest > >(tee log)",
    "cat input | pytest -",
    "git diff --exit-code",
    "grep -q done report.txt",
    "find . -name '*.py' -exec python -m py_compile {} +",
    "for t in unit slow; do pytest $t || exit 1; done",
    "set -e; for t in unit slow; do pytest $t; done",
    "for t in tests/*.sh; do sh $t || exit 1; done",
    "trap 'rm -rf tmp' EXIT; pytest",
    "(cd app && pytest)",
    "{ cargo fmt --check && cargo test; }",
    "poetry run pytest",
    "npm test",
    "pytest -k 'not slow' --maxfail=1",
    "pytest \\\n  -q",
    "script -ec 'pytest' log",
    "set -e; (cargo build && cargo test); echo done",
    "sh -n tests/run.sh && sh tests/run.sh",
    "bash --norc tests/run.sh -n",
    "sh -- tests/run.sh",
    "set -euo pipefail; pytest",
    "PATH=/opt/bin:$PATH pytest",
    "export PATH=\"$HOME/.local/bin:${PATH}\" && pytest",
    "env PATH=/opt/bin:$PATH pytest",
    "PATH+=:/opt/bin; pytest",
    "make test SHELL=/bin/bash",
    "make test SHELL=bash .SHELLFLAGS='-eu -o pipefail -c'",
    "make test CI=true V=1 RACE=true",
    "USE_PYTEST=true make test",
    "npm test --script-shell=bash",
    "hash pytest && pytest",
    "grep sh -n README.md",
    "go test -exec qemu-arm ./...",
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
    ("cargo test || echo failed", "`|| echo failed` hides"),
    ("cargo test || (exit 0)", "`|| (exit 0)` hides"),
    ("(cargo test) || true", "hides the exit status of `cargo test`"),
    ("{ cargo test; } || true", "hides the exit status of `cargo test`"),
    ("pytest && true || true", "hides the exit status of `pytest`"),
    ("pytest || flake8", "`|| flake8` hides"),
    ("true || pytest", "`pytest` runs only if `true` fails"),
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
    ("cargo test; echo done", "`echo done` comes after `cargo test`"),
    ("cargo test\necho done", "`echo done` comes after"),
    (
        "cargo fmt --check; cargo test",
        "`cargo test` comes after `cargo fmt --check`",
    ),
    (
        "timeout 10 pytest; true",
        "`true` comes after `timeout 10 pytest`",
    ),
    ("cargo test; exit 0", "`exit 0` comes after"),
    ("cargo test &", "`&` does not wait"),
    ("cargo test & wait", "`&` does not wait"),
    ("! cargo test", "`!` turns the exit status of `cargo test` round"),
    ("! cargo test | tee log", "`!` turns"),
    (
        "set -o pipefail; pytest | cat | cat || cd .",
        "cannot be read for certain",
    ),
    ("! echo x | pytest", "`!` turns the exit status of `pytest` round"),
    ("cd x && ! echo x 2>&1 | pytest", "`!` turns"),
    ("if ! cargo test; then exit; fi", "`!` turns"),
    ("if ! cargo test; then exit $?; fi", "`!` turns"),
    ("if ! cargo test; then { exit; }; fi", "`!` turns"),
    (
        "if cargo test; then echo good; fi",
        "`if` uses up the exit status of `cargo test`",
    ),
    ("if cargo test; then echo good; else echo bad; fi", "`if` uses up"),
    ("if [ -f x ]; then pytest; fi", "`if` may skip `pytest`"),
    (
        "if false; then pytest; else echo no; fi",
        "`if` may skip `pytest`",
    ),
    ("if a; then exit 1; elif pytest; then echo; fi", "`if`"),
    ("case $x in a) pytest;; esac", "`case` may skip `pytest`"),
    ("while pytest; do sleep 1; done", "`while` loop hides"),
    ("until pytest; do sleep 1; done", "`while` loop hides"),
    ("for t in a b; do pytest $t; done", "`for` loop hides"),
    ("for t in $LIST; do pytest $t || exit 1; done", "`for` loop hides"),
    ("for ((i=0; i<3; i++)); do pytest; done", "`for` loop hides"),
    ("set -e; for t in $LIST; do pytest $t; done", "`for` loop hides"),
    ("set +e; pytest", "`set +e` lets commands after it fail"),
    ("set -e; set +e; pytest; echo", "`set +e`"),
    ("set -eo pipefail; set +o pipefail; a | b", "`set +o` lets"),
    (
        "set -e; cargo build && cargo test; echo done",
        "`set -e` does not see `cargo build` fail",
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
        "set -e; [ -f x ] && pytest; echo done",
        "does not see `[ -f x ]` fail on the left of `&&`, and `pytest` is",
    ),
    (
        "[ -f x ] && { pytest || exit 1; }; echo done",
        "`echo done` comes after",
    ),
    ("echo x | tee log", "checks nothing"),
    (
        "trap 'exit 0' EXIT; pytest",
        "`trap 'exit 0' EXIT` puts an exit status of its own",
    ),
    ("trap \"exit 0\" 0 && pytest", "`trap \"exit 0\" 0` puts"),
    ("trap 'pytest' EXIT; make", "`trap` runs `pytest`"),
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
    ("bash -c \"$COMMAND\"", "cannot be read for certain"),
    ("su ci -c 'pytest || true'", "`|| true` hides"),
    ("script -c 'pytest' log", "`script` does not hand on"),
    ("eval 'pytest || true'", "`|| true` hides"),
    ("eval \"$COMMAND\"", "cannot be read for certain"),
    ("echo 'pytest' | sh", "`sh` runs what it reads"),
    ("bash <<EOF\npytest\nEOF", "`bash` runs what it reads"),
    ("echo $(pytest)", "`$(…)` hides the exit status of `pytest`"),
    ("echo \"`pytest`\"", "`$(…)` hides"),
    ("cd x && echo $(pytest)", "`$(…)` hides"),
    ("[ \"$(pytest)\" ]", "`$(…)` hides"),
    (
        "export out=$(pytest)",
        "`export` hides the exit status of `pytest`",
    ),
    ("local out=$(pytest)", "`local` hides"),
    ("A=$(pytest) make test", "`$(…)` hides"),
    ("out=$(pytest); echo \"$out\"", "`echo \"$out\"` comes after"),
    (
        "diff <(pytest) expected",
        "`$(…)` hides the exit status of `pytest`",
    ),
    ("git ls-files | xargs pytest", "`xargs` may start nothing"),
    (
        "find . -name 'test_*' -exec pytest {} \\;",
        "`find` does not hand on",
    ),
    ("make -i check", "`-i` of `make` turns a failure into a success"),
    ("make -ki check", "`-ki` of `make`"),
    ("make --ignore-errors check", "`--ignore-errors` of `make`"),
    ("MAKEFLAGS=-i make check", "`-i` of `MAKEFLAGS`"),
    ("export MAKEFLAGS=i && make check", "`i` of `MAKEFLAGS`"),
    ("PYTEST_ADDOPTS=--co; pytest", "`--co` of `PYTEST_ADDOPTS`"),
    ("make -n check", "`make` with `-n` runs nothing"),
    ("cargo test --no-run", "`cargo test` with `--no-run` runs nothing"),
    (
        "cargo test --no-run && cargo clippy",
        "`cargo test` with `--no-run`",
    ),
    ("cargo test -- --list", "`--list` runs nothing"),
    ("cargo nextest list", "`cargo nextest` with `list` runs nothing"),
    (
        "pytest --collect-only",
        "`pytest` with `--collect-only` runs nothing",
    ),
    (
        "PYTEST_ADDOPTS='-q --collect-only' pytest",
        "`--collect-only` of `PYTEST_ADDOPTS`",
    ),
    ("ruff check --exit-zero", "`--exit-zero` of `ruff`"),
    ("mvn -DskipTests verify", "runs nothing"),
    ("npm run test --if-present", "`--if-present`"),
    ("jest --passWithNoTests", "`--passWithNoTests`"),
    ("pytest --version", "checks nothing"),
    ("true", "checks nothing"),
    ("exit 0", "checks nothing"),
    ("echo all tests passed", "checks nothing"),
    ("timeout 5 true", "checks nothing"),
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
    (
        "cargo fmt --check || cargo test 2>&1 | tee log",
        "hides the exit status of `cargo fmt --check`",
    ),
    (
        "set -eo pipefail; cargo fmt --check && cargo test 2>&1 | tee log; echo",
        "on the left of `&&`",
    ),
    ("tmux new -d pytest", "`tmux` does not hand on"),
    ("alias pytest=true; pytest", "`alias` can give"),
    ("pytest() { true; }; pytest", "cannot be read for certain"),
    ("sh -n tests/run.sh", "`sh -n` only reads"),
    ("bash --norc -n tests/run.sh", "`bash -n` only reads"),
    ("bash -en tests/run.sh", "`bash -n` only reads"),
    ("sh -o noexec tests/run.sh", "`sh -n` only reads"),
    ("timeout 5 sh -n tests/run.sh", "`sh -n` only reads"),
    ("bash -nc 'pytest'", "`bash -n` only reads"),
    ("docker run --rm image sh -n tests/run.sh", "`sh -n` only reads"),
    ("set -n; pytest", "after `set -n` nothing is run"),
    ("set -o noexec; pytest", "nothing is run"),
    ("make test SHELL=/bin/true", "in the place of the shell"),
    ("make test SHELL:=/bin/true", "in the place of the shell"),
    ("make 'SHELL=sh -n' test", "in the place of the shell"),
    ("make SHELL=$RUNNER test", "in the place of the shell"),
    ("make test .SHELLFLAGS=-n", "in the place of the shell's"),
    ("make test MAKEFLAGS=-n", "`-n` of `MAKEFLAGS`"),
    ("make test PYTEST=true", "checks nothing in the place of another"),
    (
        "make test TEST_CMD=echo",
        "checks nothing in the place of another",
    ),
    ("make test X=/bin/true", "checks nothing in the place of another"),
    ("make test X=:", "checks nothing in the place of another"),
    ("PYTHON=echo make test", "checks nothing in the place of another"),
    (
        "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=true cargo test",
        "checks nothing in the place of another",
    ),
    ("env MAKEFLAGS=-i make test", "`-i` of `MAKEFLAGS`"),
    ("make -q test", "`make` with `-q` runs nothing"),
    ("make --touch test", "`make` with `--touch` runs nothing"),
    ("make --eval='test:;true' test", "rules that are in no file"),
    ("make -E 'test:;true' test", "rules that are in no file"),
    ("PATH=.:$PATH sh tests/run.sh", "in the place of programs"),
    ("PATH=bin:$PATH pytest", "in the place of programs"),
    ("PATH=:$PATH pytest", "in the place of programs"),
    ("PATH=$PWD/bin:$PATH pytest", "in the place of programs"),
    ("PATH=\"$(pwd)/bin:$PATH\" pytest", "in the place of programs"),
    ("export PATH=./bin:$PATH; pytest", "in the place of programs"),
    ("env PATH=.:$PATH pytest", "in the place of programs"),
    ("PATH+=:.; pytest", "in the place of programs"),
    ("BASH_ENV=x.sh bash tests/run.sh", "a script before every other"),
    ("SHELLOPTS=noexec bash tests/run.sh", "in the place of running"),
    (
        "npm test --script-shell=/bin/true",
        "in the place of what runs the check",
    ),
    (
        "npm test --script-shell /bin/true",
        "in the place of what runs the check",
    ),
    (
        "npm_config_script_shell=/bin/true npm test",
        "in the place of the shell",
    ),
    ("go test -exec true ./...", "in the place of what runs the check"),
    (
        "go test -exec=/bin/echo ./...",
        "in the place of what runs the check",
    ),
    ("hash -p /bin/true pytest; pytest", "`hash` can give"),
    ("$RUNNER test", "which program `$RUNNER` is"),
    ("pytest 'tests", "cannot be read for certain"),
    ("pytest ||", "cannot be read for certain"),
    ("pytest\0", "cannot be read for certain"),
];

#[test]
fn honest_commands_are_let_through() {
    let refused: Vec<_> = HONEST
        .iter()
        .filter_map(|command| masked(command).map(|masked| (*command, masked.reason)))
        .collect();
    assert_eq!(refused, Vec::<(&str, String)>::new());
}

#[test]
fn commands_that_lose_their_status_are_named() {
    let wrong: Vec<_> = LOSING
        .iter()
        .map(|(command, words)| (*command, *words, masked(command).map(|masked| masked.reason)))
        .filter(|(_, words, reason)| !reason.as_ref().is_some_and(|reason| reason.contains(words)))
        .collect();
    assert_eq!(wrong, Vec::<(&str, &str, Option<String>)>::new());
}

#[test]
fn a_finding_has_its_piece() {
    let found = masked("cd app && pytest -q ||   true").unwrap();
    assert_eq!(found.piece, "|| true");
    assert_eq!(
        found.to_string(),
        "`|| true` hides the exit status of `pytest -q`"
    );
    let long = masked(&format!("pytest {} || true", "x".repeat(500))).unwrap();
    assert!(long.reason.chars().count() < 200, "{}", long.reason);
}

#[test]
fn deep_and_long_commands_are_not_read() {
    assert!(masked(&format!("{}pytest{}", "(".repeat(5_000), ")".repeat(5_000))).is_some());
    assert!(masked(&format!("pytest {}", "x".repeat(100_000))).is_some());
    let mut nested = "pytest".to_owned();
    for _ in 0..8 {
        nested = format!("eval {nested}");
    }
    assert!(masked(&nested).is_some());
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "(pytest|true|exit 0|set -e|if|fi|then|[ $(){}|&;!'\"\\\\\n`ü]|[a-z]{1,3}){0,24}") {
        let first = masked(&text);
        prop_assert_eq!(first, masked(&text));
    }

    #[test]
    fn what_is_masked_stays_so_with_more_around_it(idx in 0..LOSING.len()) {
        let (command, _) = LOSING[idx];
        for longer in [format!("cd x && {{ {command}\n}}"), format!("({command}\n)"), format!("set -u\n{command}")] {
            prop_assert!(masked(&longer).is_some(), "{}", longer);
        }
    }
}
