//! The ten plants: what a hostile agent leaves for an orchestrator that runs plain git in its folder.
//!
//! Each wants a marker to be made outside the sandbox. After each, all that gemicro does after a step is done.

use gemicro_guard::repository::{Import, RepositoryError, TaskRepo, TrustedRepo};
use gemicro_guard::sandbox::Tier;

use crate::outside::Outside;
use crate::world::{World, read, tiers};

/// Name and script. `$MARK` is a command that makes the marker, `$REPO` the user's repository.
const PLANTS: &[(&str, &str)] = &[
    (
        "swapped gitfile",
        "git init -q --bare evil; git --git-dir=evil config core.bare false; git --git-dir=evil config core.worktree $PWD
        git --git-dir=evil config core.fsmonitor \"$MARK\"; rm -f .git; echo \"gitdir: $PWD/evil\" > .git",
    ),
    (
        "commondir",
        "cp -r ../git $TMPDIR/c; git config -f $TMPDIR/c/config core.fsmonitor \"$MARK\"; echo $TMPDIR/c > ../git/commondir",
    ),
    ("head", "echo 'ref: refs/heads/main' > ../git/HEAD; echo evil > evil; git add -A; git commit -qm evil"),
    (
        "symbolic own branch",
        "git symbolic-ref refs/heads/task/x/work refs/heads/main; echo evil > evil; git add -A; git commit -qm evil",
    ),
    (
        "nested repository",
        "git init -q nested; git -C nested -c user.name=a -c user.email=b commit -q --allow-empty -m x
        git -C nested config core.fsmonitor \"$MARK\"; touch nested/x",
    ),
    ("fsmonitor", "git config core.fsmonitor \"$MARK\"; git config core.sshCommand \"$MARK\"; git config core.pager \"$MARK\""),
    (
        "hooks",
        "for hook in pre-commit commit-msg post-commit post-index-change reference-transaction pre-auto-gc post-checkout; do
        printf '#!/bin/sh\\n%s\\n' \"$MARK\" > ../git/hooks/$hook; chmod +x ../git/hooks/$hook; done; echo x > x",
    ),
    (
        "filter and textconv",
        "git config filter.evil.clean \"$MARK; cat\"; git config filter.evil.smudge \"$MARK; cat\"; git config diff.evil.textconv \"$MARK; cat\"
        git config diff.external \"$MARK\"; echo '* filter=evil diff=evil' > .gitattributes; echo changed >> a.txt",
    ),
    (
        "bare repository in a folder",
        "git init -q --bare docs/dev; git --git-dir=docs/dev config core.bare false; git --git-dir=docs/dev config core.worktree $PWD
        git --git-dir=docs/dev config core.fsmonitor \"$MARK\"",
    ),
    ("artifact folder as link", "rm -rf docs; ln -s $REPO docs; echo x > x"),
];

/// One world for all of them: each begins with a task that is as new.
struct Field {
    world: World,
    repository: TrustedRepo,
    task: TaskRepo,
}

impl Field {
    fn new() -> Self {
        let world = World::new();
        let repository = world.open();
        let task = world.task(&repository);
        Self {
            world,
            repository,
            task,
        }
    }

    fn plant(&self, tier: Tier, script: &str) {
        let script = format!(
            "REPO={}; MARK='touch {}'; mkdir -p docs\n{script}",
            self.world.path("repo").display(),
            self.world.path("MARKER").display()
        );
        self.world.agent(tier, &self.task, &script);
    }

    fn has_marker(&self) -> bool {
        self.world.path("MARKER").exists()
    }
}

fn harmless(tier: Tier) {
    let mut field = Field::new();
    let main = field.repository.head().clone();
    for (name, script) in PLANTS {
        let outside = Outside::take(&field.world);
        field.plant(tier, script);
        let finished = field.world.finish(tier, &field.repository, &mut field.task);
        assert!(!field.has_marker(), "tier {tier}, {name}: it ran outside");
        assert_eq!(finished.tripped, [], "tier {tier}, {name}");
        outside.assert_only_task(&field.world, tier, name);
        assert_eq!(field.repository.resolve("main").unwrap(), main);
        match (*name, tier, &finished.result) {
            ("head", Tier::Landlock, Err(RepositoryError::BranchSwitched { .. })) => {}
            ("artifact folder as link", _, Err(RepositoryError::Refused(_))) => {}
            ("head" | "artifact folder as link", Tier::Landlock, other) => panic!("{name}: {other:?}"),
            (_, _, Ok(Import::Done(_) | Import::Nothing) | Err(_)) => {}
        }
        // The next step starts from the last import, without what was planted.
        field.task.rebuild(&field.repository).unwrap();
        assert!(!field.has_marker(), "tier {tier}, {name}: it ran outside, later");
    }
    field.world.agent(tier, &field.task, "echo fine > fine.txt");
    let finished = field.world.finish(tier, &field.repository, &mut field.task);
    finished.imported();
    let shown = field.world.path(".worktrees/task-x-work/fine.txt");
    assert_eq!(read(&shown), "fine\n");
    assert!(!field.has_marker());
}

#[test]
fn harmless_in_tier_full() {
    assert!(tiers().contains(&Tier::Full));
    harmless(Tier::Full);
}

#[test]
fn harmless_in_tier_landlock() {
    assert!(tiers().contains(&Tier::Landlock));
    harmless(Tier::Landlock);
}

/// The plants are real: an orchestrator that runs plain git in the folder is taken over by most of them.
#[test]
fn they_take_over_who_runs_plain_git() {
    let mut field = Field::new();
    let mut n_taken_over = 0;
    for (_, script) in PLANTS {
        field.plant(Tier::Landlock, script);
        field.world.shell_output(&format!(
            "cd {}; for folder in . docs/dev docs; do ( cd $folder 2>/dev/null && {{ git status; git add -A; git diff HEAD; git commit -m x; }} ) || true; done",
            field.task.worktree().display()
        ));
        n_taken_over += usize::from(field.has_marker());
        let _ = std::fs::remove_file(field.world.path("MARKER"));
        field.task.rebuild(&field.repository).unwrap();
    }
    let n_plants = PLANTS.len();
    assert!(n_taken_over >= 5, "only {n_taken_over} of {n_plants} work");
}
