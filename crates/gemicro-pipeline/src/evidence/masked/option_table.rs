//! Options with which a program checks nothing or hides what it found.
//!
//! Each list is parted by white space. A long option stands for all its spellings; one with `=value` counts with that
//! value alone. The first column is a program, or a program with its first operand; `*` is any program.

use super::table;

type Table = &'static [(&'static str, &'static str)];

/// Options with which a failure becomes a success.
pub(super) const HIDING: Table = &[
    (
        "*",
        "--exit-zero --fail-never --if-present --ignore-errors --no-fail --pass-with-no-tests \
         --soft-fail --suppress-no-test-exit-code --suppress-tests-failed-exit-code \
         --pass-on-failing-test-suite --pass-on-no-patterns --no-error-on-unmatched-pattern \
         --no-errors-on-unmatched --continue-on-error --dangerously-ignore-unhandled-errors --force-pass \
         --ignore-run-fail --ignore-exit --ignore-exit-status --mute-exit-status --permit-no-files \
         --allow-empty-input --do-not-fail-on-empty-test-suite --no-tests=pass --no-tests=warn \
         --no-tests=ignore --no-tests-action=ignore -Dmaven.test.failure.ignore -DtestFailureIgnore \
         -DfailIfNoTests=false -DfailIfNoSpecifiedTests=false -Dsurefire.failIfNoSpecifiedTests=false",
    ),
    ("cargo clippy", "--cap-lints=allow"),
    ("checkov", "-s"),
    ("cmake", "-i"),
    ("dotnet", "--ignore-exit-code"),
    ("flock", "-E=0"),
    ("gradle", "-P=ignoreFailures -P=ignoreFailures=true"),
    ("lerna", "--no-bail"),
    ("make", "-i"),
    ("mvn", "-fn"),
    ("node", "--unhandled-rejections=none --unhandled-rejections=warn"),
    ("pnpm", "--no-bail"),
    ("psalm", "--no-error --set-baseline"),
    ("pylint", "--fail-under=0 --disable=all"),
    ("python", "-i -O"),
    ("ruff", "-e --add-noqa --fix-only"),
    ("scons", "-i"),
    ("setsid", "-f --fork"),
    ("sudo", "-b --background"),
    ("tflint", "--force"),
];

/// Options and operands with which nothing is checked.
pub(super) const IDLE: Table = &[
    (
        "*",
        "--build-plan --co --collect-only --dry --dry-run --env-info --fixtures --gtest_list_tests \
         --just-print --markers --no-run --notest --print-config --recon --setup-only --setup-plan \
         --show-config --show-only --unit-graph -DskipTests -Dmaven.test.skip -Dsurefire.skip",
    ),
    ("ansible-playbook", "--check"),
    ("ansible-lint", "-L"),
    ("ant", "-p --projecthelp --diagnostics"),
    ("bats", "-c --count"),
    ("bazel", "--nobuild"),
    ("cabal", "-n --only-dependencies"),
    ("cargo deny", "list"),
    ("cargo hack", "--print-command-list"),
    ("cargo make", "--print-steps"),
    ("cargo nextest", "archive list self show-config"),
    ("checkov", "-l"),
    ("clojure", "-P -Spath -Stree"),
    ("cmake", "-L -LA -LH -N -n"),
    ("composer", "-l"),
    ("ctest", "-N --print-labels"),
    ("dotnet", "--info"),
    ("dotnet test", "-t -lt"),
    ("eslint", "--init"),
    ("fish", "-n --no-execute"),
    ("go", "-c -i -n"),
    ("gradle", "-m -x=test --exclude-task=test --status --stop"),
    ("golangci-lint", "--new"),
    ("inv", "-l"),
    ("invoke", "-l"),
    (
        "jest",
        "-o --changed-since --clear-cache --init --only-changed --watch",
    ),
    (
        "just",
        "-l -n --choose --dump --evaluate --groups --show --summary --variables",
    ),
    ("make", "-n -o -q -t --assume-old --old-file --question --touch"),
    ("ninja", "-n -t"),
    ("nix", "--no-build"),
    ("node", "-c --check"),
    ("nox", "-l --install-only"),
    ("perl", "-c"),
    ("php", "-i -l -m --syntax-check"),
    (
        "phpunit",
        "--atleast-version --check-version --generate-configuration --migrate-configuration",
    ),
    ("prove", "-D"),
    ("pylint", "--generate-rcfile --help-msg"),
    ("rails", "-T"),
    ("rake", "-D -P -T -W -n --describe --prereqs --tasks --where"),
    ("rspec", "--init"),
    ("rubocop", "-L --auto-gen-config --show-cops"),
    ("ruby", "-c"),
    ("ruff", "rule --show-files --show-settings --watch"),
    ("scons", "-c -n -q"),
    ("semgrep", "--validate"),
    ("stack", "--no-run-tests"),
    ("sudo", "-l -v"),
    (
        "swift test",
        "list -l --build-only --enumerate --show-codecov-path",
    ),
    ("task", "-a -l -n --status --summary"),
    ("tflint", "--init"),
    ("tox", "-a -l -n c config devenv l list q quickstart"),
    ("tsc", "--init --no-check"),
    ("vitest", "init list --changed"),
    (
        "xcodebuild",
        "-n build-for-testing --show-build-settings --show-sdks",
    ),
    ("zig", "-l --test-no-exec"),
];

/// Options with which a program tells about itself.
pub(super) const TELLING: Table = &[
    ("*", "--help --version --versions --usage -?"),
    ("cargo", "-h"),
    ("dotnet", "-h"),
    ("go", "-h"),
    ("gradle", "-v"),
    ("make", "-h -v"),
    ("mvn", "-v"),
    ("npm", "-h -H"),
    ("npx", "-h"),
    ("pytest", "-h -V"),
    ("python", "-h -V -?"),
];

/// Programs whose `-v`, given first, asks for the version.
pub(super) const VERSION_V: &str = "bun deno hadolint node npm npx perl php pnpm rspec tsc yarn";

/// Programs that only then go on when more is given.
pub(super) const VERSION_V_ALONE: &str = "composer lua ruby";

/// Programs whose `-V`, given alone, asks for more words.
pub(super) const VERBOSE_V: &str = "ctest";

/// Options with which a program is started and not waited for.
pub(super) const DETACHING: Table = &[("docker", "-d --detach"), ("docker-compose", "-d --detach")];

/// Options that take a program with which others are run.
pub(super) const RUNNING: &str =
    "--entrypoint --exec --run-under --runner --shell --test-cmd --test-runner --tool-exec --vet-tool";

/// Programs that put files into form, and the options with which they only say whether that is needed.
pub(super) const FORMATTERS: Table = &[
    ("autopep8", "--exit-code"),
    ("black", "--check"),
    ("cargo fmt", "--check"),
    ("clang-format", "--Werror"),
    ("dart format", "--set-exit-if-changed"),
    ("deno fmt", "--check"),
    ("dotnet format", "--verify-no-changes"),
    ("go fmt", ""),
    ("isort", "-c --check --check-only"),
    ("mix format", "--check-formatted"),
    ("php-cs-fixer", "check --dry-run"),
    ("prettier", "-c -l --check --list-different"),
    ("ruff format", "--check --diff"),
    ("rustfmt", "--check"),
    ("shfmt", "-d -l --diff --list"),
    ("terraform fmt", "--check"),
    ("yapf", "-d --diff"),
    ("zig fmt", "--check"),
];

/// Options with a text that is a command.
pub(super) const CARRYING: Table = &[
    ("csh", "-c"),
    ("elvish", "-c"),
    ("fish", "-c --command"),
    ("flock", "-c --command"),
    ("nix-shell", "--command --run"),
    ("npm", "-c --call"),
    ("npx", "-c --call"),
    ("nu", "-c --commands"),
    ("powershell", "-c -Command"),
    ("pwsh", "-c -Command"),
    ("runuser", "-c --command"),
    ("script", "-c --command"),
    ("su", "-c --command"),
    ("tcsh", "-c"),
    ("xonsh", "-c"),
];

/// Short options that take a value, of the programs whose short options can stand in one word.
const VALUED: Table = &[
    ("ctest", "ACDEILMORSTUj"),
    ("docker", "acefhlmpuvwH"),
    ("docker-compose", "acefhlmpuvwH"),
    ("flock", "Ew"),
    ("gradle", "DIMPabcgpx"),
    ("just", "dEf"),
    ("make", "CEIWfjlo"),
    ("ninja", "Cdfjkltw"),
    ("node", "Cepr"),
    ("nox", "efkprst"),
    ("perl", "0CDEFIMVeilmx"),
    ("php", "BEFRSTcdfrtz"),
    ("prove", "IMPaej"),
    ("python", "WXcm"),
    ("rake", "DEGIPRTWefjpr"),
    ("ruby", "0CEFIKTWeirx"),
    ("scons", "CDIYfj"),
    ("script", "BEIOTcmot"),
    ("setsid", ""),
    ("su", "Gcgsw"),
    ("sudo", "CDRTghprtu"),
    ("task", "Cdot"),
    ("tox", "cefkpx"),
];

/// Options that take the next word, and may stand before the operand that says what a program does.
pub(super) const LEADING: Table = &[
    ("cargo", "-C -Z --color --config --manifest-path"),
    ("docker", "-H -f --context --file --project-name"),
    ("git", "-C -c --git-dir --work-tree"),
    ("go", "-C"),
    ("kubectl", "-n --context --namespace"),
    ("make", "-C -I -f -j -o --directory --file"),
    ("npm", "-w --prefix --workspace"),
    ("pnpm", "-C -F --dir --filter"),
    ("poetry", "-C -P --directory --project"),
    ("uv", "--directory --project"),
    ("yarn", "--cwd"),
];

/// Programs that hand every word after their first operand on.
pub(super) const LEADERS: &str = "just lua node perl php python ruby";

/// Programs that write long options with one dash.
const ONE_DASH: &str = "actionlint ant erl ginkgo go gosec terraform xcodebuild zig";

/// Long options of `make` that change what it does, and take any beginning of them.
pub(super) const MAKE_LONG: &str = "--assume-old --dry-run --eval --help --ignore-errors --just-print --old-file \
    --question --recon --touch --version";

/// Variables with options, and the program that takes them.
pub(super) const OPTIONS_OF: Table = &[
    ("GNUMAKEFLAGS", "make"),
    ("GOFLAGS", "go test"),
    ("MAKEFLAGS", "make"),
    ("MAVEN_ARGS", "mvn"),
    ("MFLAGS", "make"),
    ("NODE_OPTIONS", "node"),
    ("PERL5OPT", "perl"),
    ("PROVE_OPTIONS", "prove"),
    ("PYTEST_ADDOPTS", "pytest"),
    ("RUBYOPT", "ruby"),
];

/// The options that a table has for any program.
pub(super) fn for_all(table: Table) -> &'static str {
    of(table, "*")
}

/// The options that a table has for one program.
pub(super) fn of(table: Table, program: &str) -> &'static str {
    let found = table.iter().find(|(listed, _)| *listed == program);
    found.map_or("", |(_, options)| options)
}

/// Short options of a program that take a value; nothing when it is not known how it takes short ones.
pub(super) fn valued(program: &str) -> Option<&'static str> {
    let found = VALUED.iter().find(|(listed, _)| *listed == program);
    found.map(|(_, flags)| *flags)
}

/// Whether a program writes long options with one dash.
pub(super) fn has_long_with_one_dash(program: &str) -> bool {
    table::has(ONE_DASH, program)
}
