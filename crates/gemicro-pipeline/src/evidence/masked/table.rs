//! The lists behind the reading of simple commands. A program that is in none of them checks something.

/// Programs that prepare or tell something: they may fail unseen, and alone they check nothing.
pub(super) const PREPARATIONS: &[&str] = &[
    ".", ":", "cat", "cd", "chmod", "cp", "date", "echo", "export", "false", "hash", "ln", "ls", "mkdir",
    "mv", "popd", "printf", "pushd", "pwd", "read", "readonly", "rm", "rmdir", "shift", "shopt", "sleep",
    "source", "tee", "touch", "true", "type", "ulimit", "umask", "unset", "wait", "which",
];

/// Programs that answer a question; lost where nobody asks.
pub(super) const QUESTIONS: &[&str] = &["[", "test"];

/// Programs that may fail unseen where they supply text to something else.
pub(super) const SOURCES: &[&str] = &[
    "arch", "awk", "basename", "column", "comm", "cut", "dirname", "du", "env", "expr", "find", "gawk",
    "getconf", "git", "grep", "head", "hostname", "id", "jq", "mktemp", "nproc", "pgrep", "printenv", "ps",
    "readlink", "realpath", "rg", "sed", "seq", "sort", "stat", "tail", "tr", "tty", "uname", "uniq", "wc",
    "whoami", "yes",
];

/// Programs that start others and do not wait for them.
pub(super) const STARTERS: &[&str] = &[
    "at",
    "batch",
    "coproc",
    "daemonize",
    "disown",
    "screen",
    "start-stop-daemon",
    "systemd-run",
    "tmux",
    "watch",
];

/// Programs that start others once for each word of their input, and so perhaps never.
pub(super) const REPEATERS: &[&str] = &["gxargs", "parallel", "xargs"];

/// Shells.
pub(super) const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "mksh", "sh", "zsh"];

/// Programs that succeed whatever they are given.
pub(super) const NOTHING: &[&str] = &[":", "cat", "echo", "printf", "true"];

/// Names of variables that hold a program.
pub(super) const TOOLS: &[&str] = &[
    "bash", "cargo", "cc", "cxx", "go", "jest", "make", "node", "npm", "npx", "perl", "pytest", "python",
    "python3", "ruby", "rustc", "rustdoc", "sh", "tox",
];

/// Options that take a program with which others are run.
pub(super) const RUNNING: &[&str] = &["--exec", "--runner", "--shell", "--test-runner", "-exec"];

/// Programs that take a command as one text after `-c`.
pub(super) const CARRIERS: &[&str] = &["flock", "runuser", "script", "su"];

/// Programs of which the first operand says what they do.
pub(super) const MANY_IN_ONE: &[&str] = &[
    "cargo", "dotnet", "git", "go", "gradle", "mvn", "npm", "pnpm", "yarn",
];

/// Options with which a failure becomes a success, whichever program takes them.
pub(super) const HIDING: &[&str] = &[
    "--exit-zero",
    "--fail-never",
    "--if-present",
    "--ignore-errors",
    "--issues-exit-code=0",
    "--no-fail",
    "--pass-with-no-tests",
    "--passWithNoTests",
    "--suppress-no-test-exit-code",
    "--suppress-tests-failed-exit-code",
    "-Dmaven.test.failure.ignore",
    "-Dmaven.test.failure.ignore=true",
];

/// Options with which nothing is checked, whichever program takes them.
pub(super) const IDLE: &[&str] = &[
    "--co",
    "--collect-only",
    "--collectonly",
    "--dry-run",
    "--fixtures",
    "--gtest_list_tests",
    "--just-print",
    "--list",
    "--list-tests",
    "--listTests",
    "--markers",
    "--no-run",
    "--notest",
    "--recon",
    "--setup-plan",
    "--show-only",
    "-DskipTests",
    "-DskipTests=true",
    "-Dmaven.test.skip",
    "-Dmaven.test.skip=true",
];

/// Options with which a program tells about itself.
pub(super) const TELLING: &[&str] = &["--help", "--version"];

/// Options and operands of one program (and its first operand) with which it checks nothing.
pub(super) const IDLE_OF: &[(&str, &str)] = &[
    ("bats", "-c"),
    ("cargo check", "-h"),
    ("cargo clippy", "-h"),
    ("cargo nextest", "-h"),
    ("cargo nextest", "list"),
    ("cargo test", "-h"),
    ("ctest", "-N"),
    ("dotnet test", "-t"),
    ("go test", "-c"),
    ("go test", "-list"),
    ("go test", "-n"),
    ("make", "--question"),
    ("make", "--touch"),
    ("gradle", "-m"),
    ("node", "--check"),
    ("php", "--syntax-check"),
    ("prove", "--dry"),
    ("pytest", "-h"),
    ("sudo", "-l"),
    ("sudo", "-v"),
];

/// Short options of one program, alone or in a group, with which it checks nothing, and those that take a value.
pub(super) const IDLE_FLAGS: &[(&str, &str, &str)] = &[
    ("gmake", "nqt", "CEIWfjlo"),
    ("just", "n", "dEf"),
    ("make", "nqt", "CEIWfjlo"),
    ("ninja", "n", "Cdfjkltw"),
    ("node", "c", "Cepr"),
    ("perl", "c", "0CDEFIMVeilmx"),
    ("php", "l", "BEFRSTcdfrtz"),
    ("prove", "D", "IMPaej"),
    ("rake", "n", "DEGIPRTWefjpr"),
    ("ruby", "c", "0CEFIKTWeirx"),
];

/// Programs that hand every word after their first operand on.
pub(super) const LEADERS: &[&str] = &["just", "node", "perl", "php", "ruby"];

/// Variables with options, and the program that takes them.
pub(super) const OPTIONS_OF: &[(&str, &str)] = &[
    ("GNUMAKEFLAGS", "make"),
    ("GOFLAGS", "go test"),
    ("MAKEFLAGS", "make"),
    ("NODE_OPTIONS", "node"),
    ("PERL5OPT", "perl"),
    ("PYTEST_ADDOPTS", "pytest"),
    ("RUBYOPT", "ruby"),
];

/// Variables that load something into every program.
pub(super) const LOADING: &[&str] = &["DYLD_INSERT_LIBRARIES", "LD_AUDIT", "LD_PRELOAD"];

/// Programs that take code as one text, and the short options before it.
pub(super) const CODE: &[(&str, &str)] = &[
    ("node", "ep"),
    ("perl", "eE"),
    ("php", "r"),
    ("python", "c"),
    ("ruby", "e"),
];

/// The words of code that cannot fail.
pub(super) const EMPTY_CODE: &[&str] = &[
    "console",
    "echo",
    "exit",
    "false",
    "import",
    "log",
    "null",
    "pass",
    "print",
    "process",
    "puts",
    "quit",
    "say",
    "sys",
    "true",
    "undefined",
    "False",
    "None",
    "True",
];

/// Operators of `test` that look at something outside of the command.
pub(super) const LOOKING: &str = "bcdefghkprstuvwxGLNORS";

/// Options of one program with which a failure becomes a success.
pub(super) const HIDING_OF: &[(&str, &str)] = &[
    ("mvn", "-fn"),
    ("docker", "-d"),
    ("docker", "--detach"),
    ("podman", "-d"),
    ("podman", "--detach"),
    ("setsid", "-f"),
    ("setsid", "--fork"),
    ("sudo", "-b"),
    ("sudo", "--background"),
];
