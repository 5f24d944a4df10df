//! Bundles of a hostile agent: what must not come in does not, and leaves nothing behind.

use gemicro_event::ErrorKind;
use gemicro_guard::repository::{
    EscapingLinks, Import, ImportRefusal, ImportRules, ReportKind, RepositoryError, TaskRepo, TrustedRepo,
    import,
};
use gemicro_guard::sandbox::Tier;

use crate::outside::Outside;
use crate::world::{World, read, said};

/// Bundles whatever is on the branch now, without gemicro's own help.
pub(crate) const BUNDLE: &str =
    "git bundle create -q $TMPDIR/out.bundle refs/heads/task/x/work ^$(git rev-parse main)";

pub(crate) struct Attack {
    pub(crate) world: World,
    pub(crate) repository: TrustedRepo,
    pub(crate) task: TaskRepo,
    pub(crate) outside: Outside,
}

impl Attack {
    pub(crate) fn new() -> Self {
        let world = World::new();
        let repository = world.open();
        let task = world.task(&repository);
        Self {
            outside: Outside::take(&world),
            world,
            repository,
            task,
        }
    }

    /// The agent does this, in the weaker tier; then its bundle is imported.
    pub(crate) fn import(&mut self, script: &str) -> Result<Import, RepositoryError> {
        let output = self
            .world
            .agent(Tier::Landlock, &self.task, &format!("set -e; {script}"));
        assert!(output.is_success(), "{script}: {}", said(&output));
        import(&self.repository, &mut self.task, &ImportRules::default())
    }

    /// As above; it must be refused, and nothing but the task's folder may know of it.
    pub(crate) fn refused(&mut self, script: &str) -> RepositoryError {
        let error = self.import(script).unwrap_err();
        self.outside
            .assert_same(&self.world, Tier::Full, &format!("{script}\n{error}"));
        let n_left = std::fs::read_dir(self.task.folder().join("out")).unwrap().count();
        assert_eq!(n_left, 0, "{script}");
        error
    }

    /// After a refusal the next step starts from the last import, and works.
    pub(crate) fn goes_on(mut self) {
        self.task.rebuild(&self.repository).unwrap();
        self.world.agent(Tier::Full, &self.task, "echo fine > fine");
        let imported = self
            .world
            .finish(Tier::Full, &self.repository, &mut self.task)
            .imported();
        assert_eq!((imported.n_commits, imported.n_files), (1, 1));
    }
}

/// Makes a tree with one entry under any name, which `git add` would not, and commits it.
fn tree(entry: &str) -> String {
    format!(
        r#"{entry}
        tree=$({{ git ls-tree HEAD; printf '%s %s %s\t%s\n' "$mode" "$kind" "$object" "$name"; }} | git mktree --missing)
        git update-ref refs/heads/task/x/work $(git commit-tree -p HEAD -m evil $tree); {BUNDLE}"#
    )
}

/// A folder of that name with a file `config` in it.
fn folder(name: &str) -> String {
    tree(&format!(
        "blob=$(echo '[core] fsmonitor = touch /tmp/x' | git hash-object -w --stdin)
        object=$(printf '100644 blob %s\\tconfig\\n' $blob | git mktree); mode=040000 kind=tree name='{name}'"
    ))
}

#[test]
fn extra_references_and_tags_are_ignored() {
    let mut attack = Attack::new();
    let refs_before = attack.world.shell("git -C repo for-each-ref");
    let imported = attack.import(
        "echo evil > evil; git add -A; git commit -qm evil; git tag evil-tag; git update-ref refs/heads/main HEAD
        git update-ref refs/heads/new HEAD; git update-ref refs/tags/v1 HEAD; git update-ref refs/gemicro/incoming/t1 HEAD
        git bundle create -q $TMPDIR/out.bundle --all ^$(git rev-parse HEAD~1)",
    );
    let Ok(Import::Done(imported)) = imported else {
        panic!("{imported:?}");
    };
    attack
        .outside
        .assert_only_task(&attack.world, Tier::Full, "extra references");
    let expected = refs_before.replace(
        &format!("{} commit\trefs/heads/task/x/work", imported.old),
        &format!("{} commit\trefs/heads/task/x/work", imported.new),
    );
    assert_eq!(attack.world.shell("git -C repo for-each-ref"), expected);
}

#[test]
fn forbidden_trees_are_refused() {
    let link =
        tree("object=$(printf x | git hash-object -w --stdin); mode=120000 kind=blob name=.gitmodules");
    let modules = tree(
        "object=$(printf '[submodule \"x\"]\\n\\tpath = x\\n\\turl = -u./payload\\n' | git hash-object -w --stdin)
        mode=100644 kind=blob name=.gitmodules",
    );
    let mut attack = Attack::new();
    for script in [
        folder(".GIT"),
        folder(".git"),
        folder("git~1"),
        folder(".."),
        link,
        modules,
    ] {
        let error = attack.refused(&script);
        assert!(
            matches!(error, RepositoryError::Refused(ImportRefusal::Objects { .. })),
            "{script}: {error}"
        );
        assert_eq!(ErrorKind::from(&error), ErrorKind::ImportRefused);
        attack.task.rebuild(&attack.repository).unwrap();
    }
    attack.goes_on();
}

#[test]
fn rewritten_history_is_refused() {
    let mut attack = Attack::new();
    attack.world.agent(Tier::Full, &attack.task, "echo one > one");
    let first = attack
        .world
        .finish(Tier::Full, &attack.repository, &mut attack.task)
        .imported();
    attack.outside = Outside::take(&attack.world);
    let bundle = "git bundle create -q $TMPDIR/out.bundle refs/heads/task/x/work ^$(git rev-parse v1)";
    for script in [
        "git commit -q --amend -m amended",
        "git update-ref refs/heads/task/x/work $(git commit-tree -m orphan HEAD^{tree})",
        "git update-ref refs/heads/task/x/work main~1",
        "git update-ref refs/heads/task/x/work $(git commit-tree -p main -p v1 -m merge HEAD^{tree})",
    ] {
        let error = attack.refused(&format!("{script}; {bundle}"));
        let RepositoryError::Refused(ImportRefusal::Rewritten { old, .. }) = &error else {
            panic!("{script}: {error}");
        };
        assert_eq!(old, &first.new);
        // Said by gemicro's own commands, too, where there is nothing to bundle.
        let finished = attack
            .world
            .finish(Tier::Full, &attack.repository, &mut attack.task);
        let error = finished.result.unwrap_err();
        assert!(
            matches!(error, RepositoryError::Refused(ImportRefusal::Rewritten { .. })),
            "{script}: {error}"
        );
        attack.task.rebuild(&attack.repository).unwrap();
    }
    attack.goes_on();
}

#[test]
fn garbage_is_refused() {
    let mut attack = Attack::new();
    let header = "printf '# v2 git bundle\\n%s refs/heads/task/x/work\\n\\n' $(git rev-parse v1)";
    let commit = "echo x > x; git add -A; git commit -qm x;";
    for script in [
        "head -c 100000 /dev/urandom > $TMPDIR/out.bundle".to_owned(),
        ": > $TMPDIR/out.bundle".to_owned(),
        "printf '# v2 git bundle\\n' > $TMPDIR/out.bundle".to_owned(),
        "printf '# v2 git bundle\\n\\n' > $TMPDIR/out.bundle".to_owned(),
        format!("{header} > $TMPDIR/out.bundle"),
        format!("{{ {header}; head -c 5000 /dev/urandom; }} > $TMPDIR/out.bundle"),
        format!("{commit} {BUNDLE}; truncate -s -30 $TMPDIR/out.bundle"),
        format!("{commit} {BUNDLE}; printf xxxx | dd of=$TMPDIR/out.bundle bs=1 seek=400 conv=notrunc 2>/dev/null"),
        // It is said to need what nobody has.
        format!("{commit} {BUNDLE}; sed -i '1a -1111111111111111111111111111111111111111 x' $TMPDIR/out.bundle"),
        // A commit without its tree.
        "tree=1111111111111111111111111111111111111111; object=$(printf 'tree %s\\nparent %s\\nauthor a <a> 1 +0000\\ncommitter a <a> 1 +0000\\n\\nx\\n' $tree $(git rev-parse HEAD) | git hash-object -t commit -w --stdin --literally)
        { printf '# v2 git bundle\\n%s refs/heads/task/x/work\\n\\n' $object; echo $object | git pack-objects --stdout -q; } > $TMPDIR/out.bundle".to_owned(),
        // No commit at all.
        "git tag -a t -m t; object=$(git rev-parse t); { printf '# v2 git bundle\\n%s refs/heads/task/x/work\\n\\n' $object; echo $object | git pack-objects --stdout -q; } > $TMPDIR/out.bundle".to_owned(),
        // One that would make the user's repository a partial clone.
        format!("{commit} git bundle create -q $TMPDIR/out.bundle --filter=blob:none refs/heads/task/x/work ^main"),
    ] {
        let error = attack.refused(&script);
        let is_refused = matches!(error, RepositoryError::Refused(_));
        assert!(is_refused, "{script}: {error}");
        attack.task.rebuild(&attack.repository).unwrap();
    }
    attack.goes_on();
}

/// Few objects, billions of files; a small bundle, a huge file.
#[test]
fn bombs_are_refused() {
    let mut attack = Attack::new();
    let levels = |n_same: usize, n_levels: usize| {
        format!(
            "object=$(echo x | git hash-object -w --stdin); mode=100644; kind=blob
            for level in $(seq {n_levels}); do
            object=$(for n in $(seq {n_same}); do printf '%s %s %s\\t%s\\n' $mode $kind $object d$n; done | git mktree); mode=040000 kind=tree; done; name=bomb"
        )
    };
    let error = attack.refused(&tree(&levels(10, 9)));
    let is_refused = matches!(error, RepositoryError::Refused(ImportRefusal::TooManyFiles));
    assert!(is_refused, "{error}");
    attack.task.rebuild(&attack.repository).unwrap();
    let script = format!("head -c 60000000 /dev/zero > zeros; git add -A; git commit -qm zeros; {BUNDLE}");
    attack.world.agent(Tier::Full, &attack.task, &script);
    let rules = ImportRules {
        all_files_bytes: 50_000_000,
        ..ImportRules::default()
    };
    let error = import(&attack.repository, &mut attack.task, &rules).unwrap_err();
    let is_refused = matches!(error, RepositoryError::Refused(ImportRefusal::TooMuch { .. }));
    assert!(is_refused, "{error}");
    attack.task.rebuild(&attack.repository).unwrap();
    attack.goes_on();
}

#[test]
fn links_that_leave_the_tree_are_refused() {
    let mut attack = Attack::new();
    for script in [
        "ln -s /etc/passwd l",
        "ln -s ../outside l",
        "mkdir -p d/e; ln -s ../../../x d/e/l",
        "mkdir -p x/y top; ln -s ../../top x/y/d; ln -s d/../../foo x/y/l",
        "ln -s .git/hooks l",
        "ln -s src/../.GIT/config l",
        "ln -s b a; ln -s a b",
        // Two names that look alike as text.
        "ln -s fine $'l\\xfe'; ln -s /etc $'l\\xfd'; ln -s fine $'l\\xff'",
    ] {
        let error = attack.refused(&format!("{script}; git add -A; git commit -qm links; {BUNDLE}"));
        let RepositoryError::Refused(ImportRefusal::EscapingLinks(links)) = &error else {
            panic!("{script}: {error}");
        };
        assert!(
            links.iter().all(|link| link.kind == ReportKind::EscapingLink),
            "{links:?}"
        );
        attack.task.rebuild(&attack.repository).unwrap();
    }
    // Allowed by the user, they are reported; and from then on they are known.
    let script =
        format!("ln -s /etc/passwd l; ln -s src/lib.rs fine; git add -A; git commit -qm links; {BUNDLE}");
    attack.world.agent(Tier::Full, &attack.task, &script);
    let rules = ImportRules {
        escaping_links: EscapingLinks::Report,
        ..ImportRules::default()
    };
    let Import::Done(imported) = import(&attack.repository, &mut attack.task, &rules).unwrap() else {
        panic!("nothing was imported");
    };
    let reports: Vec<_> = imported
        .reports
        .iter()
        .map(|report| (report.kind, report.path.as_str()))
        .collect();
    assert_eq!(reports, [(ReportKind::EscapingLink, "l")]);
    attack.outside = Outside::take(&attack.world);
    attack.goes_on();
}

#[test]
fn what_should_be_looked_at_is_reported() {
    let mut attack = Attack::new();
    let script = "mkdir -p .github/workflows sub/.Claude .vscode; echo x > .github/workflows/ci.yml; echo x > sub/.Claude/settings.json
        echo x > .vscode/tasks.json; echo x > .MCP.json; echo x > .envrc; echo x > Jenkinsfile; echo '* text' > sub/.gitattributes
        printf '[submodule \"m\"]\\n\\tpath = m\\n\\turl = https://example.org/m\\n' > .gitmodules; head -c 6000000 /dev/zero > big
        git init -q nested; git -C nested -c user.name=a -c user.email=b commit -q --allow-empty -m x; ln -s a.txt link";
    let output = attack.world.agent(Tier::Full, &attack.task, script);
    assert!(output.is_success(), "{}", said(&output));
    let imported = attack
        .world
        .finish(Tier::Full, &attack.repository, &mut attack.task)
        .imported();
    let mut reports: Vec<_> = imported
        .reports
        .iter()
        .map(|report| (report.path.as_str(), report.kind))
        .collect();
    reports.sort_by_key(|(path, _)| *path);
    let expected = [
        (".MCP.json", ReportKind::Settings),
        (".envrc", ReportKind::Settings),
        (".github/workflows/ci.yml", ReportKind::Ci),
        (".gitmodules", ReportKind::Modules),
        (".vscode/tasks.json", ReportKind::Settings),
        ("Jenkinsfile", ReportKind::Ci),
        ("big", ReportKind::BigFile),
        ("nested", ReportKind::Gitlink),
        ("sub/.Claude/settings.json", ReportKind::Settings),
        ("sub/.gitattributes", ReportKind::Attributes),
    ];
    assert_eq!(reports, expected);
    assert_eq!(read(&attack.world.path(".worktrees/task-x-work/.envrc")), "x\n");
}
