//! The lists behind the reading of simple commands. A program that is in none of them checks something.

/// Whether a list parted by white space has a word.
pub(super) fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

/// Programs that prepare or tell something: they may fail unseen, and alone they check nothing.
pub(super) const PREPARATIONS: &[&str] = &[
    ".", ":", "cat", "chmod", "cp", "date", "echo", "export", "false", "hash", "jobs", "let", "ln", "ls",
    "mkdir", "mv", "popd", "printf", "pwd", "read", "readonly", "rm", "rmdir", "shift", "shopt", "sleep",
    "source", "tee", "time", "touch", "true", "type", "ulimit", "umask", "unset", "wait", "which",
];

/// Programs that answer a question; lost where nobody asks.
pub(super) const QUESTIONS: &[&str] = &["[", "test"];

/// Programs that look for something; they may fail unseen where they supply text to something else.
pub(super) const SOURCES: &[&str] = &["awk", "expr", "find", "gawk", "git", "jq", "pgrep", "sort"];

/// Programs that succeed when they find something, so that a check may ask for the opposite.
pub(super) const LOOKERS: &[&str] = &["ack", "ag", "grep", "rg"];

/// Programs that tell something, and say nothing by their exit status.
pub(super) const TELLERS: &str = "\
    arch basename capabilities cd column comm copy copy_directory create_symlink cut dirname du ensurepip \
    env environment getconf gofmt gofumpt goimports head hostname id kill make_directory mktemp nproc \
    platform printenv ps pushd readlink realpath remove remove_directory rename sed seq site stat sysconfig \
    tail this tr tty uname uniq venv virtualenv wc whoami yes";

/// Programs, and modules of interpreters, that start others and do not wait for them or hand on how they ended.
pub(super) const STARTERS: &[&str] = &[
    "at",
    "batch",
    "cProfile",
    "coproc",
    "daemonize",
    "dbus-launch",
    "disown",
    "entr",
    "expect",
    "gdb",
    "lldb",
    "nodemon",
    "pdb",
    "profile",
    "screen",
    "start-stop-daemon",
    "systemd-run",
    "timeit",
    "tmux",
    "trace",
    "vi",
    "vim",
    "watch",
    "watchexec",
];

/// Programs that start others once for each word of their input, and so perhaps never.
pub(super) const REPEATERS: &[&str] = &["gxargs", "parallel", "xargs"];

/// Shells.
pub(super) const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "mksh", "sh", "zsh"];

/// What only the shell itself can do.
pub(super) const OF_SHELL: &[&str] = &[
    "break", "continue", "eval", "exec", "exit", "return", "set", "shopt", "trap",
];

/// Programs that succeed whatever they are given.
pub(super) const NOTHING: &[&str] = &[":", "cat", "echo", "printf", "true"];

/// Names of variables that hold a program.
pub(super) const TOOLS: &[&str] = &[
    "bash", "cargo", "cc", "cxx", "go", "jest", "make", "node", "npm", "npx", "perl", "pytest", "python",
    "python3", "ruby", "rustc", "rustdoc", "sh", "tox",
];

/// Shells with a language of their own: of theirs only plain commands are understood.
pub(super) const FOREIGN_SHELLS: &[&str] = &[
    "csh",
    "elvish",
    "fish",
    "nu",
    "powershell",
    "pwsh",
    "tcsh",
    "xonsh",
];

/// Other names of programs.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("bazelisk", "bazel"),
    ("bmake", "make"),
    ("egrep", "grep"),
    ("fgrep", "grep"),
    ("gmake", "make"),
    ("gradlew", "gradle"),
    ("mvnw", "mvn"),
    ("nodejs", "node"),
    ("pip3", "pip"),
    ("podman", "docker"),
    ("rtx", "mise"),
];

/// Programs of which the first operand says what they do.
pub(super) const MANY_IN_ONE: &str = "\
    asdf bazel bun bundle cabal cargo composer conda coverage dart deno docker docker-compose dotnet \
    dune flutter git go golangci-lint gradle hatch helm kubectl lein lerna meson mise mix moon mvn nix \
    npm nx opam pants pdm pip pipenv pixi pnpm poetry pre-commit rebar3 ruff rush rustup rye sbt stack \
    swift terraform turbo uv yarn zig";

/// First operands with which such a program does something, or tells something, but checks nothing.
pub(super) const IDLE_VERBS: &str = "\
    add autoupdate branch cache changed checkout clean combine commit completion config cquery create \
    deps deps.get describe doctor down download dump-package env erase fetch get graph help html images \
    info init install introspect kill linter linters list locate-project log login logout logs ls \
    ls-files metadata new pkg pkgid prune ps pull push query remove reset restore rev-parse rm root \
    sample-config search setup show stash status stop sync targets tasks tidy tree uninstall up update \
    upgrade version zen";

/// First operands that only say what the next one is about.
pub(super) const GROUPS: &str = "\
    compose container image mod network package pip pm pub sln volume workspaces";

/// Programs that take tasks as operands, and have one without any.
pub(super) const TASK_PROGRAMS: &str = "gradle just lein make mvn ninja rake sbt";

/// Tasks that check nothing.
pub(super) const IDLE_TASKS: &str = "\
    about clean dependencies dependency:tree deps distclean help init projects properties tasks validate \
    version wrapper";

/// Programs that need the name of a script after one of [`SCRIPT_VERBS`].
pub(super) const SCRIPT_PROGRAMS: &[&str] = &["bun", "composer", "deno", "npm", "pnpm", "pre-commit", "yarn"];

/// Words before the name of a script.
pub(super) const SCRIPT_VERBS: &[&str] = &["exec", "run", "run-script", "task"];

/// Options of `git` with which its exit status is an answer.
pub(super) const GIT_ANSWERS: &[&str] = &[
    "--check",
    "--error-unmatch",
    "--exit-code",
    "--is-ancestor",
    "--quiet",
    "--verify",
];

/// Variables that load something into every program.
pub(super) const LOADING: &[&str] = &["DYLD_INSERT_LIBRARIES", "LD_AUDIT", "LD_PRELOAD"];

/// Programs that take code as one text, and the short options before it.
pub(super) const CODE: &[(&str, &str)] = &[
    ("Rscript", "e"),
    ("bun", "ep"),
    ("elixir", "e"),
    ("julia", "eE"),
    ("lua", "e"),
    ("node", "ep"),
    ("perl", "eE"),
    ("php", "r"),
    ("python", "c"),
    ("ruby", "e"),
];

/// Programs whose first operand is code.
pub(super) const CODE_FIRST: &[&str] = &["awk", "gawk", "mawk", "nawk"];

/// Beginnings of words by which code starts a program.
pub(super) const STARTING_CODE: &[&str] = &[
    "Popen",
    "child_process",
    "execute",
    "fork",
    "open3",
    "passthru",
    "pcntl",
    "popen",
    "posix_spawn",
    "proc_open",
    "qx",
    "shell_exec",
    "spawn",
    "subprocess",
    "system",
];

/// Modules of python that run tests.
pub(super) const RUNNER_MODULES: &[&str] = &["doctest", "nose", "pytest", "runpy", "unittest"];

/// Calls that run them.
pub(super) const RUNNER_CALLS: &[&str] = &[
    "main(",
    ".run(",
    "run_module(",
    "run_path(",
    "testfile(",
    "testmod(",
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
