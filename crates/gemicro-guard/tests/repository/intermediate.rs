//! What a later commit takes out again is still in the history, so every commit is judged.

use std::time::{Duration, Instant};

use gemicro_guard::repository::{
    Import, ImportRefusal, ImportRules, ReportKind, RepositoryError, ReservedPath, import,
};
use gemicro_guard::sandbox::Tier;

use crate::attacks::{Attack, BUNDLE};
use crate::world::said;

/// Commits this, then a commit that takes it out again, then a bundle of both.
fn in_between(script: &str) -> String {
    format!(
        "start=$(git rev-parse HEAD^{{tree}}); {script}; git update-ref refs/heads/task/x/work $(git commit-tree -p HEAD -m back $start); {BUNDLE}"
    )
}

/// Commits the tree of `HEAD` with `$object` in it, without a worktree.
fn with_entry(entry: &str) -> String {
    in_between(&format!(
        r#"{entry}; tree=$({{ git ls-tree HEAD; printf '%s %s %s\t%s\n' "$mode" "$kind" "$object" "$name"; }} | git mktree --missing)
        git update-ref refs/heads/task/x/work $(git commit-tree -p HEAD -m evil $tree)"#
    ))
}

/// A tree of trees: `n_same` entries on each of `n_levels` levels.
fn bomb(leaf: &str, n_same: usize, n_levels: usize) -> String {
    with_entry(&format!(
        "{leaf}
        for level in $(seq {n_levels}); do
        object=$(for n in $(seq {n_same}); do printf '%s %s %s\\t%s\\n' $mode $kind $object d$n; done | git mktree); mode=040000 kind=tree; done; name=bomb"
    ))
}

#[test]
fn trees_of_billions_of_files_are_refused_in_any_commit() {
    let file = "object=$(echo x | git hash-object -w --stdin); mode=100644; kind=blob";
    // Trees without any file, and one that the repository has already.
    let nothing = "object=$(git mktree < /dev/null); mode=040000; kind=tree";
    let known = "object=$(git rev-parse HEAD:src); mode=040000; kind=tree";
    let mut attack = Attack::new();
    for (leaf, n_same, n_levels) in [(file, 10, 10), (file, 2, 60), (nothing, 10, 9), (known, 100, 5)] {
        let start = Instant::now();
        let error = attack.refused(&bomb(leaf, n_same, n_levels));
        let is_refused = matches!(error, RepositoryError::Refused(ImportRefusal::TooManyFiles));
        assert!(is_refused, "{leaf} {n_same} {n_levels}: {error}");
        // Listing the first of them would take hours.
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "{:?}",
            start.elapsed()
        );
        attack.task.rebuild(&attack.repository).unwrap();
    }
    let error = attack.refused(&bomb(file, 1, 1000));
    let is_refused = matches!(
        error,
        RepositoryError::Refused(ImportRefusal::TooDeep | ImportRefusal::Objects { .. })
    );
    assert!(is_refused, "{error}");
    attack.task.rebuild(&attack.repository).unwrap();
    attack.goes_on();
}

#[test]
fn links_that_leave_the_tree_are_refused_in_any_commit() {
    let mut attack = Attack::new();
    for script in [
        "ln -s /etc/passwd l; git add -A",
        "mkdir -p d/e; ln -s ../../../x d/e/l; git add -A",
        "ln -s b a; ln -s a b; git add -A",
        "object=$(head -c 5000 /dev/zero | tr '\\0' a | git hash-object -w --stdin); git update-index --add --cacheinfo 120000,$object,l",
    ] {
        let error = attack.refused(&in_between(&format!("{script}; git commit -qm links")));
        let is_refused = matches!(error, RepositoryError::Refused(ImportRefusal::EscapingLinks(_)));
        assert!(is_refused, "{script}: {error}");
        attack.task.rebuild(&attack.repository).unwrap();
    }
    attack.goes_on();
}

/// A side branch that is merged without its content counts as well.
#[test]
fn every_parent_of_a_merge_is_judged() {
    let mut attack = Attack::new();
    let error = attack.refused(&format!(
        "object=$(printf /etc | git hash-object -w --stdin)
        tree=$({{ git ls-tree HEAD; printf '120000 blob %s\\tl\\n' $object; }} | git mktree)
        side=$(git commit-tree -p HEAD -m side $tree)
        git update-ref refs/heads/task/x/work $(git commit-tree -p HEAD -p $side -m merge HEAD^{{tree}}); {BUNDLE}"
    ));
    let is_refused = matches!(error, RepositoryError::Refused(ImportRefusal::EscapingLinks(_)));
    assert!(is_refused, "{error}");
}

#[test]
fn paths_of_others_are_refused_in_any_commit() {
    let reserved = |path: &str, except: Option<&str>| ReservedPath {
        path: path.to_owned(),
        rule: "others write it".to_owned(),
        except: except.map(str::to_owned),
    };
    let only = ImportRules {
        only: Some(vec!["src/".to_owned()]),
        ..ImportRules::default()
    };
    let others = ImportRules {
        reserved: vec![
            reserved("notes.md", None),
            reserved("archive/", Some("archive/own.md")),
        ],
        never: vec![".env".to_owned()],
        ..ImportRules::default()
    };
    let commit = "git add -A; git commit -qm evil";
    // A merge that has what none of its parents has.
    let merge = "git checkout -q --detach; echo 1 > src/side; git add -A; git commit -qm side; side=$(git rev-parse HEAD)
        git checkout -q task/x/work; echo 2 > src/mine; git add -A; git commit -qm mine; git merge -q --no-commit $side; echo x > notes.md";
    let mut attack = Attack::new();
    for (script, rules, expected) in [
        ("echo x > notes.md", &others, Some("reserved")),
        (
            "mkdir Archive; echo x > Archive/old.md",
            &others,
            Some("reserved"),
        ),
        (merge, &others, Some("reserved")),
        ("echo x > .env", &others, Some("lent")),
        ("echo x >> src/lib.rs; echo x > a.txt", &only, Some("outside")),
        ("mkdir archive; echo x > archive/own.md", &others, None),
        ("echo x >> src/lib.rs", &only, None),
    ] {
        let script = in_between(&format!("{script}; {commit}"));
        let output = attack.world.agent(Tier::Full, &attack.task, &script);
        assert!(output.is_success(), "{script}: {}", said(&output));
        let found = match import(&attack.repository, &mut attack.task, rules) {
            Ok(_) => None,
            Err(RepositoryError::Refused(ImportRefusal::Reserved { .. })) => Some("reserved"),
            Err(RepositoryError::Refused(ImportRefusal::Lent { .. })) => Some("lent"),
            Err(RepositoryError::Refused(ImportRefusal::Outside { .. })) => Some("outside"),
            Err(error) => panic!("{script}: {error}"),
        };
        assert_eq!(found, expected, "{script}");
        attack = Attack::new();
    }
}

#[test]
fn big_files_of_any_commit_are_reported_and_counted() {
    let mut attack = Attack::new();
    let script = in_between("head -c 30000000 /dev/urandom > big; git add big; git commit -qm big; rm big");
    let Import::Done(imported) = attack.import(&script).unwrap() else {
        panic!("nothing was imported");
    };
    assert_eq!((imported.n_commits, imported.n_files), (2, 0));
    let [report] = imported.reports.as_slice() else {
        panic!("{:?}", imported.reports);
    };
    assert_eq!((report.kind, report.path.as_str()), (ReportKind::BigFile, "big"));
    assert!(
        report
            .detail
            .as_ref()
            .is_some_and(|detail| detail.contains("30000000")),
        "{report:?}"
    );

    let script = in_between(
        "for n in 1 2 3; do head -c 20000000 /dev/zero > big; echo $n >> big; git add big; git commit -qm big; done; rm big",
    );
    attack.world.agent(
        Tier::Full,
        &attack.task,
        &script.replace("^$(git rev-parse main)", "^HEAD~4"),
    );
    let rules = ImportRules {
        all_files_bytes: 50_000_000,
        ..ImportRules::default()
    };
    let error = import(&attack.repository, &mut attack.task, &rules).unwrap_err();
    let is_refused = matches!(error, RepositoryError::Refused(ImportRefusal::TooMuch { .. }));
    assert!(is_refused, "{error}");
}

#[test]
fn endless_messages_are_refused_and_the_branch_stays_usable() {
    let commit = |message: &str| {
        format!(
            "{{ {message}; }} > $TMPDIR/m; git update-ref refs/heads/task/x/work $(git commit-tree -p HEAD -F $TMPDIR/m HEAD^{{tree}})"
        )
    };
    let mut attack = Attack::new();
    for message in [
        "head -c 40000000 /dev/zero | tr '\\0' s",
        "echo short; echo; head -c 40000000 /dev/zero | tr '\\0' b",
        "echo short; echo; echo body; echo; seq -f 'Key-%g: value' 200000",
    ] {
        for script in [
            format!("{}; {BUNDLE}", commit(message)),
            in_between(&commit(message)),
        ] {
            let error = attack.refused(&script);
            let is_refused = matches!(error, RepositoryError::Refused(ImportRefusal::LongMessage { .. }));
            assert!(is_refused, "{message}: {error}");
            attack.task.rebuild(&attack.repository).unwrap();
        }
    }
    attack.goes_on();
}

#[test]
fn endless_histories_are_refused() {
    let mut attack = Attack::new();
    let error = attack.refused(&format!(
        r#"{{ echo "reset refs/heads/task/x/work"; echo "from $(git rev-parse HEAD)"; echo
        for n in $(seq 10001); do printf 'commit refs/heads/task/x/work\ncommitter a <a> 1 +0000\ndata 1\nx\n'; done; }} | git fast-import --quiet --force; {BUNDLE}"#
    ));
    let is_refused = matches!(
        error,
        RepositoryError::Refused(ImportRefusal::TooManyCommits { .. })
    );
    assert!(is_refused, "{error}");
}
