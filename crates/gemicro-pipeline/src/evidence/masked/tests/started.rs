//! Programs that start others, texts that are handed to them, and options in all their spellings.

use super::masked;

/// What starts a program, with `CMD` in its place.
const STARTING: &[&str] = &[
    "poetry run -- CMD",
    "poetry -C app run CMD",
    "uv run -- CMD",
    "uv run --with x CMD",
    "uvx CMD",
    "npx CMD",
    "npx -p tool CMD",
    "npm exec -- CMD",
    "npm x CMD",
    "pnpm exec CMD",
    "pipx run CMD",
    "pixi run CMD",
    "conda run -n env CMD",
    "mise exec -- CMD",
    "mise x python@3 -- CMD",
    "asdf exec CMD",
    "nix develop -c CMD",
    "nix develop .#ci --command CMD",
    "opam exec -- CMD",
    "direnv exec . CMD",
    "stack exec -- CMD",
    "cabal exec CMD",
    "dune exec -- CMD",
    "tox exec -e py -- CMD",
    "docker run --rm -v a:b -e X --name n image CMD",
    "docker run -it image CMD",
    "docker exec -u root app CMD",
    "docker compose run --rm app CMD",
    "docker compose -f ci.yml exec -T app CMD",
    "podman run image CMD",
    "kubectl exec pod -- CMD",
    "taskset -c 0 CMD",
    "chrt -i 0 CMD",
    "unshare -r CMD",
    "prlimit --nofile=9 CMD",
    "unbuffer CMD",
    "strace -f -o log CMD",
    "valgrind --error-exitcode=1 CMD",
    "perf stat -e cycles CMD",
    "fakeroot CMD",
    "dbus-run-session -- CMD",
    "runuser -u ci -- CMD",
    "setsid -w CMD",
    "sudo -E timeout 9 poetry run CMD",
];

/// What runs a text, with `TEXT` in its place.
const CARRYING: &[&str] = &[
    "npx -c 'TEXT'",
    "npm exec -c 'TEXT'",
    "npm exec --call='TEXT'",
    "bash --rcfile x -c 'TEXT'",
    "bash --init-file x -c 'TEXT'",
    "nix-shell --run 'TEXT'",
    "nix-shell -p x --command 'TEXT'",
    "fish -c 'TEXT'",
    "tcsh -c 'TEXT'",
    "pwsh -c 'TEXT'",
    "runuser -u ci -c 'TEXT'",
    "script -qec 'TEXT' log",
];

/// What checks nothing, or not for certain.
const REFUSED: &[&str] = &[
    "git submodule foreach 'make test'",
    "git submodule foreach make test",
    "fish -c 'make test; or true'",
    "python3 -c \"import os; os.system('pytest')\"",
    "python3 -c 'import subprocess; subprocess.call([\"pytest\"])'",
    "perl -e 'system(\"make test\")'",
    "perl -we '`make test`'",
    "ruby -e 'system(\"rspec\")'",
    "node -e 'require(\"child_process\").spawnSync(\"jest\")'",
    "php -r 'exec(\"phpunit\");'",
    "awk 'BEGIN{system(\"make test\")}'",
    "python3 -i test.py",
    "python3 -Ii test.py",
    "python3",
    "python3 - <<EOF\npass\nEOF",
    "make --ign test",
    "make --dry test",
    "make --que test",
    "make -o test test",
    "make -otest test",
    "make --old-file=test test",
    "make -f - test",
    "gmake -n test",
    "make -v",
    "make -h",
    "make clean",
    "go test -list=. ./...",
    "go test ./... -args -test.list=.",
    "golangci-lint run --issues-exit-code 0",
    "golangci-lint run --issues-exit-code=0",
    "ruff check -e",
    "tox -n",
    "jest --passWithNoTests=true",
    "jest --pass-with-no-tests",
    "ctest -NV",
    "ctest --show-only=json-v1",
    "ctest --no-tests=ignore",
    "mvn -D skipTests verify",
    "mvn --define skipTests=true verify",
    "./mvnw -DskipTests verify",
    "./gradlew -m test",
    "gradle build -x test",
    "gradle build -xtest",
    "turbo run test --dry=json",
    "nox -l",
    "rake -T",
    "bundle exec rake -AT",
    "swift test list",
    "vendor/bin/phpunit --list-groups",
    "bash --dump-strings tests/run.sh",
    "zsh --no-exec tests/run.sh",
    "rspec --failure-exit-code 0",
    "mix test --exit-status 0",
    "cargo nextest run --no-tests=pass",
    "cargo nextest run --no-tests warn",
    "cargo llvm-cov --ignore-run-fail",
    "checkov --soft-fail -d .",
    "gitleaks detect --exit-code=0",
    "pnpm -r --no-bail test",
    "lerna exec --no-bail -- make test",
    "RUFF_EXIT_ZERO=1 ruff check",
    "NEXTEST_NO_TESTS=pass cargo nextest run",
    "JUST_DRY_RUN=true just test",
    "bazel test --run_under=/bin/true //...",
    "docker run --entrypoint true image make test",
    "python3 -m pytest -V",
    "python3 -m pytest --co",
    "rubocop -V",
    "node -v",
    "npm test -- -h",
    "id",
    "git status",
    "git diff",
    "head -1 x",
    "wc -l x",
    "npm run",
    "npm help",
    "cargo tree",
    "cargo metadata",
    "cargo fmt",
    "black .",
    "go env",
    "go list ./...",
    "docker ps",
    "docker compose ps",
    "uv pip list",
    "exec -a x true",
    "rustup show",
    "git stash",
    "mvn help:effective-pom",
    "gosec -no-fail ./...",
    "stylelint --allow-empty-input src",
    "tsc -v",
    "git -C sub status",
    "runuser ci -c 'make test || true'",
    "lua -e 'os.execute(\"make test\")'",
];

/// What looks like it, and checks.
const HONEST: &[&str] = &[
    "./test",
    "bin/test --fast",
    "tools/echo",
    "hatch run test",
    "rye run test",
    "pdm run test",
    "pipenv run test",
    "poetry run test",
    "uv run test",
    "python3 -m pytest -v",
    "python3 -X dev -m unittest",
    "python3 tests/run.py -m x -i",
    "python3 -c 'import sys, app; print(sys.executable)'",
    "awk -f check.awk report.txt",
    "ctest -V",
    "pytest -v",
    "prettier --list-different .",
    "cargo fmt --check",
    "clang-format --dry-run --Werror a.c",
    "php-cs-fixer fix --dry-run",
    "mvn clean verify",
    "mvn -DskipTests=false verify",
    "gradle clean build",
    "./gradlew build -x javadoc",
    "make clean test",
    "make -j4 --output-sync test",
    "make --directory app test",
    "yarn ci",
    "npm --prefix list test",
    "runuser ci -c 'make test'",
    "npm run ci",
    "go test -v -run TestList ./...",
    "trivy fs --exit-code 1 .",
    "jest --passWithNoTests=false",
    "docker compose -f dev.yml run --rm app pytest",
    "docker compose up --exit-code-from tests",
    "git diff --exit-code",
    "psql -h localhost -f check.sql",
    "RUFF_EXIT_ZERO=0 ruff check",
    "TEST_LIST=a make test",
];

fn let_through<'c>(commands: impl IntoIterator<Item = &'c str>) -> Vec<&'c str> {
    let all = commands.into_iter();
    all.filter(|command| masked(command).is_none()).collect()
}

#[test]
fn what_starts_another_program_is_looked_through() {
    let with = |program: &str| -> Vec<String> {
        let all = STARTING.iter();
        all.map(|starting| starting.replace("CMD", program)).collect()
    };
    let idle = with("true");
    assert_eq!(let_through(idle.iter().map(String::as_str)), Vec::<&str>::new());
    let listing = with("pytest --collect-only");
    assert_eq!(
        let_through(listing.iter().map(String::as_str)),
        Vec::<&str>::new()
    );
    let honest = with("pytest -v");
    assert_eq!(let_through(honest.iter().map(String::as_str)), honest);
}

#[test]
fn texts_for_other_programs_are_read() {
    let with = |text: &str| -> Vec<String> {
        let all = CARRYING.iter();
        all.map(|carrying| carrying.replace("TEXT", text)).collect()
    };
    let losing = with("make test || true");
    assert_eq!(let_through(losing.iter().map(String::as_str)), Vec::<&str>::new());
    let honest = with("make test");
    assert_eq!(let_through(honest.iter().map(String::as_str)), honest);
}

#[test]
fn options_are_known_in_all_their_spellings() {
    assert_eq!(let_through(REFUSED.iter().copied()), Vec::<&str>::new());
    assert_eq!(let_through(HONEST.iter().copied()), HONEST);
}
