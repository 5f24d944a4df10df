//! The parts that are pure, and the rule that no other file breaks. Real repositories and real sandboxes are in
//! `tests/repository.rs`.

use std::path::Path;

use super::links::{self, Links};
use super::main_branch::branch_of;
use super::prefix::{covers, is_plain};
use super::report::ReportKind;
use super::rules::kind_of_path;
use super::{CommitId, Slug, checkout, conflict_markers, credentials};

type Entries<'a> = &'a [(&'a str, &'a str)];

fn escaping(entries: Entries<'_>) -> Vec<String> {
    let links: Links = entries
        .iter()
        .map(|(path, target)| (path.as_bytes().to_vec(), target.as_bytes().to_vec()))
        .collect();
    let found = links::escaping_links(&links, &mut links::Budget::default()).into_keys();
    found.map(|path| String::from_utf8(path).unwrap()).collect()
}

#[test]
fn links_are_followed_as_the_kernel_does() {
    let stays: &[Entries<'_>] = &[
        &[("a", "b")],
        &[("d/a", "../b")],
        &[("d/e/a", "../../b"), ("b", "d")],
        &[("a", "missing/../b")],
        &[("a", ".github/x"), ("b", ".gitignore"), ("c", "git")],
        &[("a", ".")],
        &[("a/b", "..//./c")],
    ];
    for entries in stays {
        assert_eq!(escaping(entries), Vec::<String>::new(), "{entries:?}");
    }
    let leaves: &[(Entries<'_>, &[&str])] = &[
        (&[("a", "/etc")], &["a"]),
        (&[("a", "..")], &["a"]),
        (&[("d/a", "../../b")], &["d/a"]),
        (&[("a", "x/../../b")], &["a"]),
        // Through a folder that is itself a link to a shallower one.
        (&[("x/y/d", "../../top"), ("x/y/l", "d/../../foo")], &["x/y/l"]),
        // Through another link that leaves.
        (&[("a", "b/c"), ("b", "/")], &["a", "b"]),
        (&[("a", "b"), ("b", "a")], &["a", "b"]),
        (&[("a", ".git")], &["a"]),
        (&[("a", "b/.GIT/config")], &["a"]),
        (&[("a", "GIT~1/x")], &["a"]),
        (&[("a", ".g\u{200c}it/x")], &["a"]),
        (&[("a", ".git. /x")], &["a"]),
    ];
    for (entries, expected) in leaves {
        assert_eq!(escaping(entries), *expected, "{entries:?}");
    }
}

#[test]
fn paths_are_known_in_any_letter_case() {
    for (path, expected) in [
        (".claude/settings.json", Some(ReportKind::Settings)),
        ("deep/.GEMINI/x", Some(ReportKind::Settings)),
        (".codex", Some(ReportKind::Settings)),
        (".gemicro/workflow.yaml", Some(ReportKind::Settings)),
        ("x/.Envrc", Some(ReportKind::Settings)),
        (".husky/pre-commit", Some(ReportKind::Settings)),
        (".GitHub/Workflows/ci.yml", Some(ReportKind::Ci)),
        (".gitlab-ci.yml", Some(ReportKind::Ci)),
        (".circleci/config.yml", Some(ReportKind::Ci)),
        ("JenkinsFile", Some(ReportKind::Ci)),
        ("Azure-Pipelines.yml", Some(ReportKind::Ci)),
        ("a/.GitAttributes", Some(ReportKind::Attributes)),
        (".gitmodules", Some(ReportKind::Modules)),
        (".github/copilot-instructions.md", Some(ReportKind::Settings)),
        (".agents/skills/x/SKILL.md", Some(ReportKind::Settings)),
        ("a/AGENTS.override.md", Some(ReportKind::Settings)),
        ("CLAUDE.local.md", Some(ReportKind::Settings)),
        ("gemicro.toml", Some(ReportKind::Settings)),
        ("opencode.json", Some(ReportKind::Settings)),
        ("lefthook.yaml", Some(ReportKind::Settings)),
        (".pnpmfile.cjs", Some(ReportKind::Settings)),
        (".mvn/jvm.config", Some(ReportKind::Settings)),
        (".env", Some(ReportKind::Settings)),
        (".invented-next-year/x", Some(ReportKind::Settings)),
        (".gitignore", None),
        ("a/.dockerignore", None),
        (".editorconfig", None),
        ("agents.rs", None),
        ("docs/agents/x.md", None),
        ("src/mise.rs", None),
        ("claude/x", None),
        ("src/lib.rs", None),
    ] {
        assert_eq!(kind_of_path(path), expected, "{path}");
    }
}

#[test]
fn names_say_what_they_are() {
    let slug: Slug = "task/x/work".parse().unwrap();
    assert_eq!(slug.as_str(), "x/work");
    assert_eq!(
        (slug.branch(), slug.reference(), slug.folder_name()),
        (
            "task/x/work".into(),
            "refs/heads/task/x/work".into(),
            "task-x-work".into()
        )
    );
    assert_eq!(serde_json::to_string(&slug).unwrap(), "\"x/work\"");
    assert!(serde_json::from_str::<Slug>("\"a b\"").is_err());
    for text in ["", "HEAD", &"g".repeat(40), &"A".repeat(40), &"a".repeat(39)] {
        assert_eq!(CommitId::parse(text), None, "{text}");
    }
    assert!(CommitId::parse(&"a".repeat(64)).is_some());
}

#[test]
fn prefixes_cover_whole_parts() {
    for (prefix, path, expected) in [
        ("docs/reviews/", "docs/reviews/a.md", true),
        ("docs/reviews/", "docs/reviews/deep/a.md", true),
        ("docs/reviews", "docs/reviews/a.md", true),
        ("docs/reviews", "docs/reviews", true),
        // A link or a file in the folder's place.
        ("docs/reviews/", "docs/reviews", false),
        ("docs/reviews", "docs/reviews-2/a.md", false),
        ("docs/reviews/", "docs/Reviews/a.md", false),
        ("docs/reviews/", "src/docs/reviews/a.md", false),
        ("docs/plan.md", "docs/plan.md", true),
        ("", "a", false),
        ("/", "a", false),
    ] {
        assert_eq!(covers(prefix, path.as_bytes()), expected, "{prefix} {path}");
    }
    for path in ["a", "a/b", "-x", ":(glob)*", "HEAD^", "a:b", ".github/x", " "] {
        assert!(is_plain(path), "{path}");
    }
    for path in [
        "",
        "/a",
        "a/",
        "a//b",
        ".",
        "./a",
        "a/..",
        "../a",
        ".git/config",
        "a/.GIT/x",
        "a\0b",
    ] {
        assert!(!is_plain(path), "{path}");
    }
}

#[test]
fn only_plain_branches_of_a_remote_are_taken() {
    for name in ["main", "release/1.x", "trunk/ü#1@x", "a=b", "x;y&z|$(w)"] {
        assert_eq!(branch_of(&format!("refs/heads/{name}")).as_deref(), Some(name));
    }
    for reference in [
        "refs/heads/",
        "refs/heads/*",
        "refs/heads/a:refs/heads/b",
        "refs/heads/a b",
        "refs/heads/-x",
        "refs/heads/a/-x",
        "refs/heads/a..b",
        "refs/heads/a@{1}",
        "refs/heads/a^",
        "refs/heads/a~1",
        "refs/heads/a\tb",
        "refs/heads/a.lock",
        "refs/heads/.a",
        "refs/tags/v1",
        "HEAD",
    ] {
        assert_eq!(branch_of(reference), None, "{reference}");
    }
}

#[test]
fn addresses_are_shown_without_credentials() {
    for (url, expected) in [
        ("https://user:secret@host/x.git", "https://host/x.git"),
        ("https://token@host:8443/x.git", "https://host:8443/x.git"),
        ("https://host/x.git?private_token=secret#y", "https://host/x.git"),
        ("https://us@er:p@ss@host/x", "https://host/x"),
        ("ssh://git@host/x.git", "ssh://git@host/x.git"),
        ("ssh://git:secret@host/x.git", "ssh://host/x.git"),
        ("git@host:x.git", "git@host:x.git"),
        ("/srv/x@y/z.git", "/srv/x@y/z.git"),
        ("https://host/@scope/x", "https://host/@scope/x"),
    ] {
        assert_eq!(credentials::shown_address(url), expected, "{url}");
    }
    let urls = ["https://user:p%40ssword@host/x.git?token=abcdef".to_owned()];
    for (words, expected) in [
        (
            "fatal: 'https://user:p%40ssword@host/x' failed",
            "fatal: 'https://host/x' failed",
        ),
        ("fatal: p@ssword and abcdef\u{1b}[2J", "fatal: *** and ***[2J"),
        ("see https://other:pass@elsewhere/y", "see https://elsewhere/y"),
        ("not found", "not found"),
    ] {
        assert_eq!(credentials::redact_git_text(words, &urls), expected, "{words}");
    }
}

#[test]
fn marks_of_conflicts_are_known() {
    for text in [
        "a\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main\nb\n",
        "<<<<<<< HEAD\r\nx\r\n=======\r\ny\r\n>>>>>>> main\r\n",
        "<<<<<<< HEAD\nx\n||||||| base\nz\n=======\ny\n>>>>>>> main",
        // One side is enough, and attributes can make marks longer and shorter.
        ">>>>>>> main\n=======\n<<<<<<< HEAD\n",
        "<<<<<<< HEAD\nx\n=======\n",
        "<<<<<<<< HEAD\n========\n>>>>>>>> main\n",
        "x\n>>>>>>>>> main\n",
        "<<< HEAD\nx\n===\ny\n>>> main\n",
        "< HEAD\nx\n=\ny\n> main\n",
    ] {
        assert!(conflict_markers(text.as_bytes()), "{text}");
    }
    for text in [
        "",
        "Title\n=======\n",
        " <<<<<<< HEAD\n=======\n >>>>>>> main\n",
        ">>> add(1, 2)\n3\n===\n<<<\n",
        "<<< a\n==\n>>> b\n",
        "<<<<<<<x\n",
    ] {
        assert!(!conflict_markers(text.as_bytes()), "{text}");
    }
}

#[test]
fn checkouts_are_read() {
    let head = "a".repeat(40);
    let text = format!(
        "worktree /r\nHEAD {head}\nbranch refs/heads/main\n\nworktree /w\nHEAD {head}\ndetached\n\nworktree /b\nbare\n\n"
    );
    let found = checkout::parse(text.as_bytes());
    let branches: Vec<Option<&str>> = found.iter().map(|one| one.branch.as_deref()).collect();
    assert_eq!(branches, [Some("refs/heads/main"), None, None]);
    assert_eq!(found[1].folder, Path::new("/w"));
    assert_eq!(found[2].head, None);
}

/// Rule Zero, in the source: one file starts git, and what it is told to work in is never a task's folder.
#[test]
fn git_is_started_in_one_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/repository");
    let mut starters = Vec::new();
    let mut in_checkouts = Vec::new();
    let entries = |folder: &Path| -> Vec<_> { std::fs::read_dir(folder).unwrap().flatten().collect() };
    let mut left = entries(&folder);
    while let Some(entry) = left.pop() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            left.extend(entries(&entry.path()));
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).unwrap();
        if name == "tests.rs" {
            continue;
        }
        if text.contains("Command::new") {
            starters.push(name.clone());
        }
        if text.contains("CallPlace::Checkout(") {
            in_checkouts.push(name);
        }
    }
    in_checkouts.sort();
    assert_eq!(starters, ["git.rs"]);
    // The user's own folders: the one that was opened, the worktree that is shown, the checkout of a merge's target, and
    // those whose submodules are listed.
    assert_eq!(
        in_checkouts,
        [
            "create.rs",
            "git.rs",
            "programs.rs",
            "show.rs",
            "target_branch.rs",
            "trusted.rs"
        ]
    );
}
