//! The policy against the real bash: random lines that it allows are run, in the sandbox, with a `git` that writes down
//! how it was called. No allowed line may have called `git push`.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it is")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use gemicro_guard::policy::{GuardedCall, PolicyConfig, check};
use gemicro_guard::sandbox::{
    Launcher, Network, PinnedPath, Profile, ResourceLimits, Shells, Tier, WriteMode, plan, probe,
};

/// Pieces of shell, among them the two calls of git: one is fine, one is not.
const PIECES: &[&str] = &[
    "git push",
    "git push",
    "git push",
    "git",
    "push",
    "git status",
    "echo",
    "ls",
    "x",
    "env ",
    "eval ",
    "bash -c ",
    "sh ",
    "cat ",
    "command ",
    "exec ",
    "xargs ",
    "x=",
    "$x",
    "${x}",
    "${x:-",
    "${x%",
    "${x//a/",
    "\"${x:=",
    "$((",
    "[[ ",
    " ]]",
    "a[",
    "0<",
    "}",
    "$(",
    ")",
    "(",
    "`",
    "'",
    "'",
    "\"",
    "\"",
    "\\",
    "\\\n",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "<<E",
    "<<'E'",
    "<<-E",
    "\nE\n",
    "\n\tE\n",
    "<<<",
    " ",
    " ",
    " ",
    "{",
    "{ ",
    "; }",
    ",",
    "!",
    "#",
    "[[ ",
    " ]]",
    "((",
    "))",
    "$((",
    "if ",
    "; then ",
    "; fi",
    "while ",
    "; do ",
    "; done",
    "for x in ",
    "case x in ",
    "x) ",
    ";; esac",
    "f() ",
    "f",
    "$'",
    "\\x67it",
    "$\"",
    "*",
    "?",
    "~",
    "-",
    "--",
    "=",
    "1",
    "2>&1",
    ">o ",
    ">>o ",
    "<(",
    "trap ",
    " EXIT",
    "true",
    "@",
    "+",
    "time ",
    "\t",
    "é",
    "%",
    "declare ",
    "export ",
    "let ",
    "a[",
    "]",
    ":",
    "$1",
    "$@",
    "set -- ",
    "alias g=",
    "g",
];
const LINES: usize = 800;
const TRIES: usize = 400_000;

/// A small generator of numbers, the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

fn allowed_lines(worktree: &Path, seed: u64) -> Vec<String> {
    let mut numbers = Numbers(seed);
    let mut lines = Vec::new();
    for _ in 0..TRIES {
        let n_pieces = 2 + numbers.below(9);
        let line: String = (0..n_pieces)
            .map(|_| PIECES[numbers.below(PIECES.len())])
            .collect();
        let may_push = line.contains("git") && line.contains("push");
        if may_push
            && check(
                &PolicyConfig::default(),
                &GuardedCall::shell("Bash", &line, worktree),
            )
            .is_allowed()
        {
            lines.push(line);
        }
        if lines.len() == LINES {
            break;
        }
    }
    lines
}

#[test]
fn no_allowed_line_pushes() {
    let launcher = Launcher {
        program: env!("CARGO_BIN_EXE_guard-launch").into(),
        arguments: Vec::new(),
    };
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    if !probe(&launcher, &root).unwrap().bubblewrap {
        let has_program = Path::new("/usr/bin/bwrap").exists();
        assert!(has_program, "bubblewrap is missing: run `cargo xtask setup`");
        let in_ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!in_ci, "tier full is missing");
        eprintln!("SKIPPED: random lines are only run in tier full");
        return;
    }
    for name in ["wt/lines", "wt/logs", "wt/in", "wt/stubs", "home", "tmp", "user"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    let seed = std::env::var("GUARD_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(7);
    let lines = allowed_lines(&root.join("wt/in"), seed);
    for (idx, line) in lines.iter().enumerate() {
        std::fs::write(root.join(format!("wt/lines/{idx}")), line).unwrap();
    }
    let stub = root.join("wt/stubs/git");
    std::fs::write(&stub, "#!/bin/bash\nprintf '%s\\n' \"$*\" >> \"$LOG\"\n").unwrap();
    std::fs::set_permissions(&stub, std::fs::Permissions::from_mode(0o755)).unwrap();
    for (name, real) in [
        ("env", "/usr/bin/env"),
        ("bash", "/bin/bash"),
        ("sh", "/bin/bash"),
        ("cat", "/bin/cat"),
        ("xargs", "/usr/bin/xargs"),
        ("ls", "/bin/true"),
    ] {
        std::os::unix::fs::symlink(real, root.join("wt/stubs").join(name)).unwrap();
    }
    let profile = Profile {
        mode: WriteMode::WorkspaceWrite,
        workspace: root.join("wt"),
        writable: Vec::new(),
        pinned: vec![root.join("wt/stubs"), root.join("wt/lines")],
        pinning: PinnedPath::Required,
        shells: Shells::Within,
        readable: Vec::new(),
        hidden: Vec::new(),
        user_home: root.join("user"),
        home: root.join("home"),
        temporary: root.join("tmp"),
        network: Network::None,
        unix_sockets: false,
        limits: ResourceLimits::default(),
        environment: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
    };
    let script = "cd in; W=$OLDPWD; for f in $W/lines/*; do \
        LOG=$W/logs/${f##*/} PATH=$W/stubs /usr/bin/timeout -k 1 1 /bin/bash $f; done; exit 0";
    let command = ["/bin/bash", "-c", script].map(Into::into);
    let plan = plan(&launcher, Tier::Full, &profile, &command).unwrap();
    let mut command = plan.command();
    command
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    assert!(command.status().unwrap().success());
    let mut n_called = 0;
    let mut pushed = Vec::new();
    for (idx, line) in lines.iter().enumerate() {
        let log = std::fs::read_to_string(root.join(format!("wt/logs/{idx}"))).unwrap_or_default();
        n_called += usize::from(!log.is_empty());
        if log.lines().any(|call| call.starts_with("push")) {
            pushed.push(format!("{line:?} called {log:?}"));
        }
    }
    println!("{} allowed lines run, {n_called} of them called git", lines.len());
    assert!(
        pushed.is_empty(),
        "{} lines pushed\n{}",
        pushed.len(),
        pushed.join("\n")
    );
}
