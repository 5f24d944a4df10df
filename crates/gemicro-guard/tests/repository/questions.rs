//! What the user's repository is asked about: files of a commit, trees, commits, and what is ignored.

use gemicro_guard::repository::{CommitAbout, CommitId, FileAt, TrustedRepo};

use crate::world::World;

const MOST: u64 = 1 << 20;

fn commit(repository: &TrustedRepo, name: &str) -> CommitId {
    repository.resolve(name).unwrap()
}

fn file(text: &str) -> Option<FileAt> {
    Some(FileAt::File {
        bytes: text.as_bytes().to_vec(),
        is_cut: false,
    })
}

/// A path means itself, however much it looks like a pattern, an option or a revision.
#[test]
fn files_are_read_from_the_commit_alone() {
    let world = World::new();
    world.shell(
        "cd repo; mkdir dir; echo inner > dir/file; echo glob > ':(glob)*'; echo option > -rf; echo range > 'HEAD^{commit}'
        echo colon > main:a.txt; echo back > 'a\\b'; echo ü > ü; printf run > run; chmod +x run; ln -s a.txt link; ln -s dir folder-link
        git add -A; git update-index --add --cacheinfo 160000,$(git rev-parse v1),module; git commit -qm odd; echo later > a.txt",
    );
    let repository = world.open();
    let head = repository.head();
    let read = |path: &str| repository.read_file(head, path, MOST).unwrap();
    for (path, expected) in [
        ("a.txt", file("one\ntwo\nthree\n")),
        ("dir/file", file("inner\n")),
        (":(glob)*", file("glob\n")),
        ("-rf", file("option\n")),
        ("HEAD^{commit}", file("range\n")),
        ("main:a.txt", file("colon\n")),
        ("a\\b", file("back\n")),
        ("ü", file("ü\n")),
        ("run", file("run")),
        ("link", Some(FileAt::Link)),
        ("dir", Some(FileAt::Folder)),
        ("module", Some(FileAt::Gitlink)),
    ] {
        assert_eq!(read(path), expected, "{path}");
    }
    for path in [
        "",
        "missing",
        "..",
        "../repo/a.txt",
        "dir/../a.txt",
        "./a.txt",
        "dir/",
        "dir//file",
        "/etc/passwd",
        ".git/config",
        "*",
        "*.txt",
        ":/a.txt",
        ":(top)a.txt",
        ":!a.txt",
        "HEAD",
        "HEAD:a.txt",
        "--help",
        "A.TXT",
        "folder-link/file",
        "a.txt/x",
        "a.txt\0",
    ] {
        assert_eq!(read(path), None, "{path}");
    }
    let cut = repository.read_file(head, "a.txt", 5).unwrap();
    let expected = FileAt::File {
        bytes: b"one\nt".to_vec(),
        is_cut: true,
    };
    assert_eq!(cut, Some(expected));
    let old = commit(&repository, "v1");
    assert_eq!(repository.read_file(&old, "a.txt", MOST).unwrap(), file("one\n"));
    let nowhere = CommitId::parse(&"1".repeat(40)).unwrap();
    repository.read_file(&nowhere, "a.txt", MOST).unwrap_err();
}

#[test]
fn the_rest_of_a_tree_has_one_digest() {
    let world = World::new();
    world.shell(
        "cd repo; mkdir -p docs/reviews; echo a > docs/reviews/a; git add -A; git commit -qm a; git tag a
        echo b > docs/reviews/b; rm docs/reviews/a; git add -A; git commit -qm b; git tag b
        chmod +x a.txt; git commit -qam mode; git tag mode; git mv src/lib.rs src/moved.rs; git commit -qm moved; git tag moved
        git rm -qr docs/reviews; mkdir -p docs; ln -s /etc docs/reviews; git add -A; git commit -qm link; git tag link",
    );
    let repository = world.open();
    let digest = |name: &str, prefixes: &[&str]| {
        repository
            .tree_without(&commit(&repository, name), prefixes)
            .unwrap()
    };
    let reviews: &[&str] = &["docs/reviews/"];
    assert_eq!(digest("a", reviews), digest("b", reviews));
    assert_eq!(digest("a", reviews).len(), 64);
    assert_ne!(digest("a", &[]), digest("b", &[]));
    assert_ne!(digest("a", &["docs/review"]), digest("b", &["docs/review"]));
    assert_ne!(digest("a", &[""]), digest("b", &[""]));
    assert_ne!(digest("b", reviews), digest("mode", reviews));
    assert_ne!(digest("mode", reviews), digest("moved", reviews));
    // A link in the folder's place is not below the folder.
    assert_ne!(digest("moved", reviews), digest("link", reviews));
    assert_eq!(
        digest("moved", &["docs/reviews"]),
        digest("link", &["docs/reviews"])
    );
    assert_eq!(
        digest("a", &["docs/reviews/", "a.txt"]),
        digest("mode", &["docs/reviews/", "a.txt"])
    );
}

#[test]
fn commits_are_reported_in_short() {
    let world = World::new();
    world.shell(
        "cd repo; git switch -qc side v2; echo s > side; git add -A
        git commit -qm \"$(printf 'a \\033[2J\\tsubject\\n\\nBody: no trailer\\n\\ntext\\n\\nGemicro-Task: t1\\nSigned-off-by: A <a@b>\\n folded\\n')\"
        git switch -q main; git merge -q --no-ff -m 'merge side' side",
    );
    let repository = world.open();
    let between = |old: &str, most: usize| {
        let (old, new) = (commit(&repository, old), repository.head());
        repository.commits_between(&old, new, most).unwrap()
    };
    let about = |name: &str, subject: &str, n_parents: usize| CommitAbout {
        id: commit(&repository, name),
        subject: subject.to_owned(),
        trailers: Vec::new(),
        n_parents,
    };
    let mut side = about("side", "a \\u{1b}[2J\\u{9}subject", 1);
    for (name, value) in [("Gemicro-Task", "t1"), ("Signed-off-by", "A <a@b> folded")] {
        side.trailers.push((name.to_owned(), value.to_owned()));
    }
    let found = between("v1", 10);
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(found[0], about("v2", "two", 1));
    assert_eq!(found[3], about("main", "merge side", 2));
    assert!(
        found.contains(&side) && found.contains(&about("main^1", "three", 1)),
        "{found:?}"
    );
    assert_eq!(between("v1", 1), [about("main", "merge side", 2)]);
    assert_eq!(between("main", 10), []);
    let (one, two) = (commit(&repository, "v1"), commit(&repository, "main^1"));
    let side = commit(&repository, "side");
    let is_ancestor = |a: &CommitId, b: &CommitId| repository.is_ancestor(a, b).unwrap();
    assert!(is_ancestor(&one, &two) && is_ancestor(&one, &one));
    assert!(!is_ancestor(&two, &one) && !is_ancestor(&side, &two));
    let nowhere = CommitId::parse(&"1".repeat(40)).unwrap();
    repository.is_ancestor(&nowhere, &one).unwrap_err();
    repository.commits_between(&nowhere, &one, 1).unwrap_err();
}

#[test]
fn changed_paths_are_reported_on_both_sides() {
    let world = World::new();
    world.shell("cd repo; git mv a.txt 'b c.txt'; echo x > $'new\\nline'; chmod +x src/lib.rs; git add -A; git commit -qm more");
    let repository = world.open();
    let old = commit(&repository, "main^");
    let paths = repository.changed_paths(&old, repository.head()).unwrap();
    assert_eq!(paths, ["a.txt", "b c.txt", "new\nline", "src/lib.rs"]);
    assert_eq!(
        repository.changed_paths(&old, &old).unwrap(),
        Vec::<String>::new()
    );
}

/// Two names that are no text are printed alike: a reviewer could take one file for the other.
#[test]
fn files_whose_names_are_no_text_count_as_not_shown() {
    let world = World::new();
    world.shell(
        "cd repo; echo same > $'no\\xfftext'; echo other > $'no\\xfetext'; echo plain > plain; echo ü > ü
        git add -A; git commit -qm names",
    );
    let repository = world.open();
    let base = commit(&repository, "main^");
    let diff = repository.diff(&base, repository.head(), 1 << 20).unwrap();
    assert_eq!(diff.unshown, ["no\u{fffd}text"], "{}", diff.text);
    assert!(
        !diff.is_cut && diff.text.contains("+plain") && diff.text.contains("b/ü"),
        "{}",
        diff.text
    );
}

#[test]
fn what_is_ignored_is_neither_tracked_nor_wanted() {
    let world = World::new();
    world.shell(
        "cd repo; printf '.env\\n/build/\\n:odd\\n' >> .gitignore; echo x > tracked.log; git add -A; git add -f tracked.log; git commit -qm ignore
        echo x > .env; mkdir -p build sub; echo x > build/out; echo x > sub/.env; echo x > plain; echo x > :odd; ln -s /etc outside
        git config --global core.excludesFile $HOME/ignore; echo mine > $HOME/ignore; echo x > mine",
    );
    let repository = world.open();
    let is_ignored = |path: &str| repository.is_ignored(path).unwrap();
    for path in [".env", "sub/.env", "build/out", "a.log", "mine", ":odd"] {
        assert!(is_ignored(path), "{path}");
    }
    for path in [
        "plain",
        "a.txt",
        "tracked.log",
        "*.log",
        ":(glob)**",
        "",
        "..",
        "../beside.txt",
        "/etc/passwd",
        ".git/config",
        "-v",
    ] {
        assert_eq!(is_ignored(path), path == "*.log", "{path}");
    }
    repository.is_ignored("outside/passwd").unwrap_err();
}
