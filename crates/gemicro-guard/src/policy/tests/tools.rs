//! Tools that are not shells, links in the file system, and the user's additions.

use serde_json::{Value, json};

use super::{WORKTREE, shell};
use crate::policy::{GuardedCall, PolicyConfig, PolicyDecision, PolicyRule, check};

fn tool(name: &str, args: &Value) -> PolicyDecision {
    let call = GuardedCall {
        tool: name.to_owned(),
        args: args.as_object().unwrap().clone(),
        cwd: WORKTREE.into(),
        worktree: WORKTREE.into(),
    };
    check(&PolicyConfig::default(), &call)
}

#[test]
fn file_tools_stay_in_the_worktree() {
    let path = |path: &str| json!({"file_path": path, "content": "x"});
    let cases = [
        ("Write", path("src/a.rs"), true),
        ("Write", path("./a/../b.rs"), true),
        ("write_file", path(&format!("{WORKTREE}/x")), true),
        ("replace", path("README.md"), true),
        ("MultiEdit", path(".gitignore"), true),
        ("Read", path("src"), true),
        ("Read", path(".git"), true),
        ("read_many_files", json!({"paths": ["a", "b/**/*.rs"]}), true),
        ("Grep", json!({"pattern": "../x"}), true),
        ("Glob", json!({"pattern": "**/*.rs"}), true),
        ("list_directory", json!({"path": "."}), true),
        ("NotebookEdit", json!({"notebook_path": "a.ipynb"}), true),
        ("TodoWrite", json!({"todos": []}), true),
        ("google_web_search", json!({"query": "x"}), true),
        (
            "invoke_agent",
            json!({"agent_name": "codebase_investigator", "prompt": "x"}),
            true,
        ),
        ("Write", path("../x"), false),
        ("Write", path("/etc/passwd"), false),
        ("Write", path("a/../../x"), false),
        ("Write", path("~/.bashrc"), false),
        ("Write", path(".git/config"), false),
        ("Write", path(".GIT/config"), false),
        ("Write", path(".git./config"), false),
        ("Write", path("git~1/config"), false),
        ("Write", path(".g\u{200c}it/config"), false),
        ("Write", path("a\u{0}b"), false),
        ("Write", path(""), true),
        ("Write", json!({"content": "x"}), false),
        ("Write", json!({"file_path": ["a"]}), false),
        ("Edit", path("sub/.git/hooks/x"), false),
        ("move_file", json!({"source": "a", "destination": "../b"}), false),
        ("Read", path("/srv/someone/.ssh/id"), false),
        ("Read", path("../other"), false),
        ("read_many_files", json!({"paths": ["a", "/etc/shadow"]}), false),
        ("Glob", json!({"pattern": "/etc/*"}), false),
        ("Glob", json!({"pattern": "a/../../*"}), false),
        ("Glob", json!({"pattern": "{../*,x}"}), false),
        ("Grep", json!({"pattern": "x", "path": "/root"}), false),
        ("mcp__evil__run", json!({}), false),
        ("save_memory", json!({"fact": "x"}), false),
        ("Task", json!({"prompt": "x"}), false),
        (
            "invoke_agent",
            json!({"agent_name": "generalist", "prompt": "x"}),
            false,
        ),
        ("invoke_agent", json!({"prompt": "x"}), false),
        ("", json!({}), false),
    ];
    for (name, args, allowed) in cases {
        let decision = tool(name, &args);
        assert_eq!(decision.is_allowed(), allowed, "{name} {args}: {decision:?}");
    }
}

#[test]
fn shell_tools_take_words_and_folders() {
    let cases = [
        (json!({"command": ["bash", "-lc", "git status"]}), true),
        (json!({"command": ["git", "log", "$(x)"]}), true),
        (json!({"command": "git status", "directory": "src"}), true),
        (json!({"command": ["bash", "-lc", "git push"]}), false),
        (json!({"command": ["git", "push"]}), false),
        (json!({"command": ["git", 1]}), false),
        (
            json!({"command": "git status", "workdir": "/nowhere/repo"}),
            false,
        ),
        (json!({"command": "git status", "dir_path": ".."}), false),
        (json!({"command": 1}), false),
        (json!({}), false),
    ];
    for (args, allowed) in cases {
        let decision = tool("shell", &args);
        assert_eq!(decision.is_allowed(), allowed, "{args}: {decision:?}");
    }
}

#[test]
fn patches_name_their_files() {
    let patch = |body: &str| json!({"input": format!("*** Begin Patch\n{body}\n*** End Patch")});
    let cases = [
        (patch("*** Add File: a/b.rs\n+x"), true),
        (patch("*** Update File: a\n*** Move to: b\n@@\n-x\n+y"), true),
        (json!({"patch": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}), true),
        (patch("*** Update File: a\n*** Move to: ../b"), false),
        (patch("*** Delete File: /etc/passwd"), false),
        (patch("  *** Add File: .git/hooks/x\n+x"), false),
        (json!({"patch": "--- a/x\n+++ b/../../x\n"}), false),
        (patch("nothing"), false),
        (json!({}), false),
    ];
    for (args, allowed) in cases {
        let decision = tool("apply_patch", &args);
        assert_eq!(decision.is_allowed(), allowed, "{args}: {decision:?}");
    }
}

#[test]
fn only_public_addresses_are_fetched() {
    let cases = [
        ("https://docs.rs/serde", true),
        ("http://example.org:8080/x?y#z", true),
        ("https://93.184.216.34/", true),
        ("https://[2606:2800:220:1::1]/", true),
        ("http://169.254.169.254/latest/meta-data/", false),
        ("http://127.0.0.1:8080/", false),
        ("http://localhost/", false),
        ("http://LOCALHOST./", false),
        ("http://10.0.0.1/", false),
        ("http://192.168.1.1/", false),
        ("http://172.16.0.1/", false),
        ("http://100.64.0.1/", false),
        ("http://0.0.0.0/", false),
        ("http://0/", false),
        ("http://2130706433/", false),
        ("http://0x7f000001/", false),
        ("http://0x7f.1/", false),
        ("http://0177.0.0.1/", false),
        ("http://127.1/", false),
        ("http://[::1]/", false),
        ("http://[::ffff:127.0.0.1]/", false),
        ("http://[fd00::1]/", false),
        ("http://[fe80::1]/", false),
        ("http://metadata.google.internal/", false),
        ("http://printer.local/", false),
        ("http://intranet/", false),
        ("http://127.0.0.1.nip.io/", false),
        ("http://user@127.0.0.1/", false),
        ("http://example.org@127.0.0.1/", false),
        ("http://%31%32%37.0.0.1/", false),
        ("file:///etc/passwd", false),
        ("gopher://example.org/", false),
        ("", false),
    ];
    for (url, allowed) in cases {
        let decision = tool("web_fetch", &json!({"url": url}));
        assert_eq!(decision.is_allowed(), allowed, "{url}: {decision:?}");
        let decision = tool("WebFetch", &json!({"prompt": format!("read {url} please")}));
        assert_eq!(decision.is_allowed(), allowed, "in a prompt: {url}: {decision:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    let (worktree, outside) = (root.join("wt"), root.join("outside"));
    for folder in [&worktree.join("src"), &outside, &worktree.join(".git")] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let link =
        |to: &std::path::Path, name: &str| std::os::unix::fs::symlink(to, worktree.join(name)).unwrap();
    link(&outside, "out");
    link(&outside.join("file"), "dangling");
    link(std::path::Path::new("src"), "in");
    link(std::path::Path::new(".git"), "g");
    let cases = [
        ("echo x > in/a", true),
        ("cd in && git status", true),
        ("cd none; ls; cd src; cd ..; git status", true),
        ("echo x > out/a", false),
        ("echo x > dangling", false),
        ("echo x > g/config", false),
        ("echo x > in/../../outside/x", false),
        ("echo x > out/../wt/x", true),
        ("cd out && git status", false),
        ("git -C out status", false),
        ("tee out/x < a", false),
    ];
    for (command, allowed) in cases {
        let decision = check(
            &PolicyConfig::default(),
            &GuardedCall::shell("Bash", command, &worktree),
        );
        assert_eq!(decision.is_allowed(), allowed, "{command}: {decision:?}");
    }
}

#[test]
fn the_user_may_add() {
    let config = PolicyConfig {
        plain_programs: vec!["gh".to_owned()],
        tools: vec!["mcp__docs__search".to_owned()],
        git_subcommands: vec!["restore".to_owned()],
        writable: vec!["/nowhere/tmp".into()],
        allow_amend: true,
        deny_web: true,
        ..PolicyConfig::default()
    };
    let decide = |command: &str| check(&config, &GuardedCall::shell("Bash", command, WORKTREE)).is_allowed();
    for command in [
        "gh pr view git",
        "git restore x",
        "echo x > /nowhere/tmp/y",
        "git commit --amend",
    ] {
        assert!(decide(command), "{command}");
        assert!(!shell(command).is_allowed(), "{command}");
    }
    assert!(!decide("git push"));
    assert!(!decide("git restore --output=x"));
}

#[test]
fn relative_folders_are_refused() {
    let call = GuardedCall::shell("Bash", "ls", "wt");
    let PolicyDecision::Deny(denial) = check(&PolicyConfig::default(), &call) else {
        panic!("allowed");
    };
    assert_eq!(denial.rule, PolicyRule::ToolArguments);
}
